from formulations.common import one_ladder

__all__ = ["one_ladder"]
