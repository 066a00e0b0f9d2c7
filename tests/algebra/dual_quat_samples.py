# SPDX-License-Identifier: MIT
"""What the tests of lissom.dual_quat share: random input, and how it is compared."""

import numpy as np

from reference import dual_quat as twin

DTYPES = [np.float32, np.float64]
# A few roundings of numbers below ten.
TOLERANCE = {np.float32: 5e-6, np.float64: 1e-14}


def units(rng, *shape, dtype=np.float64, offset=1.0):
    """Unit dual quaternions: any rotation, translations of about `offset`."""
    rotation = rng.normal(size=(*shape, 4))
    rotation /= np.linalg.norm(rotation, axis=-1, keepdims=True)
    return twin.from_rotation_translation(rotation, offset * rng.normal(size=(*shape, 3))).astype(dtype)


def assert_same_transform(got, expected, tolerance):
    sign = np.where(np.sum(got[..., :4] * expected[..., :4], -1, keepdims=True) < 0, -1, 1)
    np.testing.assert_allclose(sign * got, expected, atol=tolerance, rtol=0)


def rolled(q, shift):
    """Move w of both halves: by 1 to the front, by -1 to the end."""
    return np.roll(q.reshape(*q.shape[:-1], 2, 4), shift, -1).reshape(q.shape)
