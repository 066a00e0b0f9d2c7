# SPDX-License-Identifier: MIT
"""The distance over time of a bake from its clip, or of one skinning method from another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import metrics
from lissom._base.methods import BAKED_METHODS, METHODS
from lissom._base.names import unknown_name
from lissom._character.character import Character
from lissom._character.clip_choice import clip_of
from lissom._rig.skin import Skin
from lissom.clip import Clip
from lissom.clip._tracks import all_key_times
from lissom.plots._axes import BLUE, BRICK, FAINT, LIGHT_BRICK, axes_for, check_class, labelled
from lissom.pose_texture._pose_texture import PoseTexture
from lissom.skinning._deform import deform

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["error_over_time"]

PER_FRAME = 4  # times at which a bake is measured, per frame
MOST_TIMES = 1600
METHOD_TIMES = 300  # at which methods are compared
AT_ONCE = 1 << 18  # vertices: 6 MB of float64
ABOVE = 4.0  # max_error is drawn up to this multiple of the largest error

Deformer = Callable[["NDArray[Any]"], "NDArray[Any]"]


def error_over_time(
    source: PoseTexture | Character,
    clip: Clip | str,
    *,
    methods: tuple[str, ...] | None = None,
    axes: Axes | None = None,
) -> Axes:
    """Plot the error of a bake over time, or the distance between two skinning methods.

    Parameters
    ----------
    source : PoseTexture or Character
        A bake with its mesh, whose vertices are compared with those of its source clip; or a character, whose
        vertices are compared by two methods.
    clip : Clip or str
        The clip that was baked, under its name in the bake. For a character, a clip or its name.
    methods : tuple of str, optional
        For a bake, the method that skins both the bake and the clip; that of its report when omitted. For a
        character, two methods; ``("linear", "dual_quat")`` when omitted.
    axes : matplotlib.axes.Axes, optional
        Where to draw; a new figure when omitted.

    Returns
    -------
    matplotlib.axes.Axes
        Seconds on x; on y the maximum, 99th percentile and root mean square of the distance over the
        vertices, in percent of the character's size. Ticks at the bottom are the stored frames, unless there
        are more than 200; the dashed line is the `max_error` of the bake, if any.

    Raises
    ------
    TypeError
        If an argument is of another type; for a bake, also if `clip` is a name, since a bake does not hold
        its source clips.
    ValueError
        If the bake has no such clip, no mesh or no skin, the clip lacks a joint of the bake, or the methods
        do not fit.
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
    check_class(function, "source", source, (PoseTexture, Character), "a PoseTexture or a Character")
    frames = np.zeros(0)
    max_error = None
    if isinstance(source, PoseTexture):
        chosen = _baked_clip(function, source, clip)
        method = _methods(function, methods, (source.method,), source.methods)[0]
        first, second = _by_bake(function, source, chosen, method)
        baked = source.clips[chosen.name]
        frames = np.linspace(baked.start, baked.end, baked.frame_count)
        times = _measured_times(frames, chosen)
        max_error = source.report.max_error
        title = f"{chosen.name}: bake ({source.layout}, {source.texels.dtype} at {baked.rate:.4g} frames/s)"
        title += f" against the clip, {method}"
    else:
        chosen = _own_clip(function, source, clip)
        one, other = _methods(function, methods, BAKED_METHODS, METHODS)
        first, second = _by_method(source, chosen, one), _by_method(source, chosen, other)
        times = np.linspace(chosen.start, chosen.end, METHOD_TIMES if chosen.duration > 0 else 1)
        title = f"{chosen.name}: {one} against {other}"
    distances = _distances(first, second, times, source.size)
    axes = axes_for(function, axes)
    percent = 100.0 / (source.size or 1.0)
    for name, values, color in (
        ("max", distances[0], BRICK),
        ("99 %", distances[1], LIGHT_BRICK),
        ("rms", distances[2], BLUE),
    ):
        axes.plot(times, percent * values, color=color, linewidth=1.4, label=name)
    largest = percent * float(distances[0].max(initial=0.0))
    top = 1.25 * max(largest, 1e-9)
    if max_error is not None and 100 * max_error <= ABOVE * largest:
        top = max(top, 115 * max_error)
        axes.axhline(100 * max_error, color=FAINT, linewidth=1, linestyle="--", label="max_error")
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
            f"{function}: clip must be the Clip that was baked, got {type(clip).__name__}; a bake does not "
            "hold it: pass character.clips[name]"
        )
    if clip.name not in bake.clips:
        raise ValueError(f"{function}: {unknown_name('clip', clip.name, bake.clips)}")
    if bake.mesh is None or bake.skin is None:
        missing = "mesh" if bake.mesh is None else "skin"
        raise ValueError(f"{function}: source must be a bake with a {missing}, got one without")
    return clip


def _own_clip(function: str, character: Character, clip: object) -> Clip:
    clip = clip_of(character, clip, function)
    if character.mesh is None:
        raise ValueError(
            f"{function}: source must be a character with a mesh, got {character.name!r} without"
        )
    return clip


def _methods(
    function: str, methods: object, default: tuple[str, ...], known: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the methods, as many as the default has; refuse others than the known ones."""
    chosen = default if methods is None else (methods,) if isinstance(methods, str) else tuple(methods)  # type: ignore[arg-type]
    if len(chosen) != len(default) or not set(chosen) <= set(known):
        raise ValueError(
            f"{function}: methods must be {len(default)} of {', '.join(known)}, "
            f"got {', '.join(map(str, chosen))}"
        )
    return chosen


def _by_bake(function: str, bake: PoseTexture, clip: Clip, method: str) -> tuple[Deformer, Deformer]:
    """Return the functions that map times to the vertices of the clip and of the bake."""
    mesh, skin, skeleton = bake.mesh, bake.skin, clip.skeleton
    assert mesh is not None
    assert skin is not None
    names = [bake.joints[row] for row in skin.joints.tolist()]
    for name in names:
        if name not in skeleton.names:
            missing = unknown_name("joint", name, skeleton.names)
            raise ValueError(f"{function}: clip must have all joints of the bake, but {missing}")
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


def _measured_times(frames: NDArray[Any], clip: Clip) -> NDArray[Any]:
    """Return the times of frames, some between them, and the times of keys, where motion has its corners."""
    if len(frames) < 2:
        return frames
    between = max(1, min(PER_FRAME, MOST_TIMES // len(frames)))
    places = np.arange((len(frames) - 1) * between + 1) / between
    times = np.interp(places, np.arange(len(frames)), frames)
    keys = all_key_times(clip)
    return np.union1d(times, keys) if len(keys) <= MOST_TIMES else times


def _distances(first: Deformer, second: Deformer, times: NDArray[Any], size: float) -> NDArray[np.float64]:
    """Return max, p99 and rms of the distance at times, ``(3, N)``, in model units."""
    parts = []
    count = max(1, AT_ONCE // max(1, len(first(times[:1])[0])))
    for start in range(0, len(times), count):
        part = times[start : start + count]
        distance = metrics.distance(first(part), second(part), size)
        parts.append(np.stack([distance.max, distance.p99, distance.rms]))
    return np.concatenate(parts, axis=1)
