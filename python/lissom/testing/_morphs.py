# SPDX-License-Identifier: MIT
"""The asserts for morph targets: weights over time, and what the targets of two meshes move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.numbers import check_number
from lissom._character.character import Character
from lissom._rig.mesh import Mesh
from lissom._rig.morphs import Morphs
from lissom.clip import Clip
from lissom.testing._mismatch import ElementLabel, Measure, find_mismatch
from lissom.testing._pair import as_doubles, require_comparable
from lissom.testing._vertices import check_times

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom.testing._pair import Floats

__all__ = ["assert_morphs_close", "mesh_morphs_mismatch"]

FUNCTION = "assert_morphs_close"

WEIGHT = 1e-5
"""Weights go from 0 to 1; float32 has 6e-8 of relative rounding."""


def assert_morphs_close(
    actual: ArrayLike | Clip,
    desired: ArrayLike | Clip,
    *,
    of: Morphs | Mesh | Character | Clip | None = None,
    weight: float = WEIGHT,
    times: ArrayLike | None = None,
    err_msg: str = "",
) -> None:
    """Raise an AssertionError where a weight of a morph target differs by more than a tolerance.

    Parameters
    ----------
    actual, desired : array_like, shape (..., M), or Clip
        Weights. Clips are sampled at `times`, or, where both are clips, at 101 moments from the earlier start
        to the later end.
    of : Morphs, Mesh, Character or Clip, optional
        Whose targets these are: the message names them. The clip where one is compared and this is omitted.
    weight : float
        Tolerance of each weight.
    times : array_like, shape (...), optional
        Seconds of each pose, for the message and for sampling clips, which clamp them.
    err_msg : str
        Text to include in the message.

    Raises
    ------
    AssertionError
        If a weight is beyond the tolerance or not finite, shapes differ or are empty, or clips have targets
        of other names.
    TypeError, ValueError
        If an argument is wrong.

    Examples
    --------
    >>> morphs = lissom.Morphs(["face/smile", "face/blink"], [0, 1, 2], [0, 1], np.ones((2, 3)))
    >>> lissom.testing.assert_morphs_close(morphs.weights({"smile": 0.5}), [0.5, 0.0])
    >>> lissom.testing.assert_morphs_close([0.5, 0.1], [0.5, 0.0], of=morphs)
    Traceback (most recent call last):
    AssertionError: assert_morphs_close: 1 of 2 morph targets are beyond the tolerance
      weight: 0.1 apart, tolerance 1e-05, 1 beyond
        worst   morph target 'face/blink' (1)...
    """
    __tracebackhide__ = True
    if isinstance(actual, Clip) or isinstance(desired, Clip):
        if of is None:
            of = desired if isinstance(desired, Clip) else actual  # type: ignore[assignment]
        actual, desired, times = _sampled(actual, desired, times)
    names = _names_of(of)
    a, b = as_doubles(FUNCTION, "actual", actual), as_doubles(FUNCTION, "desired", desired)
    if b.ndim < 1:
        raise ValueError(f"{FUNCTION}: desired must have shape (..., M), got {b.shape}")
    if names is not None and len(names) != b.shape[-1]:
        raise ValueError(
            f"{FUNCTION}: of must have the {b.shape[-1]} morph targets of desired, got {len(names)}"
        )

    def named(target: int) -> str:
        return f"morph target {target}" if names is None else f"morph target {names[target]!r} ({target})"

    label = ElementLabel(named, check_times(FUNCTION, times, b.shape[:-1]))
    if a.shape != b.shape:
        raise AssertionError(f"{FUNCTION}: shapes differ: actual {a.shape}, desired {b.shape}")
    require_comparable(FUNCTION, a[..., None], b[..., None], 1, label)
    tolerance = check_number(weight, f"{FUNCTION}: weight", least=0)
    measure = Measure(
        "weight", np.abs(a - b), tolerance, lambda value: f"{value:.4g}", a[..., None], b[..., None]
    )
    mismatch = find_mismatch("morph targets", [measure], label)
    if mismatch is not None:
        raise AssertionError(mismatch.message(FUNCTION, err_msg, []))


def mesh_morphs_mismatch(actual: Mesh, desired: Mesh, tolerance: float) -> str | None:
    """Say how the morph targets of two meshes of as many vertices differ; None where they agree."""
    one, other = actual.morphs, desired.morphs
    if one is None or other is None:
        if one is other:
            return None
        counts = [0 if morphs is None else len(morphs) for morphs in (one, other)]
        return f"morph targets differ: actual has {counts[0]}, desired {counts[1]}"
    if one.names != other.names:
        pairs = zip(one.names, other.names, strict=False)
        first = next((pair for pair in pairs if pair[0] != pair[1]), None)
        shown = f"{first[0]!r} and {first[1]!r}" if first else f"{len(one)} and {len(other)}"
        return f"morph targets have other names: actual and desired {shown}"
    for number, name in enumerate(one.names):
        vertices, differences = _difference(one, other, number)
        if len(differences) and differences.max() > tolerance:
            worst = int(differences.argmax())
            return (
                f"morph target {name!r} moves vertices elsewhere: {differences[worst]:.4g} units apart at "
                f"vertex {vertices[worst]}, tolerance {tolerance:.4g}, "
                f"{np.count_nonzero(differences > tolerance)} beyond"
            )
    return None


def _difference(one: Morphs, other: Morphs, number: int) -> tuple[NDArray[Any], Floats]:
    """Return the vertices that a target moves in either mesh, and how far apart it moves them."""
    rows = [morphs.rows(number) for morphs in (one, other)]
    moved = [morphs.vertices[each] for morphs, each in zip((one, other), rows, strict=True)]
    vertices = np.union1d(*moved)
    total = np.zeros((len(vertices), 3))
    for morphs, each, places, sign in zip((one, other), rows, moved, (1, -1), strict=True):
        total[np.searchsorted(vertices, places)] += sign * morphs.positions[each].astype(np.float64)
    return vertices, np.linalg.norm(total, axis=1)


def _names_of(of: object) -> tuple[str, ...] | None:
    """Return the names of the targets that `of` knows."""
    if of is None:
        return None
    if isinstance(of, Clip):
        return of.morph_names
    if isinstance(of, Character):
        of = of.mesh
    if isinstance(of, Mesh):
        of = of.morphs
    if isinstance(of, Morphs):
        return of.names
    raise TypeError(
        f"{FUNCTION}: of must be Morphs, a Mesh or Character that has some, or a Clip, got "
        f"{type(of).__name__}"
    )


def _sampled(
    actual: ArrayLike | Clip, desired: ArrayLike | Clip, times: ArrayLike | None
) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
    __tracebackhide__ = True
    if isinstance(actual, Clip) and isinstance(desired, Clip):
        if actual.morph_names != desired.morph_names:
            raise AssertionError(
                f"{FUNCTION}: the clips have other morph targets: actual {len(actual.morph_names)}, desired "
                f"{len(desired.morph_names)}, or of other names"
            )
        if times is None:
            times = np.linspace(min(actual.start, desired.start), max(actual.end, desired.end), 101)
    elif times is None:
        raise TypeError(
            f"{FUNCTION}: times must be the seconds of the weights that a clip is compared with, got None"
        )
    return (
        actual.morphs(times, loop=False) if isinstance(actual, Clip) else actual,
        desired.morphs(times, loop=False) if isinstance(desired, Clip) else desired,
        times,
    )
