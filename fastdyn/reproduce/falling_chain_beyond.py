"""What the authors of the falling chain did not see: more modes, other readings, steps that are too long."""

import numpy as np

from ..describe.catalog import falling_chain
from .falling_chain import SETS, contacts_in_words, counts, first_group, run_of, table_of

MODES = (1, 2, 3)
READINGS = {    # of what the text leaves open: words of the catalog
    "as it is": {},
    "rotary inertia feels the section's spin": {"spin": "section"},
    "rotary inertia of the section, rho I": {"J33": 4.8828125e-9/3.75e-4},
    "I and G not rounded": {"I33": 4.8828125e-9, "G": 2e11/2.6},
    "modes computed, not printed": {"shapes": "timoshenko"},
    "modes of Euler and Bernoulli": {"shapes": "euler-bernoulli"},
    "slope of the axis carried, not the section's turn": {"carried": "axis"},
    "no damping": {"K_v": 0.0, "gamma": 0.0},
}
FINE, LOOSE = (1e-11, 1e-12, 1e-13), (1e-9,)
PAIR, TOLERANCES = "rkf45", (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
OTHERS = ("dop853", "dopri5", "rkf45", "adams", "radau5")


def of_modes(modes, m, tolerances=FINE, shapes="timoshenko"):
    """Runs with m modes a link, computed from the printed constants unless said otherwise, each with its tolerance."""
    chain = falling_chain(modes, m=m, shapes=shapes)
    return [run_of(chain=chain, samples=2, rtol=rtol, atol=rtol/1000, event_tol=1e-12) for rtol in tolerances]


def of_reading(words, modes="ss-ss-ss"):
    """A run of a set that is read in another way."""
    return run_of(chain=falling_chain(modes, **words), samples=2)


def of_tolerance(rtol, modes="ss-ss-ss", stepper=PAIR, **words):
    """A run with a pair of order 4(5), as the source had one, or with another stepper."""
    return run_of(modes, stepper=stepper, rtol=rtol, atol=rtol/1000, **words)


# ----------------------------------------------------------------------------------------------------------- printed

def tables():
    """What `report` prints of it, tables and sentences."""
    yield _modes()
    yield ("The row of printed digits has the mode shapes of a section that is not rounded (I and G of 30 x 12.5 mm, "
           "E/2.6) over integrals with the rounded constants; the three rows above it have one reading, shapes and "
           "integrals from the rounded constants. A number that changes from one tolerance to the next is not "
           "converged. Counts of 54 for ss-ss-ss with three modes and 28 for cc-cc-cc with two are what this reading "
           "gives with dopri5 at rtol 1e-9.")
    yield _readings()
    yield ("I and G that are not rounded differ by a thousandth from the printed ones: in two of the four sets that "
           "changes the number of contacts. The numbers are right for the numbers that are given, no further; those of "
           "more modes are as delicate.")
    yield _tolerances()
    yield _steppers()
    yield ("Errors grow a million times and more from the first touch on. Of sc-cc-cs 28 are right: a slow touch at "
           "1.32 s decides on the last ones.")


def _modes():
    table = table_of("Not seen: one mode a link is not enough. Contacts within 1.5 s at rtol 1e-11, 1e-12, 1e-13, one "
                     "number where they are the same (touches of a tip at first)", "modes a link", *SETS)
    for m in MODES:
        table.add_row(f"{m}", *(_numbers(of_modes(modes, m)) for modes in SETS))
    for m in MODES[1:]:
        table.add_row(f"{m}, at rtol 1e-9", *(_numbers(of_modes(modes, m, LOOSE)) for modes in SETS))
    table.add_row("1, as printed", *(_numbers(of_modes(modes, 1, shapes="printed")) for modes in SETS))
    return table


def _numbers(runs):
    different = dict.fromkeys(contacts_in_words(run) for run in runs)   # each once, in order
    return f"{', '.join(different)} ({len(first_group(runs[-1]))})"


def _readings():
    table = table_of("Not said: what the text leaves open. Contacts within 1.5 s (of the joints)", "reading", *SETS)
    for name, words in READINGS.items():
        runs = [of_reading(words, modes) for modes in SETS]
        table.add_row(name, *(f"{contacts_in_words(run)} ({' '.join(map(str, counts(run)))})" for run in runs))
    return table


def _tolerances():
    table = table_of(f"Not a property of the chain: the error of the energy. ss-ss-ss with {PAIR}, a pair of order "
                     "4(5)", "rtol", "contacts", "energy error, mean %", "largest %", "steps")
    for rtol in TOLERANCES:
        run = of_tolerance(rtol)
        error = np.abs(run.energy_error)
        table.add_row(f"{rtol:.0e}", contacts_in_words(run), f"{np.mean(error):.1e}", f"{np.max(error):.1e}",
                      f"{run.stats['steps']}")
    return table


def _steppers():
    table = table_of(f"Not said: how tolerances change the number of contacts. With {', '.join(OTHERS)}", "rtol", *SETS)
    for rtol in TOLERANCES[3:]:
        table.add_row(f"{rtol:.0e}, all", *(by_stepper(rtol, modes) for modes in SETS))
    return table


def by_stepper(rtol, modes):
    """Contacts with every stepper, one number where they are the same."""
    found = [contacts_in_words(of_tolerance(rtol, modes, stepper, samples=2)) for stepper in OTHERS]
    return found[0] if len(set(found)) == 1 else ", ".join(found)
