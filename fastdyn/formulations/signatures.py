"""What every formulation answers to: the numba signatures of the questions, read from the table of arrays."""

from .._jit import c_array, float64, int64, typeof
from ..layout import Model, Work, allocate

MODEL = typeof(allocate(Model, rows=1, columns=1, beam_numbers=1, nv=1, loads=1, contacts=1, gaps=1,
                       signals=1, knots=1, threads=1))
WORK = typeof(allocate(Work, row_work=1, beam_work=1, slot_work=1, torques=1, wrenches=1, lanes=1, poses=1,
                       motions=1, log_numbers=1, loop_numbers=1, grip_numbers=1, dense=1))
VECTOR = c_array(float64, 1)
MATRIX = c_array(float64, 2)

FORWARD = int64(MODEL, WORK, VECTOR, VECTOR, VECTOR, VECTOR)  # (model, work, q, v, torque, acc out) -> status
INVERSE = int64(MODEL, WORK, VECTOR, VECTOR, VECTOR, VECTOR)  # (model, work, q, v, acc, torque out) -> status
BATCH = int64(MODEL, WORK, WORK, float64, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX)
MASS = int64(MODEL, WORK, VECTOR, MATRIX)                     # (model, work, q, M out) -> status
