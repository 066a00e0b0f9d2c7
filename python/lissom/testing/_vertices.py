# SPDX-License-Identifier: MIT
"""Whether vertices are where they should be."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from lissom._base.arrays import as_numbers
from lissom._rig.mesh import Mesh
from lissom.testing import _tolerances
from lissom.testing._pair import as_doubles, require_alike
from lissom.testing._report import Measure, Places, find
from lissom.testing._subject import Surface, surface_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lissom._character.character import Character
    from lissom.pose_texture._pose_texture import PoseTexture
    from lissom.testing._pair import Floats

__all__ = ["assert_vertices_close", "checked_times"]

JOINTS_SHOWN = 4


def assert_vertices_close(
    actual: ArrayLike | Mesh,
    desired: ArrayLike | Mesh,
    *,
    of: Character | Mesh | PoseTexture | None = None,
    share: float | None = None,
    length: float | None = None,
    size: float | None = None,
    times: ArrayLike | None = None,
    err_msg: str = "",
) -> None:
    """Fail where vertices are farther from each other than a tolerance.

    Parameters
    ----------
    actual, desired : array_like, shape (..., V, 3), or Mesh
        Positions, any unit of length; of a mesh its own. Unit normals do as well, with `length`.
    of : Character, Mesh or PoseTexture, optional
        Whose vertices these are: the message names the part and the main joint of the worst.
    share : float, optional
        Tolerance as a fraction of the size; 1e-5 when neither this nor `length` is given.
    length : float, optional
        Tolerance in the units of the arrays, instead of `share`.
    size : float, optional
        What `share` is a fraction of: that of `of` when omitted, without it the largest diagonal of the
        boxes around `desired`.
    times : array_like, shape (...), optional
        Seconds of each pose, for the message.
    err_msg : str
        Stands in the message.

    Raises
    ------
    AssertionError
        If a distance is beyond the tolerance, a number not finite, or shapes differ or are empty.
    TypeError, ValueError
        If an argument makes no sense.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> pose = hero.clips["walk"].sample(0.3)
    >>> fast = hero.prepared(original_order=True)
    >>> lissom.testing.assert_vertices_close(fast.deform(pose), hero.deform(pose))
    >>> lissom.testing.assert_vertices_close(hero.deform(pose, "dual_quat"), hero.deform(pose), of=hero)
    Traceback (most recent call last):
    AssertionError: assert_vertices_close: ... of ... vertices are beyond the tolerance
      position: ... units (... % of the size 2.19) apart, tolerance ... units (0.001 % of the size 2.19), ...
        worst   vertex ... (part ..., main joint ...
    """
    __tracebackhide__ = True
    function = "assert_vertices_close"
    a = as_doubles(function, "actual", _positions(actual))
    b = as_doubles(function, "desired", _positions(desired))
    if b.ndim < 2 or b.shape[-1] != 3:
        raise ValueError(f"{function}: desired: expected shape (..., V, 3), got {b.shape}")
    surface, known = surface_of(function, of)
    if surface.mesh is not None and surface.mesh.vertex_count != b.shape[-2]:
        raise ValueError(
            f"{function}: of: expected a mesh of the {b.shape[-2]} vertices of desired, got one of "
            f"{surface.mesh.vertex_count}"
        )
    place = Places(surface.said, checked_times(function, times, b.shape[:-2]))
    require_alike(function, a, b, 1, place)
    if of is None:
        known = float(np.linalg.norm(np.ptp(b, axis=-2), axis=-1).max())
    limit = _tolerances.lengths(function, length, share, size, known)
    apart: Floats = np.linalg.norm(a - b, axis=-1)
    found = find("vertices", [Measure("position", apart, limit.tolerance, limit.said, a, b)], place)
    if found is not None:
        raise AssertionError(found.message(function, err_msg, _by_joint(surface, found.beyond)))


def checked_times(function: str, times: ArrayLike | None, batch: tuple[int, ...]) -> Floats | None:
    """Give the seconds of each pose, for messages."""
    if times is None:
        return None
    seconds: Floats = as_numbers(times, f"{function}: times").astype(np.float64)
    if seconds.shape != batch:
        raise ValueError(f"{function}: times: expected the shape of the poses, {batch}, got {seconds.shape}")
    return seconds


def _positions(value: ArrayLike | Mesh) -> ArrayLike:
    return value.positions if isinstance(value, Mesh) else value


def _by_joint(surface: Surface, beyond: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> list[str]:
    """Say which joints move the vertices that are beyond the tolerance."""
    if surface.mesh is None:
        return []
    vertices = np.flatnonzero(beyond.reshape(-1, beyond.shape[-1]).any(axis=0))
    joints = Counter(surface.main_joint(vertex) for vertex in vertices.tolist())
    shown = [f"{joint} {count}" for joint, count in joints.most_common(JOINTS_SHOWN)]
    rest = len(joints) - len(shown)
    more = f", and of {rest} others" if rest > 0 else ""
    return [f"  by main joint: {', '.join(shown)}{more}"]
