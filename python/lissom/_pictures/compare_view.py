# SPDX-License-Identifier: MIT
"""From where a comparison is seen: whole, or close to a joint or to the vertex that differs most."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._view.camera import AZIMUTH
from lissom._view.front import azimuth_before
from lissom.ground import TriangleMesh

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from lissom._character.character import Character
    from lissom.gpu import Camera

    Floats = NDArray[np.float64]

__all__ = [
    "LARGER",
    "azimuth_to_see",
    "focus_points",
    "inset_place",
    "opened",
    "side_to_see",
    "to_eye",
    "worst_seen",
]

CLOSE, WIDE = 0.05, 0.1  # half the width of what a close-up shows: bounds, as shares of the size
JOINT = 0.1  # the same, about a joint
MARKED = 0.3  # of the largest difference: what a close-up of it is to show, nine tenths of it
SIDES = (
    0.0,
    -2 * AZIMUTH,
    180 - 2 * AZIMUTH,
    -180.0,
)  # degrees from the usual azimuth, to choose from: front first
CLOSE_SIDES = tuple(30.0 * i for i in (0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5, 6))  # likewise
HEIGHTS = (35.0, -10.0, 60.0, -35.0, 85.0, -60.0)  # elevations in degrees from which a close-up may look
BETTER = 1.5  # times as much must be seen from another side than the first to go there
SEEN = 400  # vertices looked for from each side, those that differ most
LARGER = 2.0  # times as large as the view must a close-up in a corner show things
SQUARES = (1.0, 0.8, 0.64)  # shares of the largest close-up in a corner
TIED = 0.02  # of the largest difference: by so much less, a vertex that is seen goes before one that is not
GRAZING = 0.05  # the same, below which a vertex is not seen at all
FACING = 0.2  # cosine between a normal and the eye, at least, for a vertex to be seen well
BOTH = 0.6  # of the difference at the worst vertex, to each side: both of its places are in the picture
LIFTED = 1e-4  # share of the size by which rays start off the surface


def focus_points(
    character: Character,
    pose: NDArray[Any],
    joint: str | None,
    vertices: Mapping[str, Floats],
    between: tuple[str, str],
    distances: Floats,
    worst: int,
    *,
    at_most: float = math.inf,
) -> Floats:
    """Return corners of what a close-up shows, model space, shape (6, 3).

    About a joint; or, where that is None, about the vertex `worst` as far as the difference reaches, but no
    farther than `at_most`, a length.
    """
    if joint is not None:
        middle = character.skeleton.positions(np.asarray(pose, np.float64))[character.skeleton.index(joint)]
        reach = JOINT * character.size
    else:
        middle = (vertices[between[0]][worst] + vertices[between[1]][worst]) / 2
        away = np.linalg.norm(vertices[between[1]] - middle, axis=1) / (character.size or 1.0)
        about = away[(away <= WIDE) & (distances >= MARKED * distances[worst])]
        spread = float(np.quantile(about, 0.9)) if len(about) else 0.0
        reach = min(min(max(1.2 * spread, CLOSE), WIDE) * character.size, at_most)
        reach = max(reach, BOTH * float(distances[worst]))
    reach = reach or 1.0
    corners: Floats = middle + reach * np.concatenate([np.eye(3), -np.eye(3)])
    return corners


def azimuth_to_see(
    character: Character,
    results: tuple[Floats, Floats],
    distances: Floats,
    elevation: float,
    shown: Floats | None,
    worst: int | None = None,
) -> float:
    """Return from which side most of the difference is seen, degrees; the usual one unless another is better.

    Sides from which the vertex `worst` is seen go before all others.

    Parameters
    ----------
    results : tuple of ndarray
        Positions and unit normals of the vertices, (V, 3).
    distances : ndarray, shape (V,)
        What is to be seen.
    shown : ndarray, shape (6, 3), or None
        Corners of a close-up: only what lies in it counts, and any side will do.
    """
    mesh = character.mesh
    assert mesh is not None
    positions, _ = results
    chosen = np.arange(len(positions))
    if shown is not None:
        inside = np.linalg.norm(positions - shown.mean(axis=0), axis=1) <= np.ptp(shown[:, 0]) / 2
        chosen = np.flatnonzero(inside)
    chosen = chosen[np.argsort(-distances[chosen], kind="stable")][:SEEN]
    chosen = chosen[distances[chosen] > 0]
    if not len(chosen) or not mesh.triangle_count:
        return azimuth_before(character.skeleton)
    named = int(chosen[0]) if worst is None else worst
    for offsets in (SIDES, CLOSE_SIDES) if shown is None else (CLOSE_SIDES,):
        sides = _azimuths(character, offsets)
        each = _seen(character, results, np.append(chosen, named), sides, elevation)
        seen = each[:, :-1] @ distances[chosen]
        facing = each[:, -1] >= FACING
        if facing.any() or worst is None:
            break
    if worst is not None and facing.any():
        seen = np.where(facing, seen, 0.0)
        first = int(facing.argmax())
    else:
        first = 0
    best = int(np.argmax(seen))
    return float(sides[best] if seen[best] > BETTER * seen[first] else sides[first])


def worst_seen(
    character: Character,
    results: tuple[Floats, Floats],
    distances: Floats,
    azimuth: float | None,
    elevation: float,
) -> int:
    """Return the vertex that differs most; of those that differ about as much, one that is seen.

    Parameters
    ----------
    results : tuple of ndarray
        Positions and unit normals of the vertices, (V, 3).
    distances : ndarray, shape (V,)
        By how much they differ.
    azimuth : float or None
        The side to look from, degrees; None for any.
    """
    mesh = character.mesh
    assert mesh is not None
    worst = int(distances.argmax())
    tied = np.flatnonzero(distances >= (1 - TIED) * distances[worst])
    tied = tied[np.argsort(-distances[tied], kind="stable")][:SEEN]
    if len(tied) < 2 or not mesh.triangle_count:
        return worst
    sides = _azimuths(character, CLOSE_SIDES) if azimuth is None else (azimuth,)
    seen = _seen(character, results, tied, sides, elevation).max(axis=0) >= FACING
    return int(tied[seen.argmax()])  # the first where none is


def side_to_see(
    character: Character, results: tuple[Floats, Floats], worst: int, azimuth: float, elevation: float
) -> tuple[float, float, bool]:
    """Return azimuth and elevation, degrees, from which a vertex is seen: the given ones if it is.

    Else others near them, and whether it is seen from there: of one inside a body, those that it faces.
    """
    if character.mesh is None or not character.mesh.triangle_count:
        return azimuth, elevation, True
    chosen, sides = np.array([worst]), tuple(azimuth + side for side in CLOSE_SIDES)
    best, most = (azimuth, elevation), 0.0
    for height in (elevation, *HEIGHTS):
        seen = _seen(character, results, chosen, sides, height)[:, 0]
        side = int((seen >= FACING).argmax()) if (seen >= FACING).any() else int(seen.argmax())
        if seen[side] > most:
            best, most = (sides[side], height), float(seen[side])
        if most >= FACING:
            break
    if most >= GRAZING:
        return *best, True
    facing = [results[1][worst] @ to_eye(side, elevation) for side in sides]
    return sides[int(np.argmax(facing))], elevation, False


def to_eye(azimuth: float, elevation: float) -> Floats:
    """Return the unit direction to the eye, from angles in degrees."""
    from lissom.gpu import Camera

    back: Floats = Camera((0.0, 0.0, 0.0), 1.0, azimuth, elevation).axes[2]
    return back


def opened(triangles: NDArray[Any], positions: Floats, worst: int, direction: Floats) -> NDArray[Any]:
    """Return triangles of which those between a vertex and the eye have no area: the body is cut open.

    Those that meet at the vertex's place stay. `direction` points to the eye.
    """
    depths = (positions - positions[worst]) @ direction
    apart = np.linalg.norm(positions - positions[worst], axis=1)
    meets = (apart[triangles] <= LIFTED * float(np.ptp(positions, axis=0).max())).any(axis=1)
    before = (depths[triangles].mean(axis=1) > 0) & ~meets
    result = triangles.copy()
    result[before] = result[before, :1]
    return result


def _azimuths(character: Character, sides: Sequence[float]) -> tuple[float, ...]:
    """Return azimuths, of sides that are degrees from the usual one."""
    usual = azimuth_before(character.skeleton)
    return tuple(usual + side for side in sides)


def _seen(
    character: Character,
    results: tuple[Floats, Floats],
    chosen: NDArray[np.intp],
    sides: Sequence[float],
    elevation: float,
) -> Floats:
    """Return how far vertices face the eye, for each side, (S, N): a cosine, 0 where something hides them."""
    assert character.mesh is not None
    positions, normals = results
    surface = TriangleMesh(positions, character.mesh.triangles)
    starts = positions[chosen] + LIFTED * character.size * normals[chosen]
    seen = np.zeros((len(sides), len(chosen)))
    for row, azimuth in zip(seen, sides, strict=True):
        direction = to_eye(azimuth, elevation)
        row[:] = np.clip(normals[chosen] @ direction, 0, None) * np.isinf(surface(starts, direction)[0])
    return seen


def inset_place(
    surfaces: Sequence[Floats],
    triangles: NDArray[Any],
    camera: Camera,
    view: tuple[int, int],
    side: int,
    above: float,
) -> tuple[int, int, int] | None:
    """Return where a square in a corner of a view hides nothing of what is drawn: left, top and side, pixels.

    Parameters
    ----------
    surfaces : sequence of ndarray, shape (V, 3)
        All that the view may show, model space.
    triangles : ndarray, shape (F, 3)
        Of each of them.
    view : tuple of int
        Width and height, pixels.
    side : int
        Of the square at most, pixels.
    above : float
        Pixels at the top of the view to leave to words.

    Returns
    -------
    tuple of int, or None
        The first free of the corners at the lower right, lower left, upper right, upper left, of the largest
        square that has one.
    """
    width, height = view
    edge = side // 16
    matrix = camera.clip_from_world(width / height, 1.0, 2.0)  # depth does not matter
    lows, highs = [], []
    for points in surfaces:
        seen = points @ matrix[:, :3].T + matrix[:, 3]
        pixels = (seen[:, :2] / seen[:, 3:] * [1, -1] + 1) / 2 * [width, height]
        corners = pixels[triangles]
        lows.append(corners.min(axis=1))
        highs.append(corners.max(axis=1))
    low, high = np.concatenate(lows), np.concatenate(highs)
    for part in SQUARES:
        square = round(part * side)
        for top in (height - square - edge, math.ceil(above) + edge):
            for left in (width - square - edge, edge):
                place = np.array([left, top])
                hidden = ((high > place - edge) & (low < place + square + edge)).all(axis=1)
                if top >= above and not hidden.any():
                    return left, top, square
    return None
