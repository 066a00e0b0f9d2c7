# SPDX-License-Identifier: MIT
"""Blends of local poses in plain float64 NumPy, one joint at a time: the twin that the core is compared with.

Sources: lerp and normalised lerp (Shoemake 1985 for the path); the weighted sum with signs against the
heaviest (Kavan et al. 2008, section 4.1, for dual quaternions); the rest pose below a threshold
(ozz-animation, BlendingJob)."""

import numpy as np


def mean_of_joint(rows, weights):
    """The weighted mean of rows (N, 10), weights (N,) not all zero."""
    rows, weights = np.asarray(rows, np.float64), np.asarray(weights, np.float64)
    heaviest = rows[np.argmax(weights), 3:7]
    result = np.zeros(10)
    for row, weight in zip(rows, weights / weights.sum(), strict=True):
        result[:3] += weight * row[:3]
        result[7:] += weight * row[7:]
        result[3:7] += weight * row[3:7] * (-1 if row[3:7] @ heaviest < 0 else 1)
    result[3:7] /= np.linalg.norm(result[3:7])
    return result


def blend(a, b, weight, mask=None):
    """Of poses (J, 10), a weight and a mask (J,)."""
    mask = np.ones(len(a)) if mask is None else mask
    return np.array(
        [mean_of_joint([p, q], [1 - weight * m, weight * m]) for p, q, m in zip(a, b, mask, strict=True)]
    ).reshape(len(a), 10)


def blend_layers(poses, weights, masks=None, rest=None, threshold=0.1):
    """Of L poses (J, 10), L weights and masks (J,) or None."""
    masks = [None] * len(poses) if masks is None else masks
    result = []
    for joint in range(len(poses[0])):
        rows = [pose[joint] for pose in poses]
        own = [w * (1 if m is None else m[joint]) for w, m in zip(weights, masks, strict=True)]
        if rest is not None and sum(own) < threshold:
            rows.append(rest[joint])
            own.append(threshold - sum(own))
        result.append(mean_of_joint(rows, own))
    return np.array(result).reshape(len(poses[0]), 10)
