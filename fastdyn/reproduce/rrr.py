"""The 3RRR robot on its rose: cost and error against the stiffness of virtual springs. `report()` prints them.

Claims are the seconds of Table 2, and the thresholds of the error figures, of [Raoofian et al. 2017]; the case is P0,
in a horizontal plane, three laps. Errors are greatest values over the run, in m: e_c is the logarithm of the sum of all
gaps, e_p that of the difference of the distances of the platform from the middle, on the path and in the run.
"""

import math
import os
import time

import numpy as np

from .._address import handle_of
from ..describe import rrr
from ..describe.catalog import rrr_rose
from ..formulations import rates
from ..layout import work_of
from ..run.loops import gaps
from ..run.simulate import simulate
from ..steppers.outside import right_hand_side
from .falling_chain import table_of

CLAIMED = {1e1: 0.576, 1e2: 0.921, 1e3: 1.648, 1e4: 3.550, 1e5: 11.898, 1e6: 45.592, 1e7: 160.6, 1e8: 499.424}   # s
CLAIMED_RIGID = 2.0     # s, about
# (e_c, e_p), natural logarithms, of a Dormand-Prince 5(4) in NumPy at rtol 1e-3, atol 1e-6, errors by the greatest part
ANOTHER = {1e1: (0.10, -1.95), 1e2: (0.10, -0.63), 1e3: (-1.55, -2.32), 1e4: (-4.60, -4.11), 1e5: (-6.87, -4.20),
           1e6: (-9.22, -6.86), 1e7: (-11.50, -9.41), 1e8: (-13.82, -11.72)}
T_END, SAMPLES = 6.0, 601
RADIUS = rrr.CASES["P0"][0]
EXPLICIT = {"stepper": "dopri5", "rtol": 1e-3, "atol": 1e-6}
GREATEST = {"stepper": "dopri5", "rtol": 1e-3/18**0.5, "atol": 1e-6/18**0.5}    # no part of 18 errs by more than 1e-3
HIGHER = {"stepper": "dop853", "rtol": 1e-3, "atol": 1e-6}
IMPLICIT = {"stepper": "radau5", "rtol": 2e-5, "atol": 2e-7}        # 1e-6 m off the path at 1e8 N/m
OTHERS = {"RK45": EXPLICIT, "Radau": IMPLICIT, "BDF": IMPLICIT}         # of SciPy, against which of ours
REPEATS = 3
FASTEST = 16022.0       # rad/s, of the springs at 1e8 N/m when the run starts


def errors(run, radius=RADIUS):
    """(sum of gaps, difference of distances), greatest over the run, m."""
    c = np.array([np.abs(gaps(run.chain, q)).sum() for q in run.q])
    far = np.linalg.norm(run.q[:, 6:8], axis=1) - np.linalg.norm(rrr.rose(run.t, radius)[0], axis=1)
    return float(c.max()), float(np.abs(far).max())


def quickest(chain, **words):
    """(seconds, run): of a few runs, the first of which may have compiled something."""
    runs = [simulate(chain, T_END, samples=SAMPLES, **words).check() for _ in range(REPEATS)]
    return min(run.seconds for run in runs), runs[-1]


def report(folder=None):
    """Print the tables; with a folder, draw errors and cost against stiffness there."""
    from ..show.paper import paper

    console = paper()
    ringing, strict = study(False, EXPLICIT), study(False, GREATEST)
    higher, resting = study(False, HIGHER), study(True, IMPLICIT)
    for table in (_table("Closed start, the springs ring, as the source does it: dopri5, rtol 1e-3", ringing, CLAIMED),
                  _table("The same, 1e-3 held by the greatest part of the error", strict, CLAIMED),
                  _table("The same by dop853, rtol 1e-3", higher, CLAIMED),
                  _table(f"Preloaded start, the springs rest: radau5, rtol {IMPLICIT['rtol']:g}", resting),
                  _rigid(), _others()):
        console.print(table)
        console.print()
    for sentence in _sentences(ringing, strict, higher, resting):
        console.print(sentence)
        console.print()
    if folder is not None:
        console.print(f"{_draw(folder, ringing, higher, resting)}: errors and cost against stiffness")


def study(preloaded, words, stiffnesses=tuple(CLAIMED)):
    """{K_s: (seconds, steps, evaluations, e_c, e_p)}."""
    found = {}
    for ks in stiffnesses:
        seconds, run = quickest(rrr_rose("P0", method="mdenoc", ks=ks, preloaded=preloaded), **words)
        found[ks] = (seconds, run.stats["steps"], run.stats["evaluations"], *errors(run))
    return found


def _table(title, found, claimed=None):
    known = claimed or {}
    table = table_of(f"{title}, {T_END:g} s", "K_s, N/m", *(["claimed, s"] if claimed else []), "s", "steps",
                     "evaluations", "sum of gaps, m", "e_c, ln", "e_c, log10", "off the path, m", "e_p, ln",
                     "e_p, log10", *(["another's e_c, e_p"] if claimed else []))
    for ks, (seconds, steps, evaluations, *wrong) in found.items():
        words = [f"{known[ks]:g}"] if claimed else []
        for error in wrong:
            words += [f"{error:.2e}", f"{math.log(error):.2f}", f"{math.log10(error):.2f}"]
        another = [f"{ANOTHER[ks][0]:.2f}, {ANOTHER[ks][1]:.2f}"] if claimed else []
        table.add_row(f"{ks:.0e}", *words[:len(words) - 6], f"{seconds:.4f}", f"{steps}", f"{evaluations}", *words[-6:],
                      *another)
    return table


