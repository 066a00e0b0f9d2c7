# SPDX-License-Identifier: MIT
"""Faults of palettes: rows of other joints, matrices in another order, axes or units, other influences.

Undone where the files hold joints. Of files of vertices, which were skinned by somebody, what the fault makes
of the source is compared with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lissom._rig.mesh import Mesh
from lissom._rig.skin import Skin
from lissom._verify.evidence import Evidence
from lissom._verify.explanation import Explanation, Hypothesis
from lissom._verify.faults_of_numbers import CUT, restored
from lissom._verify.other_side import other_sides
from lissom._verify.signed_axes import AXES
from lissom._verify.units import UNITS
from lissom.skinning import deform

__all__ = ["JOINTS"]

Matrices = NDArray[np.float64]

SOME_FRAMES = 8
"""Frames by which rows are compared with those of the source."""

NEARER = 0.1
"""A row is another one's if its distance from that is at most this part of the one from its own."""


@dataclass(frozen=True)
class _Change:
    """What was done to palettes (frame, row, 4, 4), how it is undone, and what it is called."""

    fault: str
    sentence: str
    done: Callable[[Matrices], Matrices]
    undone: Callable[[Matrices], Matrices]


def _changes(evidence: Evidence) -> Iterator[Explanation]:
    palettes, source, character = evidence.palettes, evidence.source_palettes, evidence.character
    for change in (*_of_order(), *_of_binds(evidence), *_of_axes(), *_of_units()):
        if palettes is not None:
            left = _left(evidence, evidence.found.mesh, change.undone(palettes))
        elif source is not None and character is not None and character.mesh is not None:
            moved = _skinned(evidence, character.mesh, change.done(source))
            own = evidence.partners[evidence.vertices]
            left = None if moved is None else evidence.largest(evidence.actual, moved[:, own])
        else:
            return
        if left is not None:
            yield Explanation(change.fault, change.sentence, left)


def _of_order() -> Iterator[_Change]:
    """Rows that are one off, and numbers of matrices that are columns for rows."""
    for shift in (-1, 1):
        yield _Change(
            "column_off_by_one",
            f"its joints move as the ones {'behind' if shift > 0 else 'before'} them in the skin should: "
            "palette rows are off by one; count them from 0",
            partial(np.roll, shift=-shift, axis=1),
            partial(np.roll, shift=shift, axis=1),
        )
    for size, which in ((4, "matrices"), (3, "rotations")):
        yield _Change(
            "transposed",
            f"its {which} are transposed, rows for columns; write them the other way round",
            partial(_transposed, size=size),
            partial(_transposed, size=size),
        )


def _transposed(matrices: Matrices, size: int) -> Matrices:
    """Return matrices of which the first rows and columns are exchanged."""
    turned = matrices.copy()
    turned[..., :size, :size] = np.swapaxes(matrices[..., :size, :size], -1, -2)
    return turned


def _of_binds(evidence: Evidence) -> Iterator[_Change]:
    character, source = evidence.character, evidence.source_palettes
    has = source if evidence.palettes is None else evidence.palettes
    if character is None or character.skin is None or has is None or has.shape[1] != len(character.skin):
        return
    binds = character.skin.joint_from_bind.astype(np.float64)
    yield _Change(
        "wrong_bind",
        "its matrices are those of the joints alone: multiply each by the inverse bind matrix of its joint",
        lambda matrices: matrices @ np.linalg.pinv(binds),
        lambda matrices: matrices @ binds,
    )


def _of_axes() -> Iterator[_Change]:
    """Joints in other axes than the mesh."""
    for matrix, words in AXES:
        change = np.eye(4)
        change[:3, :3] = matrix
        yield _Change(
            "handedness" if np.linalg.det(matrix) < 0 else "axes",
            f"its joints move in other axes than its mesh: what should be (x, y, z) is ({words}) of them",
            partial(_in_axes, change=change.T),
            partial(_in_axes, change=change),
        )


def _in_axes(matrices: Matrices, change: Matrices) -> Matrices:
    return np.asarray(change @ matrices @ change.T)


def _of_units() -> Iterator[_Change]:
    """Joints in other units than the mesh."""
    for factor, words in UNITS.items():
        scale = np.ones((4, 4))
        scale[:3, 3] = factor
        yield _Change(
            "units",
            f"its joints move {max(factor, 1 / factor):g} times too {'far' if factor > 1 else 'little'} for"
            f" their mesh: their translations are in {words}; scale them by {1 / factor:g}",
            partial(np.multiply, scale),
            partial(np.multiply, 1.0 / scale),
        )


def _skinned(evidence: Evidence, mesh: Mesh, palettes: Matrices) -> NDArray[np.float64] | None:
    """Return what other palettes make of a mesh (frame, V, 3); None where the method does not take them."""
    count = palettes.shape[1]
    affine = np.tile(np.eye(4, dtype=np.float32), (len(palettes), count, 1, 1))
    affine[..., :3, :] = palettes[..., :3, :]
    skin = Skin(np.arange(count), np.tile(np.eye(4), (count, 1, 1)))
    try:
        moved = deform(mesh, skin.palette(affine), evidence.found.method or "linear")
    except ValueError:  # a hypothesis may make of a rotation what is none
        return None
    return np.asarray(moved, np.float64)


