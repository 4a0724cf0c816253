"""Production road: z'' of an arm link by link, modes and joints eliminated from the tip inward, O(n).

The frame of a link whose turns are linear in the modes is affine, so what is beyond a frame answers twelve numbers,
the columns (x, y, z, 1) of the acceleration of its transform: M A + p, A at 3 i + r for column i and world axis r.
Derivation: docs/theory/spatial_flexible.md.
"""

from .._address import shifted
from .._jit import leaf, sweep
from ..algebra.dense import PIVOT_FLOOR
from ..status import NOT_FINITE, OK, SINGULAR_INERTIA
from .beside import below, finite, terms_of
from .homogeneous import by_transposed, times
from .layout import (
    BETA, CHAIN_MODES, DAMPER, EXACT, FAR, FIRST, FORCE, HDD, J_COLUMNS, J_END, J_PIVOT, J_ROW,
    J_TURN, JOINT_C, JOINT_K, MODES, MOTOR, PHI, PROXIMAL, PSI, ROTOR, SEAT, STIFF, TURN, WDD, WIDE, E, N,
    W)
from .modal_sums import modal_sums
from .rows import four_less, gathered, gathered_last, joined, less, moved, six_joined, stride_of, turned_rows
from .section import turning
from .view import chain_of, frame_of, link_of, pose_of

BIAS = 12                                                   # column of p in the rows of M
ROW = WIDE


@sweep
def inward(a, q, v):
    """From the tip inward; forces on the coordinates stand in work.force. A status."""
    n, M = a.links, a.affine
    for i in range(12*ROW):
        M[i] = 0.0
    status, beyond = OK, False
    for k in range(n - 1, -1, -1):
        link, frame, X, here = link_of(a, k), frame_of(a, k), pose_of(a, k), chain_of(a, k)
        heavy = frame[FAR + 15] > 0.0
        if heavy:
            far_body(a, k, M)
        if link[MODES] > 0:
            modal_sums(a, k, q, v)
            pull_modes(a, k, q, v)
        if k + 1 < n or heavy:
            seats(a, k, here)
        if beyond or heavy:
            if link[MODES] > 0:
                end_joins(a, k, M, here)
            through(shifted(here, J_END), M)
        by_transposed(frame, PROXIMAL, X, WDD, 1.0, X, PHI)
        for i in range(4):
            for j in range(4):
                t = X[PSI + 4*i + j] + frame[PROXIMAL + 4*i + j]
                X[PSI + 4*i + j] = t
                for r in range(3):
                    M[(3*i + r)*ROW + 3*j + r] += t
            for r in range(3):
                M[(3*i + r)*ROW + BIAS] += X[PHI + 3*i + r]
        if link[MODES] > 0 and not without_modes(link[MODES], stride_of(link[MODES]), modes_rows(link, here), M,
                                                 a.share):
            status = SINGULAR_INERTIA
        if not joint(a, k, q, v, M, here):
            status = SINGULAR_INERTIA
        beyond = True
    return status


@leaf
def modes_rows(link, here):
    """Where the modes' rows start"""
    return shifted(here, CHAIN_MODES + 6*stride_of(link[MODES]))


@sweep
def far_body(a, k, M):
    """The bodies at the end of link k, in the seat of the next joint, into M"""
    frame, X, one, D = frame_of(a, k), pose_of(a, k), a.column, a.spare
    if k + 1 < a.links:
        times(X, HDD, frame_of(a, k + 1), SEAT, 1.0, D, 0, 1.0, 0.0)
    else:
        for i in range(12):
            D[i] = X[HDD + i]
    by_transposed(frame, FAR, D, 0, 0.0, one, 0)
    for i in range(4):
        for r in range(3):
            M[(3*i + r)*ROW + BIAS] += one[3*i + r]
            for j in range(4):
                M[(3*i + r)*ROW + 3*j + r] += frame[FAR + 4*i + j]


@sweep
def pull_modes(a, k, q, v):
    """Stiffness, damping and outer forces join the modes' bias."""
    link, chain, beta = link_of(a, k), chain_of(a, k), frame_of(a, k)[BETA]
    n, first, m, rows = link[MODES], link[FIRST], stride_of(link[MODES]), modes_rows(link, chain)
    for f in range(n):
        t = -a.force[first + f]
        for l in range(n):
            t += a.stiffness[link[STIFF] + n*f + l]*(q[first + l] + beta*v[first + l])
        rows[f*(m + ROW) + m + BIAS] += t


