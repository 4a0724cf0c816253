"""What a kernel may answer, the sentence each answer means, and the two errors users meet."""

OK = 0
SINGULAR_INERTIA = 1
NOT_FINITE = 2
STEP_TOO_SMALL = 3
TOO_MANY_STEPS = 4
NEWTON_FAILED = 5
CHATTER = 6
OUT_OF_TIME = 7
INTERRUPTED = 8
DRIVE_FAILED = 9
STOPPED = 10            # by an event that ends the run
NOT_SECOND_ORDER = 11
EVENT_FAILED = 12
AT_REST = 13            # by an event that came to rest
PROGRESS_FAILED = 14
ACTION_FAILED = 15
GROWN = 16
OFF_PLANE = 17
SIGNAL_FAILED = 18
RATE_FAILED = 19
LET_GO = 20
DIGITS_LOST = 21
UNFINISHED = 50         # of a run that is read from what a process left that did not live to its end
MEASURE_FAILED = 51     # of a point of a sweep, whose run may have been well
REFUSED = 52
BROKEN = 53
WORKER_LOST = 54
NOT_YET = 55
TAPE_FULL = 100         # words of the conversation with a stepper, not of a run
PAUSED = 101
NOT_SMOOTH = 102        # a step that is good, but not what its method says of its inside

SENTENCE = {
    OK: "done",
    SINGULAR_INERTIA: "the inertia that joint has to move is not safely positive: give the outer links mass and "
    "inertia about every axis the joint can turn or slide",
    NOT_FINITE: "a number is not finite: look for NaN or infinity in the state, the loads or the torques",
    STEP_TOO_SMALL: "the step had to become smaller than the smallest one allowed, h_min or what the clock can tell "
    "apart: loosen rtol and atol, lower h_min, start nearer to t = 0, take an implicit stepper if something is very "
    "stiff, and look for speeds that nobody means",
    TOO_MANY_STEPS: "the number of steps reached max_steps: raise it, loosen the tolerance or take a stiff stepper",
    NEWTON_FAILED: "Newton's iteration did not converge even with the smallest step: check the forces for jumps",
    CHATTER: "more switches than max_switches within a five-hundredth of the run: raise it, or tighten rtol and atol; "
    "an event whose action bounces a body ever faster may bring it to rest with a capture interval",
    OUT_OF_TIME: "the clock on the wall reached max_seconds; what was computed so far is kept",
    INTERRUPTED: "interrupted, from the keyboard or by a signal; what was computed so far is kept",
    DRIVE_FAILED: "the drive raised an exception; what was computed so far is kept",
    OFF_PLANE: "the drive's wrench leaves the plane z = 0, in which this chain is computed: let it give forces along x "
    "and y and moments about z, or take Chain(..., space=\"space\")",
    SIGNAL_FAILED: "the function of a signal raised an exception or gave no number; what was computed so far is kept",
    STOPPED: "an event ended the run",
    UNFINISHED: "the run was cut off before its end; what had reached the disk until then is kept",
    NOT_SECOND_ORDER: "this stepper needs velocities that are the rates of the coordinates, which those of ball joints "
    "and floating bases are not: take radau5",
    EVENT_FAILED: "the function raised an exception or gave no finite number; what was computed so far is kept",
    AT_REST: "what fired again within the capture interval came to rest",
    ACTION_FAILED: "the action raised an exception, gave an answer that means nothing, or left a number that is not "
    "finite or a quaternion of no length; the state before it is kept",
    GROWN: "the motion holds far more energy than loads and bases can have brought in, so the scheme made it grow: ask "
    "the system's audit(dt, scheme) for the largest step, take a smaller dt, the scheme gen-alpha or the form riccati",
    DIGITS_LOST: "plain products of transfer matrices have lost their digits, and a smaller dt loses more: take "
    'form="riccati"',
    LET_GO: "forces do not hold what they should: closures contradict each other, or masses or lengths of this loop "
    'are too far apart for one gap to be told from the others; take closures="minimal", make its light links heavier, '
    "leave out what says nothing new, or give it stiffness",
    RATE_FAILED: "the rate raised an exception; what was computed so far is kept",
    PROGRESS_FAILED: "the function given as progress raised an exception; what was computed so far is kept",
    MEASURE_FAILED: "the function given as measure raised an exception, or gave what is no number",
    REFUSED: "the system, or a setting of its run, cannot be so",
    BROKEN: "an exception that nobody expected",
    WORKER_LOST: "the process that computed this point alone was lost: killed, or out of memory",
    NOT_YET: "not computed yet: the same sweep, or `fastdyn resume` of its folder, goes on",
}


class ModelError(ValueError):
    """A model, a file or an argument that cannot be right; the sentence names the place and what would help."""


class SimulationError(RuntimeError):
    """A kernel stopped with a status other than OK; `status` holds it."""

    def __init__(self, status: int, where: str = ""):
        self.status = status
        super().__init__((where + ": " if where else "") + SENTENCE[status])
