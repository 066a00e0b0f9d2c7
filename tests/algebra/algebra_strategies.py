# SPDX-License-Identifier: MIT
"""Hypothesis strategies for the algebra: rotations, rigid motions, vectors and times, with every angle at
which a formula changes its branch or loses digits. All are float64 arrays, made by the twins.
Below them, what it means that results are the same."""

import numpy as np
from hypothesis import Phase, settings
from hypothesis import strategies as st

from reference import dual_quat as dual_quat_twin
from reference import quat as quat_twin

# The same examples on every run: a failure here is one everywhere.
laws = settings(
    max_examples=200,
    derandomize=True,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)

SPECIAL_ANGLES = [
    0.0,
    1e-300,
    1e-12,
    1e-8,
    1e-5,
    1e-3,
    np.pi / 2,
    np.pi - 1e-9,
    np.pi,
    np.pi + 1e-6,
    2 * np.pi,
]


def _directions() -> list[np.ndarray]:
    """The axes, some diagonals, and forty that are nothing special, spread evenly by the golden angle.

    A table, so that hypothesis has one thing to choose where three numbers would be slow to draw."""
    special = [*np.eye(3), *-np.eye(3), *np.array([[1, 1, 0], [0, -1, 1], [1, -1, 1]], float)]
    z = np.linspace(-0.97, 0.98, 40)
    around = np.pi * (3 - np.sqrt(5)) * np.arange(40)
    spread = np.stack([np.sqrt(1 - z * z) * np.cos(around), np.sqrt(1 - z * z) * np.sin(around), z], -1)
    return [v / np.linalg.norm(v) for v in (*special, *spread)]


times = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1, allow_subnormal=False))
exponents = st.floats(-3, 3, allow_subnormal=False)
angles = st.one_of(st.sampled_from(SPECIAL_ANGLES), st.floats(-2 * np.pi, 2 * np.pi))
signs = st.sampled_from([1.0, -1.0])
axes = st.sampled_from(_directions())


def vectors(size: float = 1) -> st.SearchStrategy[np.ndarray]:
    return st.builds(lambda axis, length: length * axis, axes, st.floats(0, size, allow_subnormal=False))


def rotations(turns: st.SearchStrategy[float] = angles) -> st.SearchStrategy[np.ndarray]:
    return st.builds(quat_twin.from_axis_angle, axes, turns)


def rigids(turns: st.SearchStrategy[float] = angles, size: float = 10) -> st.SearchStrategy[np.ndarray]:
    return st.builds(dual_quat_twin.from_rotation_translation, rotations(turns), vectors(size))


def quaternions() -> st.SearchStrategy[np.ndarray]:
    """General ones, of any length between 1e-3 and 1e3."""
    return st.builds(lambda q, e: q * 10.0**e, rotations(), st.integers(-3, 3))


def dual_quaternions() -> st.SearchStrategy[np.ndarray]:
    """General ones: any dual part beside a real part that is not zero."""
    return st.builds(lambda q, dual, size: np.concatenate([q, size * dual]), quaternions(), rotations(),
                     st.floats(0, 5, allow_subnormal=False))  # fmt: skip


EPS = 2e-15  # ten roundings of a number near one


def close(got, expected, tolerance=EPS):
    """Within the tolerance of the largest number of `expected`, or of one."""
    size = max(1.0, float(np.abs(expected).max()))
    error = float(np.abs(np.subtract(got, expected)).max())
    assert error <= tolerance * size, (error, tolerance * size, got, expected)


def equal(got, expected):
    assert np.array_equal(got, expected), (got, expected)


def within(got, expected, slack):
    error = float(np.abs(np.subtract(got, expected)).max())
    assert error <= slack, (error, slack, got, expected)


def same(got, expected, tolerance=EPS):
    """Equal up to the common sign."""
    got, expected = np.asarray(got), np.asarray(expected)
    close(got if np.sum(got[..., :4] * expected[..., :4]) >= 0 else -got, expected, tolerance)


def moved(q):
    """How far a unit dual quaternion moves the origin: what its translation's errors grow with."""
    return 1 + float(np.linalg.norm(q[4:]))
