# SPDX-License-Identifier: MIT
"""The assert for palettes, in any of their forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import dual_quat
from lissom._rig.skin import Palette
from lissom.pose_texture._layouts import SampledPalette
from lissom.testing import _tolerances
from lissom.testing._mismatch import ElementLabel, Measure, find_mismatch
from lissom.testing._pair import as_doubles, require_comparable
from lissom.testing._subject import Rows, rows_of
from lissom.testing._vertices import check_times

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lissom._character.character import Character
    from lissom._rig.skin import Skin
    from lissom.pose_texture._pose_texture import PoseTexture
    from lissom.testing._pair import Floats
    from lissom.testing._tolerances import Lengths

__all__ = ["assert_palettes_close", "palette_measures"]

FUNCTION = "assert_palettes_close"

LOST = 1e-6
"""A row whose least stretch is below this fraction of its largest has lost an axis, and so its rotation."""


def assert_palettes_close(
    actual: Palette | SampledPalette | ArrayLike,
    desired: Palette | SampledPalette | ArrayLike,
    *,
    of: Character | Skin | PoseTexture | None = None,
    rotation: float = _tolerances.ROTATION,
    share: float | None = None,
    length: float | None = None,
    size: float | None = None,
    scale: float = _tolerances.SCALE,
    times: ArrayLike | None = None,
    err_msg: str = "",
) -> None:
    """Raise an AssertionError where the transform of a palette row differs by more than a tolerance.

    Parameters
    ----------
    actual, desired : Palette, SampledPalette or array_like
        Results of `Skin.palette` or `PoseTexture.sample`, matrices (..., S, 4, 4), or dual quaternions
        (..., S, 8), which are normalised; q and -q are the same. The two may have different forms.
    of : Character, Skin or PoseTexture, optional
        Whose palettes these are: the message names joints, and the translation of each row is that of its
        joint's position in bind space, which rotations do not change. When omitted the skin of a Palette;
        without any, the translation is that of the origin.
    rotation : float
        Tolerance of the angle between the rotations of the rows' polar decompositions, radians.
    share : float, optional
        Tolerance of translations as a fraction of the size; 1e-5 when neither this nor `length` is given.
    length : float, optional
        Tolerance of translations in model units, instead of `share`.
    size : float, optional
        Length of which `share` is a fraction: when omitted the size of a character or bake in `of`, otherwise
        one unit.
    scale : float
        Tolerance of the stretches of the polar decompositions, as a fraction of the row's largest desired
        one. For a row that has lost an axis, and with it its rotation, the whole 3x3 part is compared here.
    times : array_like, shape (...), optional
        Seconds of each pose, for the message.
    err_msg : str
        Text to include in the message.

    Raises
    ------
    AssertionError
        If a row is beyond a tolerance, a number is not finite, a matrix is not affine, a dual quaternion is
        zero, or shapes differ or are empty.
    TypeError, ValueError
        If an argument is wrong.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> poses = hero.clips["walk"].sample([0.2, 0.4])
    >>> palette = hero.skin.palette(hero.skeleton.model_matrices(poses))
    >>> lissom.testing.assert_palettes_close(-palette.dual_quats, palette, of=hero)
    >>> bake = lissom.bake(hero, ["walk"], dtype="float16")
    >>> lissom.testing.assert_palettes_close(bake.sample("walk", [0.2, 0.4]), palette, of=bake)
    Traceback (most recent call last):
    AssertionError: assert_palettes_close: ... of 68 palette rows, in 2 of 2 poses, are beyond the tolerance
      rotation: ...
    """
    __tracebackhide__ = True
    if of is None:
        of = next((palette.skin for palette in (desired, actual) if isinstance(palette, Palette)), None)
    rows = rows_of(FUNCTION, of)
    a = _matrices("actual", actual)
    b = _matrices("desired", desired)
    if rows.pivots is not None and len(rows.pivots) != b.shape[-3]:
        raise ValueError(
            f"{FUNCTION}: of must have a skin of the {b.shape[-3]} rows of desired, got one of "
            f"{len(rows.pivots)}"
        )
    label = ElementLabel(rows.label, check_times(FUNCTION, times, b.shape[:-3]))
    limit = _tolerances.lengths(FUNCTION, length, share, size, rows.size)
    tolerances = _tolerances.angle(FUNCTION, rotation), _tolerances.ratio(FUNCTION, scale)
    require_comparable(FUNCTION, a, b, 2, label)
    _require_affine(a, b, label)
    mismatch = find_mismatch("palette rows", palette_measures(a, b, rows, limit, *tolerances), label)
    if mismatch is not None:
        raise AssertionError(mismatch.message(FUNCTION, err_msg))


def palette_measures(
    a: Floats, b: Floats, rows: Rows, limit: Lengths, rotation: float, scale: float
) -> list[Measure]:
    """Measure differences of matrices (..., S, 4, 4): rotation, translation of the joints, stretch."""
    angles, stretches = np.zeros((2, *b.shape[:-2]))
    positions = (a[..., :3, 3], b[..., :3, 3])
    if rows.pivots is not None:
        positions = tuple(  # type: ignore[assignment]
            (m[..., :3, :3] @ rows.pivots[..., None])[..., 0] + m[..., :3, 3] for m in (a, b)
        )
    distances: Floats = np.linalg.norm(positions[0] - positions[1], axis=-1)
    linear = a[..., :3, :3], b[..., :3, :3]
    differs = (linear[0] != linear[1]).any(axis=(-2, -1))  # decomposing is slow, and most rows are equal
    if differs.any():
        angles[differs], stretches[differs] = _angles_and_stretches(linear[0][differs], linear[1][differs])

    def flat(m: Floats) -> Floats:
        return m[..., :3, :3].reshape(*m.shape[:-2], 9)

    return [
        Measure("rotation", angles, rotation, _tolerances.degrees, flat(a), flat(b)),
        Measure("translation", distances, limit.tolerance, limit.text, *positions),
        Measure("scale", stretches, scale, _tolerances.percent, flat(a), flat(b)),
    ]


def _angles_and_stretches(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return angles (N,) and relative differences of stretch (N,) of 3x3 matrices (N, 3, 3)."""
    first, second = _Polar(a), _Polar(b)
    largest = np.where(second.largest > 0, second.largest, 1)
    # |R - R'| = 2 sqrt(2) sin(angle / 2) in the Frobenius norm.
    half_sine = np.linalg.norm(first.rotation - second.rotation, axis=(-2, -1)) / np.sqrt(8)
    angles = 2 * np.arcsin(np.minimum(half_sine, 1))
    stretches = np.linalg.norm(first.stretch - second.stretch, 2, axis=(-2, -1)) / largest
    lost = first.lost | second.lost
    whole = np.linalg.norm(a - b, 2, axis=(-2, -1)) / largest
    return np.where(lost, 0, angles), np.where(lost, whole, stretches)


