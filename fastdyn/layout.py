"""The one table of arrays: what a Model is, what a kernel scribbles on, and what every column means.

Allocation, numba signatures, the schema of run files and the page docs/layout.md are read from the annotations below.
A **row** is one step of the recursion. Most joints are one row; a universal joint is two (the first without mass), a
planar free base three. Rows stand in depth-first order, so `parent < row`, and every row knows the **slot** that holds
its running state: a last child uses the slot of its parent, any other row has one of its own.
"""

from typing import NamedTuple

import numpy as np

LANES = 16          # chains side by side in a lane sweep: two vector registers, so that one does not wait for the other
SHORT_LANES = 32    # of short chains, as long as their rows fit the nearer caches (measured: docs/theory/lanes.md)
LONG_LANES = 8      # of long chains, whose rows fit none, and of ball joints, which keep a core busy by themselves
SHORT = 2500        # numbers of Work.row a lane up to which a chain is short
LONG_IN_SPACE, LONG_IN_PLANE = 4000, 100_000        # from which it is long
WIDE = 30           # columns of Work.row: of a ball joint


class Array(NamedTuple):
    """One array of the table: element type, shape (names are counts, numbers are fixed), unit, meaning."""

    dtype: type
    shape: tuple[int | str, ...]
    unit: str
    meaning: str


def f8(*shape: int | str, unit: str = "", meaning: str = "") -> Array:
    return Array(np.float64, shape, unit, meaning)


def i8(*shape: int | str, meaning: str = "") -> Array:
    return Array(np.int64, shape, "", meaning)


# Model.row columns
STEP, PARENT, Q_AT, V_AT, SLOT, SHARES, TIP, LINK, BEAM_AT = range(9)
ROW = 9

# what STEP can say: the joint as the recursion sees it, in the row frames of docs/theory/recursion.md. A screw is
# square with its axis across its parent's, level with both parallel; along: a planar joint, arm on the parent's x.
SCREW, SQUARE, LEVEL, REVOLUTE, PRISMATIC, SPHERICAL, TURNED_SPHERICAL, FREE, FIXED = range(9)
PLANE_REVOLUTE, PLANE_ALONG, PLANE_PRISMATIC, PLANE_FIXED = range(9, 13)
PLANE_BEAM = 13     # and more: a beam with STEP - PLANE_BEAM modes, from the frame at its root to that at its tip
STRETCHING = 1_000_000  # more: a beam whose modes may also stretch it, with STEP - PLANE_BEAM - STRETCHING modes

# Model.body columns, in space: (link frame is the row frame)
TURN, ARM, MASS, MOMENT, INERTIA, FLOOR = 0, 9, 12, 13, 16, 22
BODY = 24
# and in the plane
PLANE_ARM, PLANE_MASS, PLANE_MOMENT, PLANE_INERTIA, PLANE_AXIS, PLANE_FLOOR = 0, 2, 3, 5, 6, 8
PLANE_BODY = 9

# Model.beam, from BEAM_AT of its row on: numbers of the straight beam, then of its m modes (docs/theory/elastic.md):
# vectors a, c, S, W(l), then matrices C, that of the section's spin added, K, D, the part of D that is the air's; where
# modes stretch it also vectors b, d, U(l) and the matrix B
BEAM_MASS, BEAM_MOMENT, BEAM_INERTIA, BEAM_LENGTH, BEAM_X, BEAM_Y, BEAM_MODES = range(7)
BEAM_VECTORS, BEAM_MATRICES, STRETCH_VECTORS = 4, 5, 3

# Model.base columns
GRAVITY, BASE_TURN, IN_PLANE = 0, 3, 12
BASE = 13

# Model.spring columns
STIFFNESS, DAMPING, REST, LOWER, UPPER, LIMIT_STIFFNESS, LIMIT_DAMPING, DRIVE = range(8)
SPRING = 8

# Model.load columns
LOAD_ROW, LOAD_WORLD, LOAD_SIGNAL, LOAD_AT, LOAD_FORCE, LOAD_MOMENT = 0, 1, 2, 3, 6, 9
LOAD = 12

# Model.contact columns: a point of a row and a ground it may touch
(CONTACT_ROW, CONTACT_AT, CONTACT_NORMAL, CONTACT_LEVEL, CONTACT_LAW, CONTACT_NUMBERS, CONTACT_FRICTION,
 CONTACT_FRICTION_NUMBERS) = 0, 1, 4, 7, 8, 9, 14, 15
