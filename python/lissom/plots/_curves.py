# SPDX-License-Identifier: MIT
"""The motion of a joint in a clip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import quat, trs
from lissom.clip import Clip
from lissom.clip._tracks import ROTATION, SCALE, TRANSLATION, key_times, unpacked
from lissom.plots._axes import BLUE, BRICK, FAINT, MOSS, axes_for, check_class, labelled, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lissom._rig.skeleton_arrays import Joint

__all__ = ["clip_curves"]

SAMPLES = 600  # per curve
MOST_MARKED = 200  # keys of a track that are marked: more would hide the curve
AXES = (("x", BRICK), ("y", MOSS), ("z", BLUE))
PATHS = {"translation": TRANSLATION, "rotation": ROTATION, "angle": ROTATION, "scale": SCALE}
LABELS = {
    "rotation": "quaternion",
    "angle": "rotation from rest, degrees",
    "translation": "translation, model units",
    "scale": "scale",
    "position": "position in model space, model units",
}


def clip_curves(clip: Clip, joint: Joint, *, of: str = "rotation", axes: Axes | None = None) -> Axes:
    """Plot the motion of a joint in a clip.

    Parameters
    ----------
    clip : Clip
    joint : str or int
        Its name or index.
    of : {"rotation", "angle", "translation", "scale", "position"}
        Part of the joint's local transform: the quaternion x, y, z, w, the angle in degrees between its
        rotation and that of the rest pose, translation or scale; or its position in model space.
    axes : matplotlib.axes.Axes, optional
        Where to draw; a new figure when omitted.

    Returns
    -------
    matplotlib.axes.Axes
        Seconds on x. Dots are the keys of the joint's own track, unless it has more than 200; dotted lines
        are markers.

    Raises
    ------
    TypeError
        If `clip` is not a Clip, or `axes` are of another type.
    ValueError
        If there is no such joint, `of` is another word, `of` is ``"position"`` for an additive clip, or the
        clip's keys are broken.
    ImportError
        Without matplotlib, naming the extra.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"]
    >>> axes = lissom.plots.clip_curves(walk, "LowerLeg.L", of="angle")
    >>> axes.get_ylabel()
    'rotation from rest, degrees'
    """
    check_class("clip_curves", "clip", clip, Clip, "a Clip")
    if of not in LABELS:
        raise ValueError(f"clip_curves: of must be one of {', '.join(LABELS)}, got {of!r}")
    if clip.additive and of == "position":
        raise ValueError(
            f"clip_curves: of must be another curve for an additive clip, got 'position': the poses of "
            f"{clip.name!r} are differences, without a model space"
        )
    index = clip.skeleton._index_of(joint, "clip_curves")
    axes = axes_for("clip_curves", axes)
    path = PATHS.get(of)  # None for a position, which depends on many tracks
    tracks = unpacked(clip.keys, clip.tracks)
    keys = key_times(track for track in tracks if (track.joint, track.path) == (index, path))
    times = np.union1d(np.linspace(clip.start, clip.end, SAMPLES), keys)
    values = _values(clip, index, of, times)
    curves = [("", FAINT), *AXES] if of == "angle" else [*AXES, ("w", FAINT)]
    for column, (name, color) in zip(values.T, curves, strict=False):
        axes.plot(times, column, color=color if of != "angle" else BRICK, linewidth=1.6, label=name)
        if 0 < len(keys) <= MOST_MARKED:
            at = np.searchsorted(times, keys)
            axes.plot(keys, column[at], ".", color=color if of != "angle" else BRICK, markersize=5)
    for marker in clip.markers:
        axes.axvline(marker.time, color=FAINT, linewidth=1, linestyle=":")
        place: Any = (marker.time, 1.0)
        axes.annotate(
            plain(marker.name),
            place,
            xycoords=("data", "axes fraction"),
            xytext=(2, -2),
            textcoords="offset points",
            va="top",
            fontsize="x-small",
            color=FAINT,
        )
    if values.shape[1] > 1:
        axes.legend(frameon=False, ncols=4, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1)
    labelled(axes, f"{clip.name}: {clip.skeleton.names[index]}, {of}", "time, s", LABELS[of])
    axes.margins(x=0.01)
    return axes


def _values(clip: Clip, joint: int, of: str, times: NDArray[Any]) -> NDArray[np.float64]:
    """Return the values at times, a column for each curve."""
    poses = clip.sample(times, loop=False).astype(np.float64)
    if of == "position":
        return np.asarray(clip.skeleton.positions(poses)[:, joint])
    local = poses[:, joint]
    if of == "translation":
        return np.asarray(trs.translation(local))
    if of == "scale":
        return np.asarray(trs.scale(local))
    rotations = quat.align(trs.rotation(local))
    if of == "rotation":
        return np.asarray(rotations)
    rest = trs.rotation(trs.identity() if clip.additive else clip.skeleton.rest[joint])
    return np.asarray(np.degrees(quat.angle_between(rotations, rest.astype(np.float64)))[:, None])
