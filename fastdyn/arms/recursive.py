"""Production road: z'' of an arm link by link, modes and joints eliminated from the tip inward, O(n).

The frame of a link whose turns are linear in the modes is affine, so what is beyond a frame answers twelve numbers,
the columns (x, y, z, 1) of the acceleration of its transform: M A + p, A at 3 i + r for column i and world axis r.
Of symmetric matrices the upper half counts, the lower follows. Derivation: docs/theory/spatial_flexible.md.
"""

from .._address import shifted
from .._jit import leaf, sweep
from ..algebra.dense import PIVOT_FLOOR
from ..status import NOT_FINITE, OK, SINGULAR_INERTIA
from .beside import below, finite, terms_of
from .homogeneous import by_transposed, times
from .layout import (
    BETA, BIAS, CHAIN_MODES, DAMPER, EXACT, FAR, FIRST, GYRO, HDD, J_COLUMNS, J_END, J_PIVOT, J_ROW, J_TURN,
    JOINT_C, JOINT_K, MODES, MOTOR, PHI, PROXIMAL, PSI, REACH, ROTOR, STIFF, TIED, TURN, WDD, WIDE, A, E, N, W)
from .modal_sums import modal_sums
from .rotors import along_seat, carried_rotor, share_of_seat
from .rows import (
    first_part, gathered, joined, less, moved, part, parts, product, put_part, reduced, stride_of)
from .section import turning
from .view import chain_of, frame_of, link_of, pose_of

ROW, FULL = WIDE, BIAS + 1                                  # columns of M: with p, and filled up


@sweep
def inward(a, q, v):
    """From the tip inward; forces on the coordinates stand in work.force. A status."""
    n, M = a.links, a.affine
    for i in range(12*ROW):
        M[i] = 0.0
    status, beyond = OK, False
    for k in range(n - 1, -1, -1):
        link, frame, X, here = link_of(a, k), frame_of(a, k), pose_of(a, k), chain_of(a, k)
        heavy = frame[FAR] + frame[FAR + 5] + frame[FAR + 10] + frame[FAR + 15] > 0.0
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
            through(shifted(here, J_END), M, a.column)
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
                                                 a.modal):
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
    """The bodies at the end of link k, in the frame after the next joint, into M"""
    frame, X, one, D = frame_of(a, k), pose_of(a, k), a.column, a.spare
    J = shifted(D, 12)
    for i in range(16):
        J[i] = frame[FAR + i]
    if k + 1 < a.links:
        times(X, HDD, pose_of(a, k + 1), A, 1.0, D, 0, 1.0, 0.0)
        turn = shifted(chain_of(a, k + 1), J_TURN)
        s, c = turn[0], turn[1]
        for i in range(4):
            x, y = J[i], J[4 + i]
            J[i], J[4 + i] = c*x + s*y, c*y - s*x
        for i in range(4):
            x, y = J[4*i], J[4*i + 1]
            J[4*i], J[4*i + 1] = c*x + s*y, c*y - s*x
    else:
        for i in range(12):
            D[i] = X[HDD + i]
    by_transposed(J, 0, D, 0, 0.0, one, 0)
    for i in range(4):
        for r in range(3):
            M[(3*i + r)*ROW + BIAS] += one[3*i + r]
            for j in range(4):
                M[(3*i + r)*ROW + 3*j + r] += J[4*i + j]


@sweep
def pull_modes(a, k, q, v):
    """Stiffness, damping and outer forces join the modes' bias."""
    link, chain, beta = link_of(a, k), chain_of(a, k), frame_of(a, k)[BETA]
    n, first, m, rows, tied = link[MODES], link[FIRST], stride_of(link[MODES]), modes_rows(link, chain), link[TIED] == 1
    for f in range(n):
        t = -a.force[first + f]
        for l in range(0 if tied else f, n if tied else f + 1):
            t += a.stiffness[link[STIFF] + n*f + l]*(q[first + l] + beta*v[first + l])
        rows[f*(m + ROW) + m + BIAS] += t