CONTACT = 20

# Model.closure columns: a gap, one number that a closure keeps at zero, between place a and place b. ALONG: b less a
# along a direction, fixed in a's row or in the world; ACROSS: cosine of a direction of a with one of b; SEPARATION:
# distance less a length. Stiffness is infinite where forces keep it, and these rows come first. A gap is small when
# it is small beside its scale: 1 of angles, else a length of its loop.
(GAP_KIND, GAP_OF, GAP_ROW_A, GAP_ROW_B, GAP_FIXED, GAP_AT_A, GAP_AT_B, GAP_ON_A, GAP_ON_B, GAP_LENGTH, GAP_STIFFNESS,
 GAP_DAMPING, GAP_SCALE) = 0, 1, 2, 3, 4, 5, 8, 11, 14, 17, 18, 19, 20
CLOSURE = 21
ALONG, ACROSS, SEPARATION = range(3)

# Model.web: where the parts of Work.loop start and end; of each velocity the one before it on the way to the base, and
# where its way starts in the mass matrix, with the end; of each gap held exactly its numbers; of many gaps their order
# in J M^-1 J', the first column of each row there, and where a row would have its column 0
(WEB_BODIES, WEB_M, WEB_J, WEB_Y, WEB_S, WEB_L, WEB_G, WEB_ROWS, WEB_LISTS, WEB_END) = range(10)
WEB_HEAD = 10
WEB_AT, WEB_ON_A, WEB_ON_B, WEB_WAY_A, WEB_WAY_B, WEB_BOTH = range(6)
WEB_GAP = 6
DENSE_GAPS = 24     # up to which J M^-1 J' is a square
LISTS = 7           # numbers of Work.loop a gap besides matrices

# how a point sticks that touches under a law that jumps at rest: Work.grip holds GRIPPED of them at most
GRIPPED = 24

# the state of a run: q, v, for each contact the speed it began with (0: not touching), in a plane with laws of friction
# that jump at rest for each contact the mode it is in (formulations/sticking.py) and whether it crept once, then what
# contacts gave since the start: the impulse of each, its work, the impulse of its friction; then work done on the chain
KEPT_OF_STICKY = 3          # numbers of a contact before those it gave: speed, mode, whether it crept
GIVEN = 3
AIR, STRUCTURE, JOINTS, GROUND, FRICTION, INPUT = range(6)
WORKS = 6

# Model.signal columns, and what SIGNAL_KIND can say
SIGNAL_KIND, SIGNAL_A, SIGNAL_B, SIGNAL_C, SIGNAL_D = range(5)
SIGNAL = 5
CONSTANT, SINE, TABLE, FOURIER, PIECES, CALLED, LAW = range(7)


class Model(NamedTuple):
    """What the system is. Written by describe.compile, read by kernels."""

    row: i8("rows", ROW, meaning="step kind, parent row (-1: base), first q, first v, slot, whether it is the "
            "parent's, whether nothing hangs on it, link, where the numbers of its beam start")
    body: f8("rows", "columns", unit="1, m, kg, kg m, kg m^2",
             meaning="in space: turn (9, row frame to parent's at joint zero), arm (3, parent origin to joint, "
             "parent frame), mass, first moment (3), inertia about the joint (6), floor of the pivot (2: of "
             "turns, of slides); in the plane: arm (2), mass, first moment (2), inertia, axis (2), floor of "
             "the pivot")
    beam: f8("beam_numbers", unit="kg, kg m, kg m^2, m, 1, ...",
             meaning="of each elastic row: mass, first moment, inertia about the root, length, direction (2, row frame "
             "of the root), then for its modes a, c, S, W at the tip, C, C with the section's spin, K, D, D of the air "
             "and, where they stretch it b, d, U at the tip, B")
    frame: f8("rows", 9, unit="1", meaning="turns row-frame components into link-frame components")
    spring: f8("nv", SPRING, unit="N m/rad | N/m, ...",
               meaning="stiffness, damping, rest, lower, upper, limit stiffness, limit damping, drive (signal or -1)")
    load: f8("loads", LOAD, unit="1, m, N, N m",
             meaning="row, world axes (1) or link axes (0), signal, point (3, row frame), force (3), moment (3)")
    contact: f8("contacts", CONTACT, unit="1, m, N/m^exponent, ...",
                meaning="row, point (3, row frame), normal of the ground (3, world), level of the ground along it, "
                "normal law, its numbers (5), friction law, its numbers (5)")
    closure: f8("gaps", CLOSURE, unit="1, m, N/m, ...",
                meaning="kind of the gap, closure, row of a, of b (-1: base), whether the direction is fixed in a's "
                "row, place a (3, row frame), place b (3), direction at a (3), at b (3), length, stiffness (infinite: "
                "held exactly), damping, scale: what it is measured by")
    web: i8("threads", meaning="of closures held exactly: which velocities are on the way to the base from each, which "
            "of them a gap feels, and the order of many gaps; see describe/web.py")
    signal: f8("signals", SIGNAL, meaning="kind, then: value | offset amplitude omega phase | first table row, count | "
               "offset, omega, first table row, count | cells a second, first table row, cells a lap, rows a cell | "
               "address of a C function | the same, where q and v of its joint start")
    table: f8("knots", 2, unit="s, 1", meaning="time, value; of a Fourier series cosine, sine; of polynomials "
              "coefficients of even, of odd powers")
    base: f8(BASE, unit="m/s^2, 1",
             meaning="acceleration of free fall (3, base row frame), turn (9, base row frame to world), 1 if planar")


