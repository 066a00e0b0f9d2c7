# SPDX-License-Identifier: MIT
"""Levels of detail of whoever is given none, and how far each is from the whole mesh."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from lissom import _core
from lissom._lod.simplify import levels_of_detail

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._rig.mesh import Mesh

__all__ = ["LAST_FACE", "Level", "default_levels"]

logger = logging.getLogger("lissom.gpu")

LAST_FACE = 1  # the coarsest level with morph targets: a face of a coarser one is a few triangles
FRACTIONS = (0.3, 0.1, 0.03)  # of the triangles
FEWEST = 1000  # triangles: drawing fewer costs little
# Of the vertices, whose distance is bounded. The largest is where something small is gone: an antenna.
SHARE = 0.95


class Level(NamedTuple):
    """A level of detail.

    Attributes
    ----------
    mesh : Mesh
        As from `levels_of_detail`.
    distance : float
        Model units: 95 % of the whole mesh's vertices, of each colour and texture, are nearer to it in the
        rest pose. Past `LAST_FACE` also how far the morph target that moves most does so at weight 1.
    """

    mesh: Mesh
    distance: float


_found: WeakKeyDictionary[Mesh, tuple[Level, ...]] = WeakKeyDictionary()


def default_levels(mesh: Mesh, caller: str = "Crowd") -> tuple[Level, ...]:
    """Return levels of detail of a mesh, the finest first, each farther from it than the one before.

    None of a small mesh, of one without area, nor without the package that simplifies, which the log says in
    the name of the caller. Made when first asked for, then kept as long as the mesh.
    """
    if mesh not in _found:
        _found[mesh] = _made(mesh, caller)
    return _found[mesh]


def _made(mesh: Mesh, caller: str) -> tuple[Level, ...]:
    if mesh.triangle_count < FEWEST:
        return ()
    if find_spec("fast_simplification") is None:
        logger.info(
            "%s: small instances are drawn with the whole mesh of %d triangles; with the extra lod "
            '(pip install "lissom[lod]") they would have fewer',
            caller,
            mesh.triangle_count,
        )
        return ()
    corners = mesh.positions[mesh.triangles].astype(np.float64)
    if not np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).any():
        return ()
    morphed = 0.0
    if mesh.morphs is not None:
        morphed = float(np.linalg.norm(mesh.morphs.positions, axis=1).max(initial=0))
    levels: list[Level] = []
    for number, level in enumerate(levels_of_detail(mesh, FRACTIONS), start=1):
        distance = _distance(mesh, level)
        if number > LAST_FACE:
            distance = max(distance, morphed)
        before = levels[-1] if levels else Level(mesh, 0.0)
        if distance > before.distance and level.triangle_count < before.mesh.triangle_count:
            levels.append(Level(level, distance))
    return tuple(levels)


def _distance(mesh: Mesh, level: Mesh) -> float:
    """Return below which distance from a level `SHARE` of the vertices of each look are, model units.

    To triangles of the same look, so that eyes are not lost in a face. Where these are all gone: the size of
    what is.
    """
    wholes, coarse = _looks(mesh), _looks(level)
    farthest = 0.0
    for look, triangles in wholes.items():
        points = mesh.positions[np.unique(triangles)].astype(np.float64)
        if look in coarse:
            distances = _distances(points, level.positions, coarse[look])
            farthest = max(farthest, float(np.quantile(distances, SHARE)))
        else:
            farthest = max(farthest, float(np.linalg.norm(np.ptp(points, axis=0))))
    return farthest


def _looks(mesh: Mesh) -> dict[tuple[Any, ...] | None, NDArray[np.uint32]]:
    """Return the triangles of each look: None is that of those without a part."""
    rest = np.ones(mesh.triangle_count, np.bool_)
    ranges: dict[tuple[Any, ...] | None, list[NDArray[np.uint32]]] = {}
    for part in mesh.parts:
        # Pictures by their identity: to compare their bytes takes long.
        pictures = id(part.texture), id(part.emissive_texture)
        look = (*pictures, part.base_color, part.alpha_mode, part.alpha_cutoff, part.unlit, part.emissive)
        ranges.setdefault(look, []).append(mesh.triangles[part.triangles])
        rest[part.triangles] = False
    ranges[None] = [mesh.triangles[rest]]
    return {look: np.concatenate(found) for look, found in ranges.items() if sum(map(len, found))}


def _distances(
    points: NDArray[np.float64], positions: NDArray[np.float32], triangles: NDArray[np.uint32]
) -> NDArray[np.float64]:
    """Return the distances of points, ``(n, 3)``, from a surface."""
    tree = _core.TriangleBvh(positions.astype(np.float64), triangles)
    which, shares = np.empty(len(points), np.int64), np.empty((len(points), 3))
    distances = np.empty(len(points))
    tree.find_closest("Crowd", points, None, -1.0, distances, which, shares)
    return distances
