# SPDX-License-Identifier: MIT
"""Least-squares inverse kinematics in plain float64 NumPy, by the Jacobian of a chain of ball joints.

Sources: S. Buss, "Introduction to Inverse Kinematics with Jacobian Transpose, Pseudoinverse and Damped Least
Squares methods" (2004, rev. 2009); S. Buss and J.-S. Kim, "Selectively Damped Least Squares for Inverse
Kinematics", Journal of Graphics Tools 10(3), 2005. Chains as in `reference.ik`.
"""

import numpy as np

from reference import quat
from reference.ik import chain_positions
from reference.ik_limits import from_rotation_vector


def jacobian(bones, rotations):
    """How the tip moves with a turn of each joint about the axes of the root's space, (3, 3 (N - 1)).

    The column of axis e at joint j is ``e x (tip - p_j)`` (Buss 2004, equation 3 for rotational joints).
    """
    points, _ = chain_positions(bones, rotations)
    return np.hstack([np.cross(np.eye(3), points[-1] - p).T for p in points[:-1]])


def apply(rotations, step):
    """Turn each joint, in the frame of the root, by a rotation vector of step (3 (N - 1),), all at once.

    A turn w of joint j about the root's axes turns all below it: seen from joint j's parent, which is turned
    by `above` already, it is ``above^-1 w above``.
    """
    result, above = [], np.array([0, 0, 0, 1.0])
    for rotation, vector in zip(rotations, step.reshape(-1, 3), strict=True):
        local = quat.rotate(quat.conjugate(above), vector)
        result.append(quat.normalize(quat.multiply(from_rotation_vector(local), rotation)))
        above = quat.multiply(above, rotation)
    return np.array(result)


def clamp_mag(v, most):
    """Buss's ClampMag: v, no longer than `most`."""
    length = np.linalg.norm(v)
    return v if length <= most else v * (most / length)


def damped_step(j, e, damping):
    """``J^T (J J^T + damping^2 I)^-1 e`` (Buss 2004, equation 11)."""
    return j.T @ np.linalg.solve(j @ j.T + damping**2 * np.eye(len(j)), e)


def selective_step(j, e, most=np.pi / 4):
    """Selectively damped least squares for one effector (Buss and Kim 2005, section 4).

    Each singular direction has its own bound: how far the tip would move by the joints' single moves, against
    how far it moves by their sum.
    """
    u, sigma, vt = np.linalg.svd(j, full_matrices=False)
    rho = np.linalg.norm(j, axis=0)  # how far one effector moves with each angle
    total = np.zeros(j.shape[1])
    for i in range(len(sigma)):
        if sigma[i] < 1e-12:
            continue
        n = 1.0  # N_i: the norm of u_i over the one effector, a unit vector
        m = np.sum(np.abs(vt[i]) * rho) / sigma[i]  # M_i
        gamma = min(1.0, n / m) * most
        phi = (u[:, i] @ e) / sigma[i] * vt[i]
        total += phi * min(1.0, gamma / max(np.abs(phi).max(), 1e-300))
    largest = np.abs(total).max()
    return total if largest <= most else total * (most / largest)


def damped_least_squares(
    bones, rotations, target, tolerance, max_iterations, damping=0.1, limit=None, selective=False
):
    """Steps until the tip is within `tolerance`; the best rotations and the number of steps.

    `damping` is a fraction of the error, with which it falls; the error of one step is clamped to half a bone
    (Buss 2004, section 7). `limit(joint, rotation)` gives the allowed rotation closest to one.
    """
    rotations = np.array(rotations, np.float64)
    mean = np.linalg.norm(bones, axis=1).mean()
    best, least = rotations.copy(), np.inf
    for step in range(max_iterations + 1):
        points, _ = chain_positions(bones, rotations)
        e = target - points[-1]
        error = np.linalg.norm(e)
        if error < least:
            best, least = rotations.copy(), error
        if error <= tolerance or step == max_iterations:
            return best, step
        e, j = clamp_mag(e, mean / 2), jacobian(bones, rotations)
        turn = selective_step(j, e) if selective else damped_step(j, e, damping * np.linalg.norm(e))
        rotations = apply(rotations, turn)
        if limit:
            rotations = np.array([limit(joint, rotation) for joint, rotation in enumerate(rotations)])
    raise AssertionError