def _rigid():
    table = table_of(f"Closures held exactly (claimed: about {CLAIMED_RIGID:g} s)", "rtol", "stepper", "s", "steps",
                     "evaluations", "sum of gaps, m", "off the path, m")
    for rtol in (1e-3, 1e-6, 1e-9):
        for stepper in ("dopri5", "dop853", "adams"):
            seconds, run = quickest(rrr_rose("P0"), stepper=stepper, rtol=rtol, atol=1e-3*rtol)
            table.add_row(f"{rtol:.0e}", stepper, f"{seconds:.4f}", f"{run.stats['steps']}",
                          f"{run.stats['evaluations']}", *(f"{error:.1e}" for error in errors(run)))
    return table


def _others(stiffnesses=(None, 1e5, 1e7)):
    table = table_of("The same compiled right-hand side in SciPy, preloaded start", "K_s, N/m", "SciPy", "s",
                     "evaluations", "ours", "s", "evaluations", "ratio of the seconds")
    for ks in stiffnesses:
        chain = rrr_rose("P0") if ks is None else rrr_rose("P0", method="mdenoc", ks=ks, preloaded=True)
        for name, words in OTHERS.items():
            theirs, asked, _ = scipy_run(chain, name, words["rtol"], words["atol"])
            seconds, run = quickest(chain, **words)
            table.add_row("held exactly" if ks is None else f"{ks:.0e}", name, f"{theirs:.3f}", f"{asked}",
                          words["stepper"], f"{seconds:.4f}", f"{run.stats['evaluations']}", f"{theirs/seconds:.0f}")
    return table


def scipy_run(chain, method, rtol, atol):
    """(seconds, evaluations, m off the path) of solve_ivp, which drifts off closures that are held exactly."""
    from scipy.integrate import solve_ivp

    f = right_hand_side(rates.rate(chain.model), handle_of(chain.model, work_of(chain.model), chain.nq))
    y = np.concatenate(chain.start_state())
    f(0.0, y)
    began = time.perf_counter()
    found = solve_ivp(f, (0.0, T_END), y, method, t_eval=np.linspace(0.0, T_END, SAMPLES), rtol=rtol, atol=atol)
    took, far = time.perf_counter() - began, np.linalg.norm(found.y[6:8], axis=0)
    return took, found.nfev, float(np.abs(far - np.linalg.norm(rrr.rose(found.t, RADIUS)[0], axis=1)).max())


def turned(found):
    """Radians of the fastest oscillation of the springs at 1e8 N/m in a step, on average."""
    return FASTEST*T_END/found[1e8][1]


def _sentences(ringing, strict, higher, resting):
    slope = math.log10(resting[1e5][3]/resting[1e7][3])/2
    yield (f"Gaps of the preloaded start go as K_s to the power {-slope:.2f}: what holds the loop, over the stiffness. "
           "The logarithm of the source has no base: its thresholds fit the natural one, its gloss (-5 is a "
           "hundredth of a millimetre) the decadic.")
    yield ("Claimed: errors fall with K_s, to the end. The pair of order 5 damps what turns by 1.00 rad a step or "
           f"less. At 1e8 its steps are {turned(ringing):.2f} rad of the fastest ringing where the root mean square of "
           "the error is held: that grows, what a relative tolerance allows grows with it, and gaps are "
           f"{ringing[1e8][3]:.0e} m. They are {turned(strict):.2f} rad where the greatest part is held, and gaps "
           f"{strict[1e8][3]:.0e} m, {math.exp(ANOTHER[1e8][0]):.0e} m in another program that does so; "
           f"{higher[1e8][3]:.0e} m by order 8.")
    yield ("Claimed: 499 s at 1e8, forty times those at 1e5. The springs' frequencies go with the root of K_s and so "
           f"do explicit steps, {ringing[1e8][1]/ringing[1e5][1]:.0f} times as many; implicit ones take "
           f"{resting[1e8][1]/resting[1e5][1]:.1f} times the steps and {resting[1e8][0]/resting[1e5][0]:.1f} times the "
           "time. Who wants no springs takes closures held exactly: the last table.")


def _draw(folder, ringing, higher, resting):
    from ..describe.writing import write_whole
    from ..show.sheet import Curve, Plot, Sheet
    from ..show.svg import document

    x = np.log10(list(ringing))
    ways = (("closed start, dopri5", ringing), ("dop853", higher), ("preloaded, radau5", resting))
    rows = [[Plot(f"log10 of {what}", "", [Curve(x, np.log10([row[column] for row in found.values()]), name, i)
                                           for i, (name, found) in enumerate(ways)], x_label="log10 of K_s, N/m")]
            for what, column in (("the sum of gaps, m", 3), ("the distance off the path, m", 4), ("the time, s", 0))]
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "rrr.svg")
    write_whole(path, document(Sheet("3RRR robot on virtual springs, three laps of the rose", rows).page()))
    return path
