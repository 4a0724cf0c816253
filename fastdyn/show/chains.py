"""Chains as a kind of system: who answers what the command, tables and pictures ask."""

import math
from functools import partial

from ..kinds import Kind


class Chains(Kind):
    """Their catalog and model files are those of describe.catalog, their run files those of results.file."""

    name = "chain"
    plays = True
    stores = True

    def make(self, name, settings):
        from ..describe.catalog import find

        return find(name, settings)[0]

    def find(self, name, settings):
        from ..describe.catalog import find
        from ..run.simulate import simulate

        chain, (options, more) = find(name, settings, simulate, more_of_a_run)
        more |= {"preset": more.get("preset") or None} if "preset" in more else {}
        return chain, partial(simulate, **options, **more)

    def show(self, system):
        from .tree import show

        show(system)

    def summary(self, run):
        from .summary import summary

        summary(run)

    def contents(self, run):
        from .contents import rows

        return rows(run)

    def columns(self, run):
        from ..results.table import columns

        return columns(run)

    def figures(self):
        from .figures import FIGURES

        return FIGURES

    def player(self, run, magnify):
        from .player import page
        from .snapshots import good_factor

        return page(run, good_factor(run) if magnify is None else magnify)

    def stage(self, run, magnify):
        from .snapshots import good_factor
        from .stage import of_run

        return of_run(run, good_factor(run) if magnify is None else magnify)

    def used(self, run):
        from ..results.cite import used

        return used(run)

    def model_text(self, run):
        return run.chain.to_toml()


def more_of_a_run(h_min: float = 0.0, h_max: float = math.inf, h_first: float = 0.0, safety: float = 0.9,
                  max_steps: float = 1e9, capture: float = 0.0, max_switches: float = 100.0, newton_tol: float = 0.0,
                  rho: float = 0.8, max_order: float = 12.0, policy: str = "none", preset: str = "",
                  every: bool = False, shrink: float = math.nan, grow: float = math.nan, damp: float = math.nan,
                  contact_share: float = 1/32):
    """The settings that fastdyn.simulate takes besides those it has names and numbers for."""


KIND = Chains()
