# SPDX-License-Identifier: MIT
"""Whether palettes move what is bound to them alike, in whatever form they come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import dual_quat
from lissom._rig.skin import Palette
from lissom.pose_texture._layouts import SampledPalette
from lissom.testing import _tolerances
from lissom.testing._pair import as_doubles, require_alike
from lissom.testing._report import Measure, Places, find
from lissom.testing._subject import Rows, rows_of
from lissom.testing._vertices import checked_times

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lissom._character.character import Character
    from lissom._rig.skin import Skin
    from lissom.pose_texture._pose_texture import PoseTexture
    from lissom.testing._pair import Floats
    from lissom.testing._tolerances import Lengths

__all__ = ["assert_palettes_close", "measures_of"]

FUNCTION = "assert_palettes_close"

LOST = 1e-6
"""A row whose least stretch is below this share of its largest has lost an axis, and with it its rotation."""


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
    """Fail where a palette row moves what is bound to it by more than a tolerance otherwise.

    Parameters
    ----------
    actual, desired : Palette, SampledPalette or array_like
        What `Skin.palette` or `PoseTexture.sample` gives, matrices (..., S, 4, 4), or dual quaternions
        (..., S, 8), which are normalised; q and -q are the same. The two may come in different forms.
    of : Character, Skin or PoseTexture, optional
        Whose palettes these are: the message names joints, and each row's translation is taken at its joint's
        own place in bind space, where no rotation hides in it. The skin of a Palette when omitted; without
        any, at the origin.
    rotation : float
        Tolerance of the angle between the rotations of the rows' polar decompositions, radians.
    share : float, optional
        Tolerance of translations as a fraction of the size; 1e-5 when neither this nor `length` is given.
    length : float, optional
        Tolerance of translations in model units, instead of `share`.
    size : float, optional
        What `share` is a fraction of: that of a character or bake in `of` when omitted, otherwise one unit.
    scale : float
        Tolerance of the stretches of the polar decompositions, as a fraction of the row's largest desired
        one. Of a row that has lost an axis, and with it its rotation, all of the 3x3 counts here.
    times : array_like, shape (...), optional
        Seconds of each pose, for the message.
    err_msg : str
        Stands in the message.

    Raises
    ------
    AssertionError
        If a row is beyond a tolerance, a number is not finite, a matrix not affine, a dual quaternion zero,
        or shapes differ or are empty.
    TypeError, ValueError
        If an argument makes no sense.

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
        of = next((given.skin for given in (desired, actual) if isinstance(given, Palette)), None)
    rows = rows_of(FUNCTION, of)
    a = _matrices("actual", actual)
    b = _matrices("desired", desired)
    if rows.pivots is not None and len(rows.pivots) != b.shape[-3]:
        raise ValueError(
            f"{FUNCTION}: of: expected a skin of the {b.shape[-3]} rows of desired, got one of "
            f"{len(rows.pivots)}"
        )
    place = Places(rows.said, checked_times(FUNCTION, times, b.shape[:-3]))
    limit = _tolerances.lengths(FUNCTION, length, share, size, rows.size)
    tolerances = _tolerances.angle(FUNCTION, rotation), _tolerances.ratio(FUNCTION, scale)
    require_alike(FUNCTION, a, b, 2, place)
    _require_affine(a, b, place)
    found = find("palette rows", measures_of(a, b, rows, limit, *tolerances), place)
    if found is not None:
        raise AssertionError(found.message(FUNCTION, err_msg))


def measures_of(
    a: Floats, b: Floats, rows: Rows, limit: Lengths, rotation: float, scale: float
) -> list[Measure]:
    """Give how far matrices (..., S, 4, 4) are apart: at the joints' places, in rotation and in stretch."""
    turned, stretched = np.zeros((2, *b.shape[:-2]))
    places = (a[..., :3, 3], b[..., :3, 3])
    if rows.pivots is not None:
        places = tuple(  # type: ignore[assignment]
            (m[..., :3, :3] @ rows.pivots[..., None])[..., 0] + m[..., :3, 3] for m in (a, b)
        )
    apart: Floats = np.linalg.norm(places[0] - places[1], axis=-1)
    linear = a[..., :3, :3], b[..., :3, :3]
    other = (linear[0] != linear[1]).any(axis=(-2, -1))  # decomposing takes its time: most rows are alike
    if other.any():
        turned[other], stretched[other] = _turned_and_stretched(linear[0][other], linear[1][other])

    def flat(m: Floats) -> Floats:
        return m[..., :3, :3].reshape(*m.shape[:-2], 9)

    percent = lambda ratio: f"{100 * ratio:.3g} %"  # noqa: E731
    return [
        Measure("rotation", turned, rotation, _tolerances.degrees, flat(a), flat(b)),
        Measure("translation", apart, limit.tolerance, limit.said, *places),
        Measure("scale", stretched, scale, percent, flat(a), flat(b)),
    ]


def _turned_and_stretched(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Give angles (N,) and relative differences of stretch (N,) of 3x3 matrices (N, 3, 3)."""
    first, second = _Polar(a), _Polar(b)
    largest = np.where(second.largest > 0, second.largest, 1)
    # |R - R'| = 2 sqrt(2) sin(angle / 2) in the norm of Frobenius.
    chord = np.linalg.norm(first.rotation - second.rotation, axis=(-2, -1)) / np.sqrt(8)
    turned = 2 * np.arcsin(np.minimum(chord, 1))
    stretched = np.linalg.norm(first.stretch - second.stretch, 2, axis=(-2, -1)) / largest
    lost = first.lost | second.lost
    whole = np.linalg.norm(a - b, 2, axis=(-2, -1)) / largest
    return np.where(lost, 0, turned), np.where(lost, whole, stretched)


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
    wrong = AssertionError if name == "actual" else ValueError
    raise wrong(
        f"{FUNCTION}: {name}: expected matrices (..., S, 4, 4) or dual quaternions (..., S, 8), got "
        f"{array.shape}"
    )


def _require_affine(a: Floats, b: Floats, place: Places) -> None:
    __tracebackhide__ = True
    for name, matrices in (("actual", a), ("desired", b)):
        off = np.abs(matrices[..., 3, :] - [0, 0, 0, 1]).max(axis=-1)
        if off.max() > LOST:
            index = tuple(map(int, np.unravel_index(np.argmax(off), off.shape)))
            raise AssertionError(
                f"{FUNCTION}: {name} has a last row other than 0 0 0 1 at {place(index)}: "
                f"{matrices[index][3]}"
            )