@sweep
def seats(a, k, here):
    """E A of the next joint, and the six ways B the end of link k moves by its modes, seen from behind that joint."""
    link, X, D, n = link_of(a, k), pose_of(a, k), a.spare, a.links
    last = k + 1 == n
    if last:
        for i in range(12):
            here[J_END + i] = X[E + i]
    else:
        times(X, E, pose_of(a, k + 1), A, 1.0, D, 0, 1.0, 0.0)
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
            T = pose_of(a, k + 1)
            for r in range(3):
                x, y, z = here[o + r], here[o + 3 + r], here[o + 6 + r]
                for j in range(4):
                    here[o + 3*j + r] = x*T[A + j] + y*T[A + 4 + j] + z*T[A + 8 + j]
        o = J_COLUMNS + 36 + 12*c
        for j in range(9):
            here[o + j] = 0.0
        for r in range(3):
            here[o + 9 + r] = X[W + 4*r + c]


@sweep
def end_joins(a, k, M, here):
    """What is beyond the end, into the modes' rows: coupling (E A) M B e, matrix e' B' M B e, bias e' B' p."""
    link, U = link_of(a, k), shifted(a.affine, 12*ROW)
    n, m, B, e = link[MODES], stride_of(link[MODES]), shifted(here, J_COLUMNS), shifted(here, CHAIN_MODES)
    rows, Z, Q = modes_rows(link, here), a.spare, a.modal
    for c in range(6):
        gathered(0 if c < 3 else 9, 12, FULL, shifted(B, 12*c), M, ROW, shifted(U, c*ROW))
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
    for i in range(parts(Q, 6*m)):
        put_part(Q, i, 0.0*part(e, 0))                      # B' M B e
    for d in range(6):
        begin, end = link[REACH + 2*d], link[REACH + 2*d + 1]
        for c in range(6):
            for i in range(first_part(Q, begin), parts(Q, end)):
                put_part(shifted(Q, c*m), i, part(shifted(Q, c*m), i) + Z[6*c + d]*part(shifted(e, d*m), i))
    for c in range(6):
        begin, end = link[REACH + 2*c], link[REACH + 2*c + 1]
        for f in range(begin, end):
            row, x = shifted(rows, f*(m + ROW)), e[c*m + f]
            for i in range(first_part(Q, f), parts(Q, n)):
                put_part(row, i, part(row, i) + x*part(shifted(Q, c*m), i))
            joined(FULL, x, shifted(U, c*ROW), shifted(row, m))


@sweep
def through(T, M, p):
    """M to T M T', p to T p; p: scratch"""
    for r in range(3):
        moved(FULL, T, shifted(M, r*ROW), shifted(M, (3 + r)*ROW), shifted(M, (6 + r)*ROW), shifted(M, (9 + r)*ROW))
    for i in range(12):
        for j in range(i):
            M[i*ROW + j], M[j*ROW + i] = M[j*ROW + i], M[i*ROW + j]
        p[i] = M[i*ROW + BIAS]
    for r in range(3):
        moved(BIAS, T, shifted(M, r*ROW), shifted(M, (3 + r)*ROW), shifted(M, (6 + r)*ROW), shifted(M, (9 + r)*ROW))
    for i in range(12):
        M[i*ROW + BIAS] = p[i]


@sweep
def without_modes(n, m, rows, M, w):
    """Modes' rows reduced, 1/pivot on their diagonal; the modes taken out of M and p; False where a pivot is rounding.

    w: scratch
    """
    width, safe = m + ROW, True
    for f in range(n):
        row = shifted(rows, f*width)
        whole = row[f]
        for l in range(f):
            w[l] = rows[l*width + f]*rows[l*width + l]
        reduced(f, n, f, w, rows, width, row)
        reduced(0, FULL, f, w, shifted(rows, m), width, shifted(row, m))
        if below(row[f], PIVOT_FLOOR*whole):
            safe = False
        row[f] = 1.0/row[f]
    for i in range(0, 12, 4):
        for f in range(n):
            x, d = shifted(rows, f*width + m + i), rows[f*width + f]
            w[f], w[n + f], w[2*n + f], w[3*n + f] = d*x[0], d*x[1], d*x[2], d*x[3]
        less(i, FULL, n, n, w, shifted(rows, m), width, shifted(M, i*ROW), shifted(M, (i + 1)*ROW),
             shifted(M, (i + 2)*ROW), shifted(M, (i + 3)*ROW))
    for i in range(12):
        for j in range(i):
            M[i*ROW + j] = M[j*ROW + i]
    return safe


