"""`python -m perf.transfer`: nanoseconds per link and step of chains, ours and global matrices in the same run.

A uniform torsion chain (I = 1, k = 20, c = 1, mean acceleration, T = 0.01 s, a torque on the last link). *ours*: one
chain; *lanes*: as many chains side by side as a length takes, per link and lane; *equal*: lanes of chains that differ
in loads and starts only. The same scheme with global tridiagonal matrices: *tridiagonal*, compiled, factored once, its
loops as lean as we could write them; *cholesky*, SciPy's cho_solve_banded with factors made once; *solveh_banded*,
which factors in every step. Chains that bend are raced alike (bending.py): per element of a beam, *blocks* being the
compiled solver, and *hinged*, per link behind a hinge. Last, an arm of 20 elements, per link and Newton pass; and
whole runs of it with one pass a step: how fast, and the largest error of the tip against a converged run of far smaller
steps.
"""

import sys

import numpy as np
from rich.table import Table

from fastdyn._jit import c_array, float64, int64, kernel, ready
from fastdyn.layout import aligned
from fastdyn.transfer import TorsionChain, arm_run, beam_arm, riccati
from fastdyn.transfer.lanes import build, lanes_for
from fastdyn.transfer.schemes import scheme_of
from fastdyn.transfer.stepping import Course, numbers_of

from . import _timing, bending
from ._timing import console

LENGTHS = (10, 100, 1000, 10_000, 100_000, 1_000_000)
MOST, SLOW = 100_000, 10_000                            # links of SciPy and of beams; elements of SciPy
T, CHECKED = 0.01, 50                                   # s; steps whose result is compared
CHUNK = 4096
SWING, WATCHED, FINE = 4.0, 4e-3, 6.25e-5               # s: of the arm's run, between samples, steps of the exact one
STEPS = (("newmark", 2e-3), ("newmark", 1e-3), ("gen-alpha", 2e-3), ("gen-alpha", 1e-3))
LIMITS = {"ours": 12.0, "lanes": 1.5, "equal": 1.5}                   # ns per link and step
VECTOR = c_array(float64, 1)


@kernel(int64(VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, float64, float64, int64))
def tridiagonal(th, v, a, k, c, inverse, ratio, f, T, steps):
    """Mean acceleration with M a + C v + K th = f, M = 1: rows of L D L' made before; f on the last link."""
    n = len(th)
    for _ in range(steps):
        for j in range(n):
            th[j] += T*v[j] + 0.25*T*T*a[j]
            v[j] += 0.5*T*a[j]
        inner, before = 0.0, 0.0
        for j in range(n):
            tau = k[j]*(th[j] - (th[j - 1] if j else 0.0)) + c[j]*(v[j] - (v[j - 1] if j else 0.0))
            if j:
                a[j - 1] = inner + tau - (ratio[j - 1]*before if j > 1 else 0.0)
                before = a[j - 1]
            inner = -tau
        a[n - 1] = inner + f - (ratio[n - 1]*before if n > 1 else 0.0)
        a[n - 1] *= inverse[n - 1]
        for back in range(n - 1):
            j = n - 2 - back
            a[j] = a[j]*inverse[j] - ratio[j + 1]*a[j + 1]
        for j in range(n):
            th[j] += 0.25*T*T*a[j]
            v[j] += 0.5*T*a[j]
    return 0


class Ours:
    """One chain, or lanes of the same."""

    def __init__(self, n, lanes=1, shared=False):
        chain = TorsionChain(inertia=(1.0,)*n, stiffness=20.0, damping=1.0, loads={n: 1.0})
        course = Course(chain, T, scheme_of("newmark"), "riccati")
        phase = course.scheme.main
        course.enter(phase)
        self.n, self.lanes, self.numbers, self.station = n, lanes, numbers_of(phase), course.station
        if lanes == 1:
            self.state, self.data, self.scratch = course.state, course.data, course.scratch
            self.kernel, shape = ready(riccati.advance2), ()
        else:
            self.state, self.data = self._spread(course.state, lanes), course.data
            if not shared:
                self.data = self._spread(self.data, lanes)
            self.scratch, self.kernel, shape = aligned((3, (n + 1)*lanes)), ready(build(lanes, 2, shared)), (lanes,)
        self.F, self.base = aligned((CHUNK, 1, *shape)), aligned((CHUNK, 2, *shape))
        self.F[:] = T*T
        self.none = np.empty((0, 3, n*lanes))

    @staticmethod
    def _spread(x, lanes):
        wide = aligned((len(x), x.shape[1]*lanes))
        wide[:] = np.repeat(x, lanes, axis=1)
        return wide

    def run(self, steps):
        while steps > 0:
            now = min(steps, CHUNK)
            self.kernel(self.state, self.data, self.numbers, self.F, self.station, self.base, self.scratch, self.none,
                        now, 0, 1)
            steps -= now

    def angles(self):
        """After the steps so far, of the first lane: what p + (the last acceleration taken back) gives."""
        p, v = self.state[0, ::self.lanes][1:], self.state[1, ::self.lanes][1:]
        return p, v