@sweep
def seats(a, k, here):
    """E T' of the next seat, and the six ways B the end of link k moves by its modes, seen from that seat."""
    link, X, D, n = link_of(a, k), pose_of(a, k), a.spare, a.links
    last = k + 1 == n
    if last:
        for i in range(12):
            here[J_END + i] = X[E + i]
    else:
        times(X, E, frame_of(a, k + 1), SEAT, 1.0, D, 0, 1.0, 0.0)
        for i in range(12):
            here[J_END + i] = D[i]
    if link[MODES] == 0:
        return
    phi, exact = (X[N], X[N + 1], X[N + 2]), link[EXACT] == 1
    t = terms_of(exact, phi)
    for c in range(3):
        e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        o = J_COLUMNS + 12*c
        for j in range(3):
            u = turning(exact, t, phi, e, (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0))
            for r in range(3):
                here[o + 3*j + r] = X[W + 4*r]*u[0] + X[W + 4*r + 1]*u[1] + X[W + 4*r + 2]*u[2]
        for r in range(3):
            here[o + 9 + r] = 0.0
        if not last:
            T = frame_of(a, k + 1)
            for r in range(3):
                x, y, z = here[o + r], here[o + 3 + r], here[o + 6 + r]
                for j in range(4):
                    here[o + 3*j + r] = x*T[SEAT + j] + y*T[SEAT + 4 + j] + z*T[SEAT + 8 + j]
        o = J_COLUMNS + 36 + 12*c
        for j in range(9):
            here[o + j] = 0.0
        for r in range(3):
            here[o + 9 + r] = X[W + 4*r + c]


@sweep
def end_joins(a, k, M, here):
    """What is beyond the end, into the modes' rows: coupling (E T') M B e, matrix e' B' M B e, bias e' B' p."""
    link, U = link_of(a, k), shifted(a.affine, 12*ROW)
    n, m, B, e = link[MODES], stride_of(link[MODES]), shifted(here, J_COLUMNS), shifted(here, CHAIN_MODES)
    rows, Z = modes_rows(link, here), a.spare
    for c in range(6):
        if c < 3:
            gathered(shifted(B, 12*c), M, shifted(U, c*ROW))
        else:
            gathered_last(shifted(B, 12*c), M, shifted(U, c*ROW))
    for c in range(6):
        for d in range(c + 1):
            t = 0.0
            for i in range(0 if c < 3 else 9, 12):
                t += B[12*c + i]*U[d*ROW + i]
            Z[6*c + d] = Z[6*d + c] = t
    T = shifted(here, J_END)
    for c in range(6):
        for r in range(3):
            o = c*ROW + r
            x, y, z, w = U[o], U[o + 3], U[o + 6], U[o + 9]
            U[o] = T[0]*x + T[1]*y + T[2]*z + T[3]*w
            U[o + 3] = T[4]*x + T[5]*y + T[6]*z + T[7]*w
            U[o + 6] = T[8]*x + T[9]*y + T[10]*z + T[11]*w
    for f in range(n):
        row, own = shifted(rows, f*(m + ROW)), (e[f], e[m + f], e[2*m + f], e[3*m + f], e[4*m + f], e[5*m + f])
        six_joined(ROW, own, U, ROW, shifted(row, m))
        six_joined(m, (of_six(Z, 0, own), of_six(Z, 6, own), of_six(Z, 12, own), of_six(Z, 18, own),
                       of_six(Z, 24, own), of_six(Z, 30, own)), e, m, row)


@leaf
def of_six(Z, i, e): return Z[i]*e[0] + Z[i + 1]*e[1] + Z[i + 2]*e[2] + Z[i + 3]*e[3] + Z[i + 4]*e[4] + Z[i + 5]*e[5]


@sweep
def through(T, M):
    """M to T M T', p to T p"""
    for r in range(3):
        moved(ROW, T, shifted(M, r*ROW), shifted(M, (3 + r)*ROW), shifted(M, (6 + r)*ROW), shifted(M, (9 + r)*ROW))
    transposed(M)
    for r in range(3):
        moved(BIAS, T, shifted(M, r*ROW), shifted(M, (3 + r)*ROW), shifted(M, (6 + r)*ROW), shifted(M, (9 + r)*ROW))


@sweep
def transposed(M):
    """The 12x12 part"""
    for i in range(12):
        for j in range(i):
            M[i*ROW + j], M[j*ROW + i] = M[j*ROW + i], M[i*ROW + j]


@sweep
def without_modes(n, m, rows, M, inverse):
    """Modes' rows reduced, the modes taken out of M and p; False where a pivot is rounding."""
    width, safe = m + ROW, True
    for f in range(n):
        row = shifted(rows, f*width)
        whole, l = row[f], 0
        while l + 4 <= f:
            x = shifted(rows, l*width)
            four_less(width, x[f]*inverse[l], x[width + f]*inverse[l + 1], x[2*width + f]*inverse[l + 2],
                      x[3*width + f]*inverse[l + 3], x, width, row)
            l += 4
        for rest in range(l, f):
            x = shifted(rows, rest*width)
            joined(width, -x[f]*inverse[rest], x, row)
        if below(row[f], PIVOT_FLOOR*whole):
            safe = False
        inverse[f] = 1.0/row[f]
    for f in range(n):
        y, d = shifted(rows, f*width + m), inverse[f]
        for i in range(0, 12, 4):
            less(y, d*y[i], d*y[i + 1], d*y[i + 2], d*y[i + 3], shifted(M, i*ROW), shifted(M, (i + 1)*ROW),
                 shifted(M, (i + 2)*ROW), shifted(M, (i + 3)*ROW))
    return safe