class _Polar:
    """M = R P: a rotation, and a symmetric stretch that is negative where M mirrors, as in `Palette`."""

    def __init__(self, matrices: Floats) -> None:
        u, values, v = np.linalg.svd(matrices)
        sign = np.sign(np.linalg.det(u @ v))[:, None, None]
        self.rotation = sign * (u @ v)
        self.stretch = sign * (v.mT * values[:, None, :]) @ v
        self.largest = values[:, 0]
        self.lost = values[:, 2] <= LOST * values[:, 0]


def _matrices(name: str, value: Any) -> Floats:
    __tracebackhide__ = True
    if isinstance(value, (Palette, SampledPalette)):
        value = value.matrices
    array = as_doubles(FUNCTION, name, value)
    if array.ndim >= 3 and array.shape[-2:] == (4, 4):
        return array
    if array.ndim >= 2 and array.shape[-1] == 8:
        finite = np.isfinite(array).all(axis=-1)
        if (np.linalg.norm(array[..., :4], axis=-1)[finite] == 0).any():
            raise AssertionError(f"{FUNCTION}: {name} holds a dual quaternion whose real part is zero")
        matrices: Floats = dual_quat.to_matrix(dual_quat.normalize(array))
        return matrices
    kind = AssertionError if name == "actual" else ValueError
    raise kind(
        f"{FUNCTION}: {name} must be matrices (..., S, 4, 4) or dual quaternions (..., S, 8), got shape "
        f"{array.shape}"
    )


def _require_affine(a: Floats, b: Floats, label: ElementLabel) -> None:
    __tracebackhide__ = True
    for name, matrices in (("actual", a), ("desired", b)):
        off = np.abs(matrices[..., 3, :] - [0, 0, 0, 1]).max(axis=-1)
        if off.max() > LOST:
            index = tuple(map(int, np.unravel_index(np.argmax(off), off.shape)))
            raise AssertionError(
                f"{FUNCTION}: {name} has a last row other than 0 0 0 1 at {label(index)}: "
                f"{matrices[index][3]}"
            )
