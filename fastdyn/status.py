"""What a kernel may answer, the sentence each answer means, and the two errors users meet."""

OK = 0
SINGULAR_INERTIA = 1
NOT_FINITE = 2

SENTENCE = {
    OK: "done",
    SINGULAR_INERTIA: "the inertia that joint has to move is not safely positive: give the outer links mass and "
    "inertia about every axis the joint can turn or slide",
    NOT_FINITE: "a number is not finite: look for NaN or infinity in the state, the loads or the torques",
}


class ModelError(ValueError):
    """A model, a file or an argument that cannot be right; the sentence names the place and what would help."""


class SimulationError(RuntimeError):
    """A kernel stopped with a status other than OK; `status` holds it."""

    def __init__(self, status: int, where: str = ""):
        self.status = status
        super().__init__((where + ": " if where else "") + SENTENCE[status])
