"""One place for how the suite runs: repeatable hypothesis examples, no deadline (kernels compile on first use)."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "house", deadline=None, derandomize=True, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")
