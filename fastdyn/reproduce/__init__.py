"""Published problems done again: what was claimed beside what comes out, and what its authors did not see."""

from importlib import import_module

PAPERS = {  # name -> (module with a function `report(folder)`, what it is about)
    "falling-chain": ("fastdyn.reproduce.falling_chain",
                      "three elastic links fall on the ground [Shafei & Shafei 2016]"),
    "rrr": ("fastdyn.reproduce.rrr", "a parallel robot on a rose, held by virtual springs [Raoofian et al. 2017]"),
    "canadarm2": ("fastdyn.reproduce.canadarm2", "a space arm falls on an oblique plane, by the number of its modes"),
    "transfer": ("fastdyn.transfer.laboratory", "schemes in time for torsion chains, by transfer matrices"),
}


def reproduce(paper, folder=None):
    """Print claims and results of a paper of PAPERS; with a folder, write pictures there and print their names."""
    from ..describe.check import one_of

    import_module(PAPERS[one_of(paper, tuple(PAPERS), "paper")][0]).report(folder)
