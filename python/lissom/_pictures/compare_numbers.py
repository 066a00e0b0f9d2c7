# SPDX-License-Identifier: MIT
"""The numbers of a comparison of skinning methods."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import metrics
from lissom._pictures.sharpest_bend import sharpest_bend

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from lissom._character.character import Character

__all__ = ["numbers_of"]


def numbers_of(
    character: Character,
    pose: NDArray[Any],
    results: Mapping[str, NDArray[np.float64]],
    methods: tuple[str, ...],
    between: tuple[str, str],
    blend: ArrayLike | None,
    joint: str | None = None,
) -> tuple[dict[str, Any], NDArray[np.float64]]:
    """Measure what methods made of one pose.

    Parameters
    ----------
    results : mapping of str to ndarray, shape (V, 3)
        Vertices by method.
    methods : tuple of str
        In the order of the picture.
    between : tuple of str
        The two methods whose distance is meant.
    joint : str, optional
        Where to measure the bulge, if this joint bends; otherwise at the one that bends most.

    Returns
    -------
    dict, ndarray of float64, shape (V,)
        As `Comparison.numbers`, and the distance of each vertex.
    """
    mesh, skin = character.mesh, character.skin
    assert mesh is not None
    assert skin is not None
    apart = metrics.distance(results[between[0]], results[between[1]], character.size)
    numbers: dict[str, Any] = {}
    for suffix in ("", "_relative"):
        numbers |= {
            f"{name}{suffix}": getattr(apart, name + suffix) for name in ("max", "mean", "p99", "rms")
        }
    numbers |= {"vertex": apart.vertex, "size": apart.size, "methods": methods, "between": between}

    bend = None if joint is None else sharpest_bend(character, pose, joint)
    bend = bend or sharpest_bend(character, pose)
    palette = skin.palette(character.skeleton.model_matrices(np.asarray(pose, np.float64)))
    numbers |= dict.fromkeys(("pieces", "closed_pieces", "open_edges"), 0)
    numbers["bend"] = None if bend is None else {"joint": bend.joint, "angle": bend.angle}
    numbers["by_method"] = {}
    for method, points in results.items():
        option = {"blend": blend} if method == "blended" else {}
        own = {
            "volume_change": None,
            **dict.fromkeys(("edge_length_change", "edge_length_rms", "corner_angle_change")),
            "smallest_area": None,
            "smallest_determinant": metrics.blend_collapse(mesh, palette, method, **option).determinant,
            "bulge": None,
        }
        if _has_area(mesh.positions, mesh.triangles):
            volume = metrics.volume_change(points, mesh.positions, mesh.triangles)
            surface = volume.surface
            numbers["pieces"] = surface.piece_count
            numbers["closed_pieces"] = int(surface.closed.sum())
            numbers["open_edges"] = len(surface.open_edges)
            edges = metrics.edges(points, mesh.positions, mesh.triangles)
            own |= {
                "volume_change": None if math.isnan(volume.total) else volume.total,
                "edge_length_change": edges.length,
                "edge_length_rms": edges.length_rms,
                "corner_angle_change": edges.angle,
                "smallest_area": metrics.collapse(points, mesh.positions, mesh.triangles).determinant,
            }
        if bend is not None:
            chosen = bend.vertices
            bulge = metrics.bulge(points[chosen], mesh.positions[chosen], bend.bones, bend.bind_bones)
            own["bulge"] = bulge.relative
        numbers["by_method"][method] = own
    return numbers, apart.vertices


def _has_area(positions: NDArray[Any], triangles: NDArray[Any]) -> bool:
    if not len(triangles):
        return False
    a, b, c = np.moveaxis(positions.astype(np.float64)[triangles], 1, 0)
    return bool((np.cross(b - a, c - a) != 0).any())
