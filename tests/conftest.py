"""One place for how the suite runs: repeatable hypothesis examples, no deadline (kernels compile on first use)."""

import os

from hypothesis import HealthCheck, settings

EXAMPLES = int(os.environ.get("FASTDYN_EXAMPLES", "40"))  # per test: fewer where plain Python does the kernels' work

settings.register_profile(
    "house", deadline=None, derandomize=True, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")