@sweep
def joint(a, k, q, v, M, here):
    """Joint k: its row, the joint taken out of M and p, these turned into its seat; False where it moves nothing."""
    link, frame, X, R = link_of(a, k), frame_of(a, k), pose_of(a, k), a.force
    turn, motor, safe, row = link[TURN], link[MOTOR], True, shifted(here, J_ROW)
    if turn >= 0:
        force = R[turn] + a.spring[2*turn + FORCE] - a.spring[2*turn + DAMPER]*v[turn]
        if motor >= 0:
            torque = frame[JOINT_K]*(q[motor] - q[turn]) + frame[JOINT_C]*(v[motor] - v[turn])
            R[motor] = (R[motor] + a.spring[2*motor + FORCE] - torque)/frame[ROTOR]
            force += torque
        for i in range(ROW):
            row[i] = 0.0
        for r in range(3):
            joined(ROW, X[W + 4*r + 1], shifted(M, r*ROW), row)
            joined(ROW, -X[W + 4*r], shifted(M, (3 + r)*ROW), row)
        d = terms = 0.0 if motor >= 0 else frame[ROTOR]
        for r in range(3):
            x, y = X[W + 4*r + 1]*row[r], X[W + 4*r]*row[3 + r]
            d, terms = d + x - y, terms + abs(x) + abs(y)
        safe = not below(d, PIVOT_FLOOR*terms)
        row[BIAS] -= force
        d = 1.0/d
        here[J_PIVOT] = d
        if k > 0:
            for i in range(0, 12, 4):
                less(row, d*row[i], d*row[i + 1], d*row[i + 2], d*row[i + 3], shifted(M, i*ROW),
                     shifted(M, (i + 1)*ROW), shifted(M, (i + 2)*ROW), shifted(M, (i + 3)*ROW))
    if k > 0:
        s, c = here[J_TURN], here[J_TURN + 1]
        for r in range(3):
            turned_rows(s, c, shifted(M, r*ROW), shifted(M, (3 + r)*ROW))
        for i in range(12):
            for r in range(3):
                o = i*ROW + r
                x, y = M[o], M[o + 3]
                M[o], M[o + 3] = c*x - s*y, s*x + c*y
    return safe


@sweep
def accelerations(a):
    """Outward: z'' into work.force; a status."""
    A, B, R = a.column, a.column2, a.force
    for i in range(12):
        A[i] = 0.0
    for k in range(a.links):
        link, X, here = link_of(a, k), pose_of(a, k), chain_of(a, k)
        s, c, turn = here[J_TURN], here[J_TURN + 1], link[TURN]
        for r in range(3):
            x, y = A[r], A[3 + r]
            A[r], A[3 + r] = c*x + s*y, c*y - s*x
        if turn >= 0:
            t = here[J_ROW + BIAS]
            for i in range(12):
                t += here[J_ROW + i]*A[i]
            R[turn] = -here[J_PIVOT]*t
            for r in range(3):
                A[r] += R[turn]*X[W + 4*r + 1]
                A[3 + r] -= R[turn]*X[W + 4*r]
        n, first, m = link[MODES], link[FIRST], stride_of(link[MODES])
        rows = modes_rows(link, here)
        for forth in range(n):
            f = n - 1 - forth
            row = shifted(rows, f*(m + ROW))
            t = row[m + BIAS]
            for i in range(12):
                t += row[m + i]*A[i]
            for l in range(f + 1, n):
                t += row[l]*R[first + l]
            R[first + f] = -t/row[f]
        if k + 1 < a.links:
            for r in range(3):
                x, y, z = A[r], A[3 + r], A[6 + r]
                for j in range(4):
                    o = J_END + j
                    B[3*j + r] = x*here[o] + y*here[o + 4] + z*here[o + 8] + (A[9 + r] if j == 3 else 0.0)
            for c in range(6 if n > 0 else 0):
                t = 0.0
                for f in range(n):
                    t += here[CHAIN_MODES + c*m + f]*R[first + f]
                for i in range(0 if c < 3 else 9, 12):
                    B[i] += t*here[J_COLUMNS + 12*c + i]
            for i in range(12):
                A[i] = B[i]
    for j in range(a.coordinates):
        if not finite(R[j]):
            return NOT_FINITE
    return OK
