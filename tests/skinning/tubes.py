# SPDX-License-Identifier: MIT
"""Open tubes along x with two joints, the figure that shows what skinning does to a bend."""

import numpy as np

import lissom


def tube(rings=41, sides=24, length=4.0, radius=0.4, reach=0.6):
    """Return a tube bound to two joints: the weight of the second rises smoothly within `reach` of x = 2."""
    x = np.linspace(0, length, rings)
    angle = 2 * np.pi * np.arange(sides) / sides
    positions = np.stack(
        [
            np.repeat(x, sides),
            np.tile(radius * np.cos(angle), rings),
            np.tile(radius * np.sin(angle), rings),
        ],
        axis=-1,
    )
    i, k = np.meshgrid(np.arange(rings - 1), np.arange(sides), indexing="ij")
    a, b = (i * sides + k).ravel(), (i * sides + (k + 1) % sides).ravel()
    triangles = np.concatenate(
        [np.stack([a, b, b + sides], axis=-1), np.stack([a, b + sides, a + sides], axis=-1)]
    )
    tip = np.clip((positions[:, 0] - 2 + reach) / (2 * reach), 0, 1)
    tip = tip * tip * (3 - 2 * tip)
    return lissom.Mesh(positions, triangles, [[0, 1]] * len(tip), np.stack([1 - tip, tip], axis=-1))
