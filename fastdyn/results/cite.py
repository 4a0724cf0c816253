"""The papers a run stands on; of a chain, those of its formulation, stepper, laws of grounds, modes of links."""

import os
import re
import textwrap

from .._cache import ROOT
from ..kinds import kind_of

FORMULATIONS = {
    "recursive": ("Featherstone 2008", "Saha 1999"),
    "denoc": ("Angeles & Lee 1988", "Saha 1999"),
    "gibbs-appell": ("Gibbs 1879", "Appell 1899"),
    "boltzmann-hamel": ("Khoshnood, Azad & Razavi 2016", "Boltzmann 1902", "Hamel 1904"),
    "lagrange": ("Raoofian et al. 2017", "Hamel 1904"),
}
BENDING = {"recursive": ("Shafei & Shafei 2016",), "gibbs-appell": ("Korayem & Shafei 2009", "Shafei & Shafei 2016")}
STEPPERS = {
    "bs32": ("Bogacki & Shampine 1989",),
    "rkf45": ("Fehlberg 1969", "Shampine 1985"),
    "dopri5": ("Dormand & Prince 1980", "Hairer, Norsett & Wanner 1993"),
    "dop853": ("Dormand & Prince 1980", "Hairer, Norsett & Wanner 1993"),
    "adams": ("Shampine & Gordon 1975",),
    "abm4": ("Shampine & Gordon 1975",),
    "radau5": ("Hairer & Wanner 1996", "Gustafsson 1994"),
    "esdirk4": ("Kennedy & Carpenter 2016", "Gustafsson 1994"),
    "gen-alpha": ("Newmark 1959", "Chung & Hulbert 1993", "Arnold & Bruels 2007"),
    "newmark": ("Newmark 1959",),
}
STEP_SIZE = dict.fromkeys(("bs32", "rkf45", "dopri5", "dop853"), ("Gustafsson 1991",))
EVENTS = ("Chandrupatla 1997",)
MODES = {
    "timoshenko": ("Timoshenko 1921", "Wittrick & Williams 1971", "Howson & Williams 1973"),
    "euler-bernoulli": ("Wittrick & Williams 1971", "Howson & Williams 1973"),
    "printed": ("Timoshenko 1921", "Shafei & Shafei 2016"),
}
SYSTEMS = {"falling-chain": ("Shafei & Shafei 2016",)}           # of the catalog, by the name they have there
PAGE, WIDTH = "papers.md", 100


def cite(run) -> str:
    """Each paper with what it is cited for, a paragraph each, in the order of its first use."""
    uses = {}
    for use, keys in kind_of(run).used(run):
        for key in keys:
            uses.setdefault(key, []).append(use)
    known = papers()
    paragraphs = [f"[{key}] {reference(key, known)}({', '.join(dict.fromkeys(uses[key]))})" for key in uses]
    return "\n".join(textwrap.fill(p, WIDTH, subsequent_indent="    ", break_on_hyphens=False) for p in paragraphs)


def used(run):
    """(what for, keys of papers) of everything a run of a chain uses."""
    from ..laws.contact import NORMAL_LAWS
    from ..laws.friction import FRICTION_LAWS

    links = [link.elastic for link in run.chain.links if link.modes]
    yield f"system {run.chain.name}", SYSTEMS.get(run.chain.name, ())
    yield f"formulation {run.formulation}", FORMULATIONS.get(run.formulation, ())
    if links:
        yield f"elastic links in formulation {run.formulation}", BENDING.get(run.formulation, ())
    yield f"stepper {run.stepper}", STEPPERS.get(run.stepper, ())
    yield "size of the steps", STEP_SIZE.get(run.stepper, ())
    if run.event_names or run.chain.grounds:
        yield "location of events", EVENTS
    for elastic in links:
        if elastic.modes and not elastic.shapes:
            yield f"{elastic.theory} modes", MODES[elastic.theory]
    for ground in run.chain.grounds:
        for law, known in ((ground.contact.law, NORMAL_LAWS), (ground.friction.law, FRICTION_LAWS)):
            if known[law].cite:
                yield f"law {law}", (known[law].cite,)


def reference(key, known):
    """The whole reference, "" if it is not in the list: the key is all there is to say then."""
    return known.get(_short(key), "") and known[_short(key)] + " "


def papers() -> dict[str, str]:
    """References by their short keys: docs/papers.md, which an installed package carries beside this page."""
    for place in (os.path.join(os.path.dirname(__file__), PAGE), os.path.join(os.path.dirname(ROOT), "docs", PAGE)):
        if os.path.exists(place):
            with open(place, encoding="utf-8") as file:
                found = re.findall(r"(?ms)^- \*\*\[(.+?)\]\*\*\s+(.+?)(?=^- |^$|\Z)", file.read())
            return {_short(key): " ".join(text.split()) for key, text in found}
    return {}


def _short(key):
    """First author and year: what the ways to write a key have in common."""
    author, year = re.match(r"[^,&\d]+", key)[0].strip(), re.search(r"\d{4}$", key)
    return f"{author} {year[0]}" if year else key