def _left(evidence: Evidence, mesh: Mesh, palettes: Matrices) -> float | None:
    """Return the error that is left with other palettes, or another mesh, of the bake's vertices."""
    moved = _skinned(evidence, mesh, palettes)
    return None if moved is None else evidence.largest(moved[:, evidence.vertices])


def _rows_in_another_order(evidence: Evidence) -> Iterator[Explanation]:
    """Each row replaced by that which is most like the source's."""
    palettes, wanted = evidence.palettes, evidence.source_palettes
    if palettes is None or wanted is None or palettes.shape != wanted.shape:
        return
    some = np.unique(np.linspace(0, len(palettes) - 1, SOME_FRAMES).round().astype(int))
    has, should = palettes[some], wanted[some]
    rows = np.arange(has.shape[1])
    distances = np.array([np.abs(has - should[:, row, None]).max(axis=(0, 2, 3)) for row in rows])
    nearest = distances.argmin(axis=1)
    moved = np.flatnonzero(distances[rows, nearest] < NEARER * distances[rows, rows])
    if not len(moved):
        return
    order = rows.copy()
    order[moved] = nearest[moved]
    lost = distances[:, np.setdiff1d(rows, order)].min(axis=0)
    if (lost > NEARER * distances[rows, rows].max()).any():
        return  # of rows in another order each is like one of the source's
    left = _left(evidence, evidence.found.mesh, palettes[:, order])
    if left is None:
        return
    names, row, other = evidence.row_names, int(moved[0]), int(order[moved[0]])
    yield Explanation(
        "joint_order",
        f"its palette rows are in another order than those of the skin, {len(moved)} of {len(rows)}: that of"
        f" {names[row]!r} should be row {row}, and is row {other}; write them in the skin's order",
        left,
        len(moved),
    )


def _other_mesh(evidence: Evidence) -> Iterator[Explanation]:
    """Take the places at rest, or the influences, of the source's mesh for those of the bake's."""
    palettes, character = evidence.palettes, evidence.character
    if palettes is None or character is None or character.mesh is None:
        return
    mesh, own, of = evidence.found.mesh, character.mesh, evidence.partners
    if own.row_count > palettes.shape[1]:
        return
    rest = Mesh(own.positions[of], mesh.triangles, mesh.indices, mesh.weights)
    left = _left(evidence, rest, palettes)
    if left is not None:
        away = float(np.linalg.norm(mesh.positions - own.positions[of], axis=1).max(initial=0.0))
        yield Explanation(
            "wrong_bind",
            f"its mesh at rest is not the source's, by up to {away:.3g} m: it was exported in a pose, or is"
            " another version; export mesh and joints together, at rest",
            left,
            of.size,
        )
    left = _left(evidence, mesh.with_weights(own.indices[of], own.weights[of]), palettes)
    if left is not None:
        yield Explanation("wrong_weights", _other_weights(evidence, own), left, of.size)


def _other_weights(evidence: Evidence, own: Mesh) -> str:
    mesh, every = evidence.found.mesh, np.arange(len(evidence.partners))
    has = mesh.indices[every, mesh.weights.argmax(axis=1)]
    should = own.indices[evidence.partners, own.weights[evidence.partners].argmax(axis=1)]
    others, names, example = np.flatnonzero(has != should), evidence.row_names, ""
    if len(others):
        one = int(others[0])
        example = f": vertex {one} follows {names[has[one]]!r}, not {names[should[one]]!r}, of {len(others)}"
    return f"its vertices have other weights than those of the source{example}; export both together"


def _sides(evidence: Evidence) -> Iterator[Explanation]:
    """Vertices of each side of the body that follow the joints of the other, as the source's would."""
    character, palettes = evidence.character, evidence.source_palettes
    if character is None or palettes is None or character.mesh is None:
        return
    names = evidence.row_names
    order = other_sides(names)
    exchanged = np.flatnonzero(order != np.arange(len(order)))
    if not len(exchanged):
        return
    moved = _skinned(evidence, character.mesh, palettes[:, order])
    if moved is None:
        return
    one = int(exchanged[0])
    yield Explanation(
        "mirrored_skin",
        f"left and right are exchanged: vertices of {names[one]!r} follow {names[order[one]]!r}, of"
        f" {len(exchanged)} such joints; mend the order of the joints, or the weights",
        evidence.largest(evidence.actual, moved[:, evidence.partners[evidence.vertices]]),
    )


def _cut_off(evidence: Evidence) -> Iterator[Explanation]:
    """Numbers of matrices that are stored beyond a range."""
    palettes, wanted = evidence.palettes, evidence.source_palettes
    if (
        palettes is None
        or wanted is None
        or evidence.found.bake is not None
        or palettes.shape != wanted.shape
    ):
        return
    numbers, low, high = restored(palettes[..., :3, :], wanted[..., :3, :])
    left = None if numbers is None else _left(evidence, evidence.found.mesh, numbers)
    if left is not None:
        yield Explanation("clamped_range", CUT.format(low, high), left)


JOINTS: tuple[Hypothesis, ...] = (_changes, _cut_off, _rows_in_another_order, _other_mesh, _sides)
