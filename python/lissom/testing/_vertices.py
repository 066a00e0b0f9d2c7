# SPDX-License-Identifier: MIT
"""The assert for positions of vertices."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from lissom._base.arrays import as_numbers
from lissom._rig.mesh import Mesh
from lissom.testing import _tolerances
from lissom.testing._mismatch import ElementLabel, Measure, find_mismatch
from lissom.testing._pair import as_doubles, require_comparable
from lissom.testing._subject import Surface, surface_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lissom._character.character import Character
    from lissom.pose_texture._pose_texture import PoseTexture
    from lissom.testing._pair import Floats

__all__ = ["assert_vertices_close", "check_times"]

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
    """Raise an AssertionError where vertices are farther apart than a tolerance.

    Parameters
    ----------
    actual, desired : array_like, shape (..., V, 3), or Mesh
        Positions in any unit of length; a mesh stands for its positions, and two meshes for what their morph
        targets move, too. Unit normals can be compared, too, with `length`.
    of : Character, Mesh or PoseTexture, optional
        Whose vertices these are: the message names the part and the main joint of the worst vertex.
    share : float, optional
        Tolerance as a fraction of the size; 1e-5 when neither this nor `length` is given.
    length : float, optional
        Tolerance in the units of the arrays, instead of `share`.
    size : float, optional
        Length of which `share` is a fraction: when omitted the size of `of`, or without that the largest
        diagonal of the bounding boxes of `desired`.
    times : array_like, shape (...), optional
        Seconds of each pose, for the message.
    err_msg : str
        Text to include in the message.

    Raises
    ------
    AssertionError
        If a distance is beyond the tolerance, a number is not finite, shapes differ or are empty, or two
        meshes have morph targets of other names.
    TypeError, ValueError
        If an argument is wrong.

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
        raise ValueError(f"{function}: desired must have shape (..., V, 3), got {b.shape}")
    surface, known = surface_of(function, of)
    if surface.mesh is not None and surface.mesh.vertex_count != b.shape[-2]:
        raise ValueError(
            f"{function}: of must have a mesh of the {b.shape[-2]} vertices of desired, got one of "
            f"{surface.mesh.vertex_count}"
        )
    label = ElementLabel(surface.label, check_times(function, times, b.shape[:-2]))
    require_comparable(function, a, b, 1, label)
    if of is None:
        known = float(np.linalg.norm(np.ptp(b, axis=-2), axis=-1).max())
    limit = _tolerances.lengths(function, length, share, size, known)
    distances: Floats = np.linalg.norm(a - b, axis=-1)
    measure = Measure("position", distances, limit.tolerance, limit.text, a, b)
    mismatch = find_mismatch("vertices", [measure], label)
    if mismatch is not None:
        raise AssertionError(mismatch.message(function, err_msg, _by_joint(surface, mismatch.beyond)))
    if isinstance(actual, Mesh) and isinstance(desired, Mesh):
        from lissom.testing._morphs import mesh_morphs_mismatch

        fault = mesh_morphs_mismatch(actual, desired, limit.tolerance)
        if fault is not None:
            raise AssertionError(f"{function}: {f'{err_msg}: ' if err_msg else ''}{fault}")


def check_times(function: str, times: ArrayLike | None, batch: tuple[int, ...]) -> Floats | None:
    """Return the seconds of each pose, for messages."""
    if times is None:
        return None
    seconds: Floats = as_numbers(times, f"{function}: times").astype(np.float64)
    if seconds.shape != batch:
        raise ValueError(f"{function}: times must have the shape of the poses, {batch}, got {seconds.shape}")
    return seconds


def _positions(value: ArrayLike | Mesh) -> ArrayLike:
    return value.positions if isinstance(value, Mesh) else value


def _by_joint(surface: Surface, beyond: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> list[str]:
    """Count the vertices beyond the tolerance by their main joints."""
    if surface.mesh is None:
        return []
    vertices = np.flatnonzero(beyond.reshape(-1, beyond.shape[-1]).any(axis=0))
    joints = Counter(surface.main_joint(vertex) for vertex in vertices.tolist())
    shown = [f"{joint} {count}" for joint, count in joints.most_common(JOINTS_SHOWN)]
    rest = len(joints) - len(shown)
    more = f", and of {rest} others" if rest > 0 else ""
    return [f"  by main joint: {', '.join(shown)}{more}"]