@sweep
def joint(a, k, q, v, M, here):
    """Joint k: its row, the joint taken out of M and p; False where it moves nothing."""
    link, frame, X, R = link_of(a, k), frame_of(a, k), pose_of(a, k), a.force
    turn, motor, safe, row, w = link[TURN], link[MOTOR], True, shifted(here, J_ROW), a.modal
    for r in range(3):
        w[r], w[3 + r] = X[W + 4*r + 1], -X[W + 4*r]
    gathered(0, 6, FULL, w, M, ROW, row)
    if turn >= 0:
        force = R[turn] + a.drive[turn] - a.spring[2*turn + DAMPER]*v[turn]
        if motor >= 0:
            torque = frame[JOINT_K]*(q[motor] - q[turn]) + frame[JOINT_C]*(v[motor] - v[turn])
            R[motor] = (R[motor] + a.drive[motor] - torque)/frame[ROTOR]
            force += torque
        d = terms = 0.0 if motor >= 0 else frame[ROTOR]
        for r in range(3):
            x, y = X[W + 4*r + 1]*row[r], X[W + 4*r]*row[3 + r]
            d, terms = d + x - y, terms + abs(x) + abs(y)
        safe = not below(d, PIVOT_FLOOR*terms)
        row[BIAS] -= force
        if motor < 0 and frame[GYRO] != 0.0:
            along_seat(X, frame[GYRO], v[turn], row)
        d = 1.0/d
        here[J_PIVOT] = d
        if k > 0:
            for i in range(12):
                w[i] = d*row[i]
            for i in range(0, 12, 4):
                less(0, FULL, 1, 1, shifted(w, i), row, ROW, shifted(M, i*ROW), shifted(M, (i + 1)*ROW),
                     shifted(M, (i + 2)*ROW), shifted(M, (i + 3)*ROW))
    if k > 0 and frame[GYRO] != 0.0:
        carried_rotor(X, frame, turn, motor, v, w, M, R)
    return safe


@sweep
def outward_over(n, m, here, R, x, y):
    """y, behind the next joint, from x, in the frame of the link, and z'' of its modes."""
    T = shifted(here, J_END)
    for r in range(3):
        p, q, s = x[r], x[3 + r], x[6 + r]
        for j in range(4):
            y[3*j + r] = p*T[j] + q*T[j + 4] + s*T[j + 8]
        y[9 + r] += x[9 + r]
    for c in range(6 if n > 0 else 0):
        t = 0.0
        for f in range(n):
            t += here[CHAIN_MODES + c*m + f]*R[f]
        for i in range(0 if c < 3 else 9, 12):
            y[i] += t*here[J_COLUMNS + 12*c + i]


@sweep
def accelerations(a):
    """Outward: z'' into work.force; a status."""
    x, y, R = a.column, a.column2, a.force
    for i in range(ROW):
        x[i] = y[i] = 0.0
    x[BIAS] = y[BIAS] = 1.0                                 # their product with a row takes the bias with it
    for k in range(a.links):
        link, X, here = link_of(a, k), pose_of(a, k), chain_of(a, k)
        turn, motor, g = link[TURN], link[MOTOR], frame_of(a, k)[GYRO]
        if motor >= 0 and g != 0.0:
            R[motor] -= g*share_of_seat(X, x)/frame_of(a, k)[ROTOR]
        t = product(FULL, x, shifted(here, J_ROW))
        if turn < 0:
            a.drive[a.coordinates + k] = (t - a.drive[a.coordinates + k])*here[J_PIVOT]
        else:
            R[turn] = -here[J_PIVOT]*t
            for r in range(3):
                x[r] += R[turn]*X[W + 4*r + 1]
                x[3 + r] -= R[turn]*X[W + 4*r]
        n, first, m = link[MODES], link[FIRST], stride_of(link[MODES])
        rows = modes_rows(link, here)
        for f in range(n - 1, -1, -1):
            row = shifted(rows, f*(m + ROW))
            t = product(FULL, x, shifted(row, m))
            for l in range(n - 1, f, -1):
                t += row[l]*R[first + l]
            R[first + f] = -row[f]*t
        if k + 1 < a.links:
            outward_over(n, m, here, shifted(R, first), x, y)
            x, y = y, x
    for j in range(a.coordinates):
        if not finite(R[j]):
            return NOT_FINITE
    return OK