class Global:
    """Global matrices: what all of these share."""

    def __init__(self, n):
        self.n = n
        self.th, self.v, self.a = (aligned((n,)) for _ in range(3))
        self.a[-1] = 1.0
        self.k, self.c = aligned((n,)), aligned((n,))
        self.k[:], self.c[:] = 20.0, 1.0
        kappa = 0.25*T*T*self.k + 0.5*T*self.c
        self.diagonal = 1.0 + kappa + np.append(kappa[1:], 0.0)
        self.beside = -np.append(kappa[1:], 0.0)                       # below the diagonal, by column

    def angles(self):
        """The state as ours: what the next step starts from."""
        return self.th + T*self.v + 0.25*T*T*self.a, T*(self.v + 0.5*T*self.a)


class Compiled(Global):
    def __init__(self, n):
        super().__init__(n)
        self.pivot, self.ratio, self.kernel = self.diagonal.copy(), aligned((n,)), ready(tridiagonal)
        for j in range(1, n):
            self.ratio[j] = self.beside[j - 1]/self.pivot[j - 1]
            self.pivot[j] -= self.ratio[j]*self.beside[j - 1]
        self.inverse = 1.0/self.pivot

    def run(self, steps):
        self.kernel(self.th, self.v, self.a, self.k, self.c, self.inverse, self.ratio, 1.0, T, steps)


class Scipy(Global):
    def __init__(self, n, once):
        from scipy import linalg

        super().__init__(n)
        self.linalg, self.once, self.band = linalg, once, np.array([self.diagonal, self.beside])
        self.factor = linalg.cholesky_banded(self.band, lower=True) if once else None

    def run(self, steps):
        for _ in range(steps):
            self.th += T*self.v + 0.25*T*T*self.a
            self.v += 0.5*T*self.a
            tau = self.k*np.diff(self.th, prepend=0.0) + self.c*np.diff(self.v, prepend=0.0)
            right = np.append(tau[1:], 1.0) - tau
            if self.once:
                self.a = self.linalg.cho_solve_banded((self.factor, True), right, check_finite=False)
            else:
                self.a = self.linalg.solveh_banded(self.band, right, lower=True, check_finite=False)
            self.th += 0.25*T*T*self.a
            self.v += 0.5*T*self.a


class Arm:
    """Steps of an arm with one Newton pass each."""

    def __init__(self, n=20):
        self.n, self.course = n, arm_run.Course(beam_arm(n, EI=100.0), T/10, scheme_of("newmark"), 1)
        self.table = np.repeat(self.course._tables(np.array([0.0, T/10]), 1.0), CHUNK, axis=0)
        self.phase, self.none = self.course.scheme.main, np.empty((0, 3, n + 1))
        self.state = np.ascontiguousarray(self.phase.reduced[0] @ self.course.history)

    def run(self, steps):
        while steps > 0:
            now = min(steps, CHUNK)
            self.course._kernel(self.state, self.phase, T/10, self.table, self.none, now, 0, 1, 1)
            steps -= now


def whole_runs():
    """A record per scheme and step: error of the tip over its length, times real time, of runs with one pass a step."""
    arm = beam_arm(20, EI=100.0)
    tips = lambda T, name, passes: arm.simulate(SWING, T, name, passes, every=round(WATCHED/T))
    exact = arm.tip(tips(FINE, "newmark", None).angles)
    rows = []
    for name, T in STEPS:
        runs = [tips(T, name, 1) for _ in range(5)]
        rows.append({"scheme": name, "dt": T, "error": float(np.max(np.abs(arm.tip(runs[0].angles) - exact))),
                     "times_real_time": SWING/min(run.seconds for run in runs)})
    return rows