class Work(NamedTuple):
    """Scratch of the sweeps, flat: number c of row i in lane k stands at (i*columns + c)*lanes + k."""

    row: f8("row_work", meaning="what the passes hand to each other")
    beam: f8("beam_work", meaning="what the passes hand to each other about modes, from BEAM_AT of a row on")
    slot: f8("slot_work", meaning="running states: articulated inertia J H M and bias n f, then accelerations")
    torque: f8("torques", unit="N m | N", meaning="generalized forces in use: the caller's, springs, dampers, drives")
    wrench: f8("wrenches", unit="N m, N", meaning="outer moment about the joint and force on each row, row frame")
    trouble: f8("lanes", meaning="1 + the row whose inertia is not safely positive, 0 without trouble")
    pose: f8("poses", unit="1, m", meaning="turn of the row frame to world (9), its origin in the world (3), each row")
    motion: f8("motions", unit="1, m, rad/s, m/s", meaning="of each row, see row_motion.py")
    log: f8("log_numbers", meaning="a line for each point that touches after each step, see LOG columns")
    loop: f8("loop_numbers", meaning="of closures that are held exactly, see formulations/loops.py")
    grip: f8("grip_numbers", meaning="of points that stick to a ground, see formulations/sticking.py")
    dense: f8("dense", meaning="matrices of the formulations that build them, as each page says")
    note: i8(4, meaning="whether wrenches act; after trouble the row it is in, and the state of a batch; lines in the "
             "log")


class Stepping(NamedTuple):
    """The state of a stepper, whole: with a copy of it and of the chain's own switches a run goes on where it was."""

    setting: f8("settings", meaning="tolerances, limits and rules of the step size, end of the run, number of "
                "components whose error counts, share of the tolerance while something touches")
    clock: f8("clocks", unit="s, 1", meaning="time, start of the last step, its size, the next one, one the method "
              "wants, log2 of the last error, length of the windows in which switches are counted, by how much more "
              "than usual an error counts, at most, and how fast rounding goes through what is allowed; of a step "
              "that is being looked into: from where on, how wide the next piece is, is at least, the last that showed "
              "all was; its size or 0, error, size if no stop cut it, and the time it must not pass")
    count: i8("counts", meaning="steps, rejections, evaluations, and what a multistep method remembers in integers")
    atol: f8("padded", meaning="absolute tolerance of every component; padding: 1")
    y: f8("padded", meaning="state at the time of the clock")
    rate: f8("padded", meaning="its rate there")
    new: f8("padded", meaning="state at the end of the step that is tried")
    look: f8("padded", meaning="state at a place inside a step")
    stage: f8("stages", meaning="rates at the stages, or the past of a multistep method, as its page says")
    dense: f8("polynomials", meaning="the last step as a function of its fraction, as its page says")
    matrix: f8("matrices", meaning="Jacobian and factors of implicit methods, steps and weights of multistep methods")
    pivot: i8("pivots", meaning="exchanges of rows in the factors")
    gap: f8("gaps", meaning="switching functions: a row per node of a step and one more, then where each crosses zero, "
            "in which direction, when it last changed something, from when its switches are counted, how many, until "
            "when it comes back, how far from zero it was since it was only logged, where it went then, how far from "
            "zero when it should have been beyond, what rounding does to it, did in the last step that was asked, at "
            "one of its places, one more row, and just behind the earliest crossing of a step")
    side: i8("switches", meaning="side of zero each switching function is on: 1, -1, or 0 where nobody watches")
    watch: i8("switches", meaning="direction that counts: 1 rising, -1 falling, 0 both, 2 both of a gap")


