# SPDX-License-Identifier: MIT
"""Bones of retargeted clips beside those of their sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom._base.names import counted
from lissom._retarget.report import RetargetedClip, RetargetReport
from lissom.plots._axes import INK, axes_for, check_class, labelled, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["bone_errors"]

NUMBERED = 16  # clips: of more the numbers in cells would not be read
LEAST = 10.0  # degrees: the darkest colour means at least so much


def bone_errors(report: RetargetReport | RetargetedClip, *, axes: Axes | None = None) -> Axes:
    """Plot by how much bones differ from their source's after feet and hands went to their goals.

    Parameters
    ----------
    report : RetargetReport or RetargetedClip
        From `Retarget.report`, or one of its ``clips``.
    axes : matplotlib.axes.Axes, optional
        Where to draw; a new figure when omitted.

    Returns
    -------
    matplotlib.axes.Axes
        A column for each clip, a row for each bone, which is named by the role at its head; numbers are mean
        degrees.

    Raises
    ------
    TypeError
        If `report` or `axes` are of another type.
    ValueError
        If no clip was carried over, or the bodies share no bone.
    ImportError
        Without matplotlib, naming the extra.

    Examples
    --------
    >>> hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
    >>> retarget = lissom.Retarget(hero, child)
    >>> walk, run = (retarget.clip(hero.clips[name]) for name in ("walk", "run"))
    >>> axes = lissom.plots.bone_errors(retarget.report)
    >>> [label.get_text() for label in axes.get_xticklabels()]
    ['walk', 'run']
    """
    check_class(
        "bone_errors",
        "report",
        report,
        (RetargetReport, RetargetedClip),
        "a RetargetReport or one of its clips",
    )
    clips = [report] if isinstance(report, RetargetedClip) else list(report.clips.values())
    bones = list(clips[0].bones_with_goals) if clips else []
    if not bones:
        what = (
            "no clip was carried over; call Retarget.clip first" if not clips else "the bodies share no bone"
        )
        raise ValueError(f"bone_errors: report must have bones to plot, and {what}")
    degrees = np.array([[clip.bones_with_goals[bone] for clip in clips] for bone in bones])
    size = (2.2 + 0.55 * max(len(clips), 3), 1.0 + 0.24 * len(bones))
    axes = axes_for("bone_errors", axes, size)
    most = max(float(degrees.max()), LEAST)
    image = axes.imshow(degrees, cmap="YlOrBr", vmin=0, vmax=most, aspect="auto")
    axes.set_xticks(range(len(clips)), [plain(clip.name) for clip in clips], rotation=35, ha="right")
    axes.set_yticks(range(len(bones)), bones)
    labelled(
        axes, f"bones off their source's, degrees, {counted(len(clips), 'clip')}", "clip", "", grid="both"
    )
    axes.grid(visible=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)
    if len(clips) <= NUMBERED:
        for (row, column), value in np.ndenumerate(degrees):
            colour = "white" if value > 0.6 * most else INK
            axes.text(column, row, f"{value:.1f}", ha="center", va="center", fontsize="x-small", color=colour)
    elif axes.figure is not None:
        axes.figure.colorbar(image, ax=axes, label="degrees")
    return axes
