# SPDX-License-Identifier: MIT
"""Rays against all triangles, one after the other, in float64.

Moeller and Trumbore, Fast, Minimum Storage Ray-Triangle Intersection, JGT 2(1), 1997: another method than
the core's, and no tree.
"""

import numpy as np

# Barycentric coordinates this near to a side are left to rounding: such rays are told by `margin`.
MARGIN = 1e-9


def cast(positions, triangles, origins, directions):
    """Return distances, normals (N, 3), which triangles, and how far each ray stays from all sides."""
    corners = np.asarray(positions, np.float64)[np.asarray(triangles, np.int64)]
    a, ab, ac = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    faces = np.cross(ab, ac)
    ways = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    distances = np.full(len(ways), np.inf)
    normals = np.zeros((len(ways), 3))
    which = np.full(len(ways), -1)
    margins = np.full(len(ways), np.inf)
    for ray, (origin, way) in enumerate(zip(origins, ways, strict=True)):
        p = np.cross(way, ac)
        det = np.einsum("ij,ij->i", ab, p)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            s = origin - a
            u = np.einsum("ij,ij->i", s, p) / det
            q = np.cross(s, ab)
            v = (q @ way) / det
            t = np.einsum("ij,ij->i", ac, q) / det
            inner = np.minimum(np.minimum(u, v), 1 - u - v)
        inner = np.where(np.isfinite(inner), inner, -1)
        fits = (det != 0) & (inner >= 0) & (t >= 0)
        margins[ray] = np.abs(inner).min(initial=np.inf)
        if fits.any():
            best = int(np.argmin(np.where(fits, t, np.inf)))
            length = np.linalg.norm(faces[best])
            distances[ray], which[ray] = t[best], best
            normals[ray] = faces[best] / (length if faces[best] @ way < 0 else -length)
    return distances, normals, which, margins
