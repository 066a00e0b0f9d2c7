# SPDX-License-Identifier: MIT
"""What the lattice of cubes rests on, one item at a time in float64, by other methods than the core's."""

from fractions import Fraction

import numpy as np


def winding_number(positions, triangles, point):
    """Sum all solid angles, each from the angles of its spherical triangle (L'Huilier's theorem).

    Jacobson, Kavan and Sorkine-Hornung, Robust Inside-Outside Segmentation using Generalized Winding
    Numbers, 2013.
    """
    total = 0.0
    for corners in np.asarray(positions, float)[np.asarray(triangles, int)]:
        ways = corners - point
        ways /= np.linalg.norm(ways, axis=1, keepdims=True)
        # Sides of the spherical triangle; half chords are exact for small ones.
        a, b, c = (
            2 * np.arcsin(np.clip(np.linalg.norm(ways[i] - ways[j]) / 2, 0, 1))
            for i, j in ((1, 2), (2, 0), (0, 1))
        )
        s = (a + b + c) / 2
        product = np.tan(s / 2) * np.tan((s - a) / 2) * np.tan((s - b) / 2) * np.tan((s - c) / 2)
        total += np.sign(np.linalg.det(ways)) * 4 * np.arctan(np.sqrt(max(product, 0.0)))
    return total / (4 * np.pi)


def meets_box(triangle, low, high):
    """Clip the triangle against the six planes of a closed box in exact fractions; whether anything is
    left."""
    polygon = [[Fraction(float(x)) for x in corner] for corner in triangle]
    for axis in range(3):
        for sign, bound in ((1, Fraction(float(low[axis]))), (-1, Fraction(float(high[axis])))):
            kept = []
            for i, start in enumerate(polygon):
                end = polygon[(i + 1) % len(polygon)]
                before, after = sign * (start[axis] - bound), sign * (end[axis] - bound)
                if before >= 0:
                    kept.append(start)
                if (before > 0 and after < 0) or (before < 0 and after > 0):
                    part = before / (before - after)
                    kept.append([a + part * (b - a) for a, b in zip(start, end, strict=True)])
            polygon = kept
            if not polygon:
                return False
    return True


def trilinear(values, within):
    """Interpolate eight values, corner x + 2 y + 4 z, along x, then y, then z."""
    x, y, z = within
    along_x = [values[i] + x * (values[i + 1] - values[i]) for i in (0, 2, 4, 6)]
    along_y = [along_x[i] + y * (along_x[i + 1] - along_x[i]) for i in (0, 2)]
    return along_y[0] + z * (along_y[1] - along_y[0])
