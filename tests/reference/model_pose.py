# SPDX-License-Identifier: MIT
"""From local transforms to model space in plain float64 NumPy: the twin that the core is compared with.

Source: Khronos, glTF 2.0 specification, section 3.5.3 "Transformations": the local matrix is T R S, the
global one the product of the parent's and the local. Quaternions are x, y, z, w.
"""

import numpy as np


def rotation_matrix(q):
    """Matrix of the unit quaternion q (4,): its columns are q e_i q*, expanded."""
    x, y, z, w = q
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def local_matrix(trs):
    """T R S of one trs (10,)."""
    matrix = np.eye(4)
    matrix[:3, 3] = trs[:3]
    matrix[:3, :3] = rotation_matrix(trs[3:7]) @ np.diag(trs[7:])
    return matrix


def model_matrices(parents, pose):
    """The matrices model_from_joint (J, 4, 4) of one pose (J, 10)."""
    model = []
    for parent, trs in zip(parents, np.asarray(pose, np.float64), strict=True):
        local = local_matrix(trs)
        model.append(local if parent < 0 else model[parent] @ local)
    return np.array(model).reshape(len(model), 4, 4)