class Tape(NamedTuple):
    """What a run leaves until somebody empties it."""

    time: f8("samples", unit="s", meaning="time of every stored state")
    state: f8("samples", "components", meaning="the states")
    wanted: f8("wanted", unit="s", meaning="times asked for, ascending")
    happened: f8("events", unit="s", meaning="time of every event")
    what: i8("events", 2, meaning="switching function and direction (-1, 1; 2: brought to rest)")
    stop: f8("stops", unit="s", meaning="times at which steps end, ascending: where the rate is known to bend")


# Stepping.setting
(RTOL, H_MIN, H_MAX, H_FIRST, SAFETY, SHRINK, GROW, DAMP, ERROR_ORDER, METHOD_ORDER, EVENT_TOL, CAPTURE, T_END,
 STEPS_MOST, PAUSE, SWITCHES_MOST, EVERY, NEWTON_TOL, SPECTRAL, ORDER_MOST, POLICY, COUNTED, CONTACT_SHARE) = range(23)
SETTINGS = 24

# Stepping.clock
(TIME, TIME_OLD, STEP_TAKEN, STEP_NEXT, SUGGESTED, LOG_ERROR, WINDOW, TIGHTER, TIGHTEST, ROUNDING,
 SEARCHED, PIECE, LEAST_PIECE, SEEN, TRIED, TRIED_ERROR, TRIED_MEANT, TRIED_END) = range(18)
CLOCKS = 18

# Stepping.count: what is counted, then what the conversation remembers, then what methods remember for themselves
(STEPS, REJECTED, RATES, JACOBIANS, FACTORINGS, ITERATIONS, EVENTS, STARTED, SAMPLE, ROWS, HAPPENED, MET, WORD,
 UNSTORED, KEPT, PUT_BACK, ABOUT, LOOKS, OWN) = range(19)
COUNTS = 34

WIDTH = 8   # components in a vector register; states are padded with zeros to multiples of it
NODES = 7   # places in a step where switching functions are looked at
(LOOSE, CROSSED, HEADING, FIRED, SINCE, OFTEN, BACK, FARTHEST, LAST, UNSURE, ROUGH, NOISE,
 HERE, BESIDE, BY_THEN, GAP_ROWS) = range(NODES, NODES + 16)             # the rows behind them

UNCHANGED, CHANGED, HALT, HELD, FAILED = range(5)           # what a switch or an action may answer; switches besides:
BENT, CLOSED, OPENED, NOTED, GRIPS = range(5, 10)           # the rate has a kink; changed: something touches, nothing;
                                                            # a moment to be recorded, nothing else; as BENT, but it is
                                                            # to be told, by RESTED, when that is too often
RESTED = 2                                                  # direction of a switch: bring to rest
GAP = 2                                                     # direction that counts for a gap: it touches, it parts
JUDGED = 2                                                  # side a switch may give its function: where it goes now

# Work.note entries
ACTING, TROUBLED, STATE, LOGGED = 0, 1, 2, 3

# Work.motion of a row, and Work.log of a point that touches
MOTION = 12
(LOG_TIME, LOG_CONTACT, LOG_DEPTH, LOG_RATE, LOG_NORMAL, LOG_SLOPE, LOG_SLIP, LOG_FRICTION,
 LOG_IMPULSE, LOG_WORK, LOG_RUBBED) = range(11)
LOG = 11


# Work.beam: turn of the tip, its deflection and rate; for each mode the wrench at the root that its acceleration takes
# (moment, force), the same solved, and its own acceleration; then the factors of the modes' matrix; where modes stretch
# the beam also how much longer it is, and the rate
BEND, DEFLECTION, DEFLECTION_RATE, MODE_WRENCH = range(4)

