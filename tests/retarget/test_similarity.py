# SPDX-License-Identifier: MIT
"""The map between the model spaces of two bodies, beside products of 4x4 matrices."""

import numpy as np
from scipy.spatial.transform import Rotation

from lissom._retarget.similarity import Similarity


def test_motions_are_conjugated():
    """A transform T of the source's space is X T X^-1 in the target's, X(p) = r A p + c."""
    generator = np.random.default_rng(2)
    align, ratio, shift = Rotation.random(random_state=3), 0.6, np.array([1.0, -2.0, 0.5])
    x = np.eye(4)
    x[:3, :3], x[:3, 3] = ratio * align.as_matrix(), shift
    motions = np.tile([0.0, 0, 0, 0, 0, 0, 1, 1, 1, 1], (5, 1))
    motions[:, :3] = generator.normal(size=(5, 3))
    turns = Rotation.random(5, random_state=4)
    motions[:, 3:7] = turns.as_quat()
    found = Similarity(align.as_matrix(), ratio, shift).motions(motions)
    for motion, turn, result in zip(motions, turns, found, strict=True):
        t = np.eye(4)
        t[:3, :3], t[:3, 3] = turn.as_matrix(), motion[:3]
        expected = x @ t @ np.linalg.inv(x)
        np.testing.assert_allclose(result[:3], expected[:3, 3], atol=1e-12)
        np.testing.assert_allclose(Rotation.from_quat(result[3:7]).as_matrix(), expected[:3, :3], atol=1e-12)
        np.testing.assert_array_equal(result[7:], 1)
