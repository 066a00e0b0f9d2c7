# SPDX-License-Identifier: MIT
"""What the tests of lissom.dual_quat share: random input of every kind, and each function with its kinds."""

import numpy as np

from lissom import dual_quat
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


def _trs(rng, *shape):
    q = units(rng, *shape)
    t = 2 * twin.quat.multiply(q[..., 4:], twin.quat.conjugate(q[..., :4]))[..., :3]
    return np.concatenate([t, q[..., :4], np.ones((*shape, 3))], -1)


# Kinds of operands: how to make one, and its core shape. w of "D" and "Q" is what scalar_first moves.
KINDS = {
    "D": (units, (8,)),
    "Q": (lambda rng, *shape: units(rng, *shape)[..., :4], (4,)),
    "V": (lambda rng, *shape: rng.normal(size=(*shape, 3)), (3,)),
    "R": (lambda rng, *shape: rng.uniform(size=shape), ()),
    "M": (lambda rng, *shape: twin.to_matrix(units(rng, *shape)), (4, 4)),
    "S": (_trs, (10,)),
    "B": (None, ()),
}
# Name: kinds of inputs, kinds of outputs, options. Those along an axis have tests of their own.
FUNCTIONS = {
    "add": ("DD", "D", {}),
    "scale": ("DR", "D", {}),
    "multiply": ("DD", "D", {}),
    "conjugate": ("D", "D", {}),
    "dual_conjugate": ("D", "D", {}),
    "combined_conjugate": ("D", "D", {}),
    "inverse": ("D", "D", {}),
    "normalize": ("D", "D", {}),
    "dot": ("DD", "R", {}),
    "equal": ("DD", "B", {"tolerance": 1.5}),
    "same_transform": ("DD", "B", {"tolerance": 1.5}),
    "from_quat_translation": ("QV", "D", {}),
    "to_quat_translation": ("D", "QV", {}),
    "translation": ("D", "V", {}),
    "from_matrix": ("M", "D", {}),
    "to_matrix": ("D", "M", {}),
    "from_trs": ("S", "D", {}),
    "to_trs": ("D", "S", {}),
    "transform_point": ("DV", "V", {}),
    "transform_vector": ("DV", "V", {}),
    "log": ("D", "D", {}),
    "exp": ("D", "D", {}),
    "power": ("DR", "D", {}),
    "sclerp": ("DDR", "D", {}),
    "to_screw": ("D", "VVRR", {}),
    "from_screw": ("VVRR", "D", {}),
}


def function(name):
    options = FUNCTIONS[name][2]

    def call(*args, **more):
        return getattr(dual_quat, name)(*args, **options, **more)

    return call


def arguments(name, rng, *shape, dtype=np.float64):
    return [KINDS[kind][0](rng, *shape).astype(dtype) for kind in FUNCTIONS[name][0]]


def empty_outputs(name, *shape, dtype=np.float64):
    """As `out` wants them: one array, or a tuple."""
    arrays = [
        np.full(shape + KINDS[kind][1], 7, np.bool_ if kind == "B" else dtype) for kind in FUNCTIONS[name][1]
    ]
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


def results(value):
    return value if isinstance(value, tuple) else (value,)


def rolled(array, kind, shift):
    if kind not in "DQ":
        return array
    halves = array.reshape(*array.shape[:-1], array.shape[-1] // 4, 4)
    return np.ascontiguousarray(np.roll(halves, shift, -1).reshape(array.shape))