def codes_of(n):
    found = {"ours": Ours(n), "tridiagonal": Compiled(n), "lanes": Ours(n, lanes_for(n)),
             "equal": Ours(n, lanes_for(n, shared=True), shared=True)}
    if n <= MOST:
        found |= {"cholesky": Scipy(n, True), "solveh_banded": Scipy(n, False)}
    return found


def race(chain, n, codes, seconds, timings):
    """A record per code: ns per link and step, and how far its state is from ours after some steps."""
    for code in codes.values():
        code.run(CHECKED)
    truth = codes["ours"].angles()
    apart = {name: max(float(np.max(np.abs(x - y))/np.max(np.abs(y))) for x, y in zip(code.angles(), truth))
             for name, code in codes.items() if name != "hinged"}
    took = _timing.measure({name: code.run for name, code in codes.items()}, seconds)
    timings += took.values()
    return [{"chain": chain, "code": name, "n": n, "lanes": getattr(codes[name], "lanes", 1),
             "difference": apart.get(name, 0.0),
             "ns": t.least/(n*getattr(codes[name], "lanes", 1))*1e9,
             "ns_median": t.middle/(n*getattr(codes[name], "lanes", 1))*1e9} for name, t in took.items()]


def main(words=None):
    """Measure, print, write results/transfer.json; the exit code."""
    parser = _timing.arguments(__doc__)
    parser.add_argument("--lengths", nargs="+", type=int, default=LENGTHS)
    asked = parser.parse_args(words)
    with _timing.alone(asked.core) as place:
        watch, timings = _timing.Watch(), []
        figures = [row for n in asked.lengths for row in race("torsion", n, codes_of(n), asked.seconds, timings)]
        bent = [row for n in asked.lengths if n <= MOST
                for row in race("bending", n, bending.codes_of(n, SLOW), asked.seconds, timings)]
        arm = Arm()
        took = _timing.measure({"arm": arm.run}, asked.seconds)["arm"]
        timings.append(took)
        content = {"report": "transfer", "place": place, "contention": watch.report(timings),
                   "machine": _timing.machine(), "figures": figures + bent,
                   "arm_runs": whole_runs(),
                   "arm": {"links": arm.n + 1, "ns": took.least/(arm.n + 1)*1e9,
                           "ns_median": took.middle/(arm.n + 1)*1e9, "times_real_time": T/10/took.least}}
    _timing.save(asked.results, "transfer", content)
    show(content)
    over = [f for f in figures + bent if f["ns"] > LIMITS.get(f["code"], np.inf)]
    return int(asked.strict and bool(over))


def show(content):
    """ns per link and step by code and length; what is over its limit; the largest difference from ours."""
    for chain, unit in (("torsion", "link"), ("bending", "element")):
        figures = [f for f in content["figures"] if f["chain"] == chain]
        table = Table(title=f"{chain}: ns per {unit} and step, minimum (median)")
        names = list(dict.fromkeys(f["code"] for f in figures))
        for word in (f"{unit}s", *names):
            table.add_column(word, justify="right")
        for n in sorted({f["n"] for f in figures}):
            mine = {f["code"]: f for f in figures if f["n"] == n}
            table.add_row(f"{n}", *(_cell(mine.get(name)) for name in names))
        console.print(table)
        largest = max(f["difference"] for f in figures)
        console.print(f"states after {CHECKED} steps differ by at most {largest:.1e} of the largest")
    for name, limit in LIMITS.items():
        worst = max(f["ns"] for f in content["figures"] if f["code"] == name and f["chain"] == "torsion")
        console.print(f"{name}: at most {limit:g} ns wanted, {worst:.2f} found")
    arm = content["arm"]
    console.print(f"arm of {arm['links'] - 1} elements, T = {T/10:g} s: {arm['ns']:.0f} ns per link and pass, "
                  f"{arm['times_real_time']:.0f} times real time")
    for row in content["arm_runs"]:
        console.print(f"its run, {row['scheme']}, T = {row['dt']:g} s, one pass: tip right to {row['error']:.1e} of "
                      f"its length, {row['times_real_time']:.0f} times real time")
    _timing.say_disturbance(content["contention"])


def _cell(figure):
    if figure is None:
        return ""
    mark = " !" if figure["ns"] > LIMITS.get(figure["code"], np.inf) else ""
    return f"{figure['ns']:.2f} ({figure['ns_median']:.2f}){mark}"


if __name__ == "__main__":
    sys.exit(main())
