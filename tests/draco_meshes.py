# SPDX-License-Identifier: MIT
"""Meshes of every topology, with attributes that differ across their edges, for DracoPy to encode."""

from typing import Any

import DracoPy
import numpy as np

KINDS = ("torus", "sheet", "holes", "handles", "parts", "fans", "loose")


def torus(rings: int, sides: int) -> tuple[np.ndarray, np.ndarray]:
    """A closed surface with a handle: places, triangles."""
    ring, side = (each.reshape(-1) for each in np.meshgrid(range(rings), range(sides), indexing="ij"))
    a, b = 2 * np.pi * ring / rings, 2 * np.pi * side / sides
    places = np.stack([(3 + np.cos(b)) * np.cos(a), (3 + np.cos(b)) * np.sin(a), np.sin(b)], axis=1)

    def corner(ring: np.ndarray, side: np.ndarray) -> np.ndarray:
        return (ring % rings) * sides + side % sides

    first = [corner(ring, side), corner(ring + 1, side), corner(ring, side + 1)]
    second = [corner(ring + 1, side), corner(ring + 1, side + 1), corner(ring, side + 1)]
    return places, np.concatenate([np.stack(first, axis=1), np.stack(second, axis=1)])


def surface(kind: str, rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Places and triangles of a mesh."""
    places, triangles = torus(*rng.integers(3, size, 2))
    if kind == "sheet":
        side = int(rng.integers(3, size))
        index = np.arange(side * side).reshape(side, side)[:-1, :-1].reshape(-1, 1)
        quads = [index + np.array(each) for each in ([0, 1, side], [1, side + 1, side])]
        places, triangles = rng.normal(size=(side * side, 3)), np.concatenate(quads)
    elif kind == "holes":  # of all sizes, and edges where vertices touch alone
        triangles = triangles[rng.random(len(triangles)) > rng.choice([0.02, 0.1, 0.4])]
    elif (
        kind == "handles"
    ):  # places that are joined far from each other, without triangles that have none left
        joined = np.arange(len(places))
        joined[rng.integers(0, len(places), 6)] = rng.integers(0, len(places), 6)
        triangles = joined[triangles]
    elif kind == "parts":
        shift = rng.integers(2, 5)
        triangles = np.concatenate([triangles + len(places) * number for number in range(shift)])
        places = np.concatenate([places + 9 * number for number in range(shift)])
    elif kind == "fans":  # three triangles at an edge
        triangles = np.concatenate([triangles, [[*each[:2], len(places)] for each in triangles[::7]]])
        places = np.concatenate([places, [[0, 0, 9]]])
    elif kind == "loose":  # triangles that share no edge
        places, triangles = places[triangles].reshape(-1, 3), np.arange(triangles.size).reshape(-1, 3)
    a, b, c = triangles.T
    return places, triangles[(a != b) & (b != c) & (c != a)]


def mesh(kind: str, seed: int, size: int = 12) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Triangles, and arrays of several types, each of which differs across some of the edges.

    They are named after arguments of DracoPy.encode, or by numbers.
    """
    rng = np.random.default_rng(seed)
    places, triangles = surface(kind, rng, size)

    def seamed(values: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Values of corners: those of places, and others where a triangle has its own."""
        corners = values[triangles].reshape(len(triangles), 3, -1)
        own = rng.random(len(triangles)) < rng.choice([0, 0.02, 0.3, 1])
        corners[own] = others[: 3 * own.sum()].reshape(corners[own].shape)
        return corners.reshape(3 * len(triangles), -1)

    def floats(width: int) -> np.ndarray:
        own = rng.normal(size=(triangles.size, width))
        return seamed(rng.normal(size=(len(places), width)).round(2), own)

    def integers(width: int, end: int) -> np.ndarray:
        shape = (max(len(places), triangles.size), width)
        return seamed(rng.integers(0, end, shape), rng.integers(0, end, shape))

    arrays: dict[str, np.ndarray] = {"points": places[triangles].reshape(-1, 3).astype(np.float32)}
    if rng.random() < 0.6:
        arrays["tex_coord"] = floats(2)
    if rng.random() < 0.6:
        arrays["normals"] = floats(3)
        arrays["normals"] /= np.linalg.norm(arrays["normals"], axis=1, keepdims=True)
    for number in range(rng.integers(0, 4)):
        dtype = rng.choice([np.uint8, np.uint16, np.uint32, np.float32])
        width = int(rng.integers(1, 5))
        made = floats(width) if dtype == np.float32 else integers(width, int(rng.choice([2, 20, 250])))
        arrays[str(number)] = made.astype(dtype)
    # A vertex for each different corner.
    rows = np.concatenate(list(arrays.values()), axis=1)
    _, first, vertex = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return vertex.reshape(-1, 3).astype(np.uint32), {name: values[first] for name, values in arrays.items()}


def stream(kind: str, seed: int, size: int = 12, **options: Any) -> bytes:
    """What DracoPy makes of a mesh: all but its places and integers as they are."""
    faces, arrays = mesh(kind, seed, size)
    generic = {int(name): arrays.pop(name) for name in list(arrays) if name.isdigit()}
    if generic:
        options["generic_attributes"] = generic
    bits = (1, 4, 8, 11, 14, 20)[seed % 6]
    return DracoPy.encode(arrays.pop("points"), faces, quantization_bits=bits, **arrays, **options)


def task(kind: str, seed: int, size: int = 12) -> dict[str, Any]:
    """A mesh for draco_encoder.js, to be quantized and predicted in one way or another."""
    faces, arrays = mesh(kind, seed, size)
    kinds = {"points": "POSITION", "tex_coord": "TEX_COORD", "normals": "NORMAL"}
    types = {"u": "UInt", "f": "Float"}
    attributes = [
        {
            "kind": kinds.get(name, "GENERIC"),
            "type": f"{types[values.dtype.kind]}{min(8 * values.itemsize, 32)}",
            "width": values.shape[1],
            "values": values.reshape(-1).tolist(),
        }
        for name, values in arrays.items()
    ]
    rng = np.random.default_rng(seed)
    speeds = [int(each) for each in rng.integers(0, 11, 2)]
    bits = {name: int(rng.integers(2, 21)) for name in ("POSITION", "TEX_COORD", "NORMAL", "GENERIC")}
    return {"faces": faces.reshape(-1).tolist(), "attributes": attributes, "speeds": speeds, "bits": bits}