# Work.row columns in the plane, behind cos and sin of a turning joint or the place of a sliding one
P_OMEGA, P_K, P_X, P_L = 2, 3, 5, 6
PLANE_WORK = 8

SLOT_SIZE, PLANE_SLOT_SIZE = 27, 9
ALIGN = 64  # bytes

KEEP_MATRIX = {REVOLUTE, SPHERICAL, TURNED_SPHERICAL, FREE}  # steps that keep a whole matrix E
KEEP_FACTORS = {SPHERICAL, TURNED_SPHERICAL}                 # and the factors of J


class Columns(NamedTuple):
    """Columns of a row of Work in space, behind the turn E (a screw keeps cos and sin of it, a slide its place)."""

    omega: int
    g: int
    pivot: int
    width: int


def work_columns(steps) -> Columns:
    """No wider than the joints in `steps` need: what a row takes in memory is what long chains wait for."""
    turn = 9 if KEEP_MATRIX & set(steps) else 3
    return Columns(turn, turn + 3, turn + 6, turn + 6 + (18 if KEEP_FACTORS & set(steps) else 6))


def allocate(kind: type, **counts: int):
    """A zeroed `Model` or `Work` with the given counts."""
    return kind(*(aligned(shape_of(a, counts), a.dtype) for a in kind.__annotations__.values()))


def aligned(shape, dtype=np.float64) -> np.ndarray:
    """Zeros that start on a vector register's boundary: lane sweeps read a fifth faster there, with the same bits."""
    count = int(np.prod(shape))*np.dtype(dtype).itemsize
    memory = np.zeros(count + ALIGN, np.uint8)
    start = -memory.ctypes.data % ALIGN
    return memory[start:start + count].view(dtype).reshape(shape)


def work_of(model: Model, lanes: int = 1, dense: int = 0, log: int = 0, grip: int = 0) -> Work:
    """Scratch for `model`: of sweeps over `lanes` chains side by side, `dense` numbers for matrices, `log` lines.

    grip: numbers for points that stick.
    """
    n, slots = len(model.row), int(model.row[:, SLOT].max()) + 1
    slot = PLANE_SLOT_SIZE if in_plane(model) else SLOT_SIZE
    return allocate(Work, row_work=n*row_width(model)*lanes, beam_work=len(model.beam)*lanes,
                    torques=len(model.spring)*lanes, wrenches=n*6*lanes, slot_work=slots*slot*lanes, lanes=lanes,
                    poses=12*n, motions=MOTION*n, log_numbers=LOG*log, dense=dense, grip_numbers=grip,
                    loop_numbers=int(model.web[WEB_END]) if len(model.web) else 0)


def lanes_for(model: Model) -> int:
    """How many chains a lane sweep takes side by side; the answers have the same bits with any number."""
    numbers = len(model.row)*row_width(model) + 2*len(model.beam)
    long = LONG_IN_PLANE if in_plane(model) else LONG_IN_SPACE
    if row_width(model) >= WIDE:
        return LONG_LANES
    return SHORT_LANES if numbers <= SHORT else LANES if numbers < long else LONG_LANES


def row_width(model: Model) -> int:
    """Columns of a row of Work."""
    return PLANE_WORK if in_plane(model) else work_columns(model.row[:, STEP].tolist()).width


def held_exactly(model: Model) -> int:
    """Number of gaps that forces keep at zero."""
    return int(np.count_nonzero(np.isinf(model.closure[:, GAP_STIFFNESS])))


def beam_size(modes: int, stretches: bool = False) -> int:
    """Numbers of Model.beam a row, no fewer than its passes need of Work.beam."""
    size = BEAM_MODES + BEAM_VECTORS*modes + BEAM_MATRICES*modes*modes
    return size + STRETCH_VECTORS*modes + modes*modes if stretches else size


def in_plane(model: Model) -> bool:
    """Whether the arrays are those of a chain in the plane."""
    return bool(model.base[IN_PLANE] == 1.0)


def shape_of(array: Array, counts: dict[str, int]) -> tuple[int, ...]:
    return tuple(counts[d] if isinstance(d, str) else d for d in array.shape)


def table_of(kind: type) -> list[tuple[str, Array]]:
    """The rows of the table for `kind`, as the docs page and the run file read them."""
    return list(kind.__annotations__.items())
