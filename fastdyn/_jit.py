"""The one door to Numba: leaves (inlined functions of values) and kernels (compiled under one signature, cached)."""

from numba import njit

leaf = njit(forceinline=True, error_model="numpy")
