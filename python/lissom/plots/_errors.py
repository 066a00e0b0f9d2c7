# SPDX-License-Identifier: MIT
"""How far a bake is from its clip over time, or one skinning method from another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import metrics
from lissom._base.names import unknown_name
from lissom._character.character import Character
from lissom._character.clip_choice import clip_of
from lissom._rig.skin import Skin
from lissom.clip import Clip
from lissom.clip._tracks import key_times, unpacked
from lissom.plots._axes import BLUE, BRICK, FAINT, LIGHT_BRICK, axes_for, labelled, of_kind
from lissom.pose_texture._pose_texture import PoseTexture
from lissom.skinning._deform import METHODS, deform

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["error_over_time"]

PER_FRAME = 4  # moments from one frame of a bake to the next
MOST_MOMENTS = 1600
METHOD_MOMENTS = 300
AT_ONCE = 1 << 18  # vertices: 6 MB of float64
ABOVE = 4.0  # what was asked for is drawn where it is no more than so many times the largest error

Deformer = Callable[["NDArray[Any]"], "NDArray[Any]"]


def error_over_time(
    source: PoseTexture | Character,
    clip: Clip | str,
    *,
    methods: tuple[str, ...] | None = None,
    axes: Axes | None = None,
) -> Axes:
    """Plot the error of a bake over the time of a clip, or the distance between two skinning methods.

    Parameters
    ----------
    source : PoseTexture or Character
        A bake with its mesh: its vertices against those of the source clip. A character: its vertices by one
        method against those by another.
    clip : Clip or str
        The clip that was baked, which has the same name in the bake. For a character its name will do.
    methods : tuple of str, optional
        The method that skins both sides of a bake, one (that of its report when omitted); the two of a
        character (``("linear", "dual_quat")``).
    axes : matplotlib.axes.Axes, optional
        Where to draw; a new figure when omitted.

    Returns
    -------
    matplotlib.axes.Axes
        Seconds across; upwards the largest distance, what 99 of 100 vertices do not pass, and the root of the
        mean square, in percent of the character's size. Ticks along the foot are the stored frames, where
        there are no more than 200; the dashed line is `max_error` where that was asked for.

    Raises
    ------
    TypeError
        If an argument is of another type: a bake does not hold the clips it was made of.
    ValueError
        If the bake has no such clip, no mesh or no skin, a joint is missing, or the methods do not fit.
    ImportError
        Without matplotlib, naming the extra.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> bake = lissom.bake(hero, ["walk"], rate=20)
    >>> axes = lissom.plots.error_over_time(bake, hero.clips["walk"])
    >>> axes.get_ylabel()
    'distance, % of size'
    """
    function = "error_over_time"
    of_kind(function, "source", source, (PoseTexture, Character), "a PoseTexture or a Character")
    frames = np.zeros(0)
    asked = None
    if isinstance(source, PoseTexture):
        chosen = _baked_clip(function, source, clip)
        method = _methods(function, methods, (source.method,), source.methods)[0]
        first, second = _by_bake(function, source, chosen, method)
        baked = source.clips[chosen.name]
        frames = np.linspace(baked.start, baked.end, baked.frame_count)
        times = _moments(frames, chosen)
        asked = source.report.max_error
        title = f"{chosen.name}: bake ({source.layout}, {source.texels.dtype} at {baked.rate:.4g} frames/s)"
        title += f" against the clip, {method}"
    else:
        chosen = _own_clip(function, source, clip)
        one, other = _methods(function, methods, ("linear", "dual_quat"), METHODS)
        first, second = _by_method(source, chosen, one), _by_method(source, chosen, other)
        times = np.linspace(chosen.start, chosen.end, METHOD_MOMENTS if chosen.duration > 0 else 1)
        title = f"{chosen.name}: {one} against {other}"
    apart = _distances(first, second, times, source.size)
    axes = axes_for(function, axes)
    percent = 100.0 / (source.size or 1.0)
    for name, values, color in (
        ("max", apart[0], BRICK),
        ("99 %", apart[1], LIGHT_BRICK),
        ("rms", apart[2], BLUE),
    ):
        axes.plot(times, percent * values, color=color, linewidth=1.4, label=name)
    largest = percent * float(apart[0].max(initial=0.0))
    top = 1.25 * max(largest, 1e-9)
    if asked is not None and 100 * asked <= ABOVE * largest:
        top = max(top, 115 * asked)
        axes.axhline(100 * asked, color=FAINT, linewidth=1, linestyle="--", label="asked for")
    if 0 < len(frames) <= 200:
        axes.plot(frames, np.zeros(len(frames)), "|", color=FAINT, markersize=5, clip_on=False)
    axes.legend(frameon=False, ncols=4, loc="upper right", fontsize="small")
    labelled(axes, title, "time, s", "distance, % of size")
    axes.set_ylim(0.0, top)
    axes.margins(x=0.01)
    return axes


def _baked_clip(function: str, bake: PoseTexture, clip: object) -> Clip:
    if not isinstance(clip, Clip):
        raise TypeError(
            f"{function}: clip: expected the Clip that was baked, got {type(clip).__name__}; a bake does "
            "not hold it: pass character.clips[name]"
        )
    if clip.name not in bake.clips:
        raise ValueError(f"{function}: {unknown_name('clip', clip.name, bake.clips)}")
    if bake.mesh is None or bake.skin is None:
        missing = "mesh" if bake.mesh is None else "skin"
        raise ValueError(f"{function}: source: expected a bake with its {missing}, got one without")
    return clip


def _own_clip(function: str, character: Character, clip: object) -> Clip:
    clip = clip_of(character, clip, function)
    if character.mesh is None:
        raise ValueError(
            f"{function}: source: expected a character with a mesh, got {character.name!r} without"
        )
    return clip


def _methods(
    function: str, given: object, omitted: tuple[str, ...], known: tuple[str, ...]
) -> tuple[str, ...]:
    chosen = omitted if given is None else (given,) if isinstance(given, str) else tuple(given)  # type: ignore[arg-type]
    if len(chosen) != len(omitted) or not set(chosen) <= set(known):
        raise ValueError(
            f"{function}: methods: expected {len(omitted)} of {', '.join(known)}, "
            f"got {', '.join(map(str, chosen))}"
        )
    return chosen


def _by_bake(function: str, bake: PoseTexture, clip: Clip, method: str) -> tuple[Deformer, Deformer]:
    """Give what makes the vertices of the clip itself, and of the bake, at times."""
    mesh, skin, skeleton = bake.mesh, bake.skin, clip.skeleton
    assert mesh is not None
    assert skin is not None
    names = [bake.joints[row] for row in skin.joints.tolist()]
    for name in names:
        if name not in skeleton.names:
            raise ValueError(f"{function}: clip: {unknown_name('joint', name, skeleton.names)}")
    own = Skin([skeleton.index(name) for name in names], skin.joint_from_bind)

    def from_clip(times: NDArray[Any]) -> NDArray[Any]:
        poses = clip.sample(times, loop=False)
        return np.asarray(deform(mesh, own.palette(skeleton.model_matrices(poses)), method))

    def from_bake(times: NDArray[Any]) -> NDArray[Any]:
        palette: Any = bake.sample(clip.name, times, loop=False)
        return np.asarray(deform(mesh, palette, method))

    return from_clip, from_bake


def _by_method(character: Character, clip: Clip, method: str) -> Deformer:
    return lambda times: np.asarray(character.deform(clip.sample(times, loop=False), method))


def _moments(frames: NDArray[Any], clip: Clip) -> NDArray[Any]:
    """Give the times of frames, some between them, and those of the keys, where a motion has its corners."""
    if len(frames) < 2:
        return frames
    between = max(1, min(PER_FRAME, MOST_MOMENTS // len(frames)))
    places = np.arange((len(frames) - 1) * between + 1) / between
    times = np.interp(places, np.arange(len(frames)), frames)
    keys = key_times(unpacked(clip.keys, clip.tracks))
    return np.union1d(times, keys) if len(keys) <= MOST_MOMENTS else times


def _distances(first: Deformer, second: Deformer, times: NDArray[Any], size: float) -> NDArray[np.float64]:
    """Give max, p99 and rms at times, ``(3, N)``, in model units."""
    found = []
    count = max(1, AT_ONCE // max(1, len(first(times[:1])[0])))
    for start in range(0, len(times), count):
        part = times[start : start + count]
        apart = metrics.distance(first(part), second(part), size)
        found.append(np.stack([apart.max, apart.p99, apart.rms]))
    return np.concatenate(found, axis=1)
