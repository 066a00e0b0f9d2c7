# SPDX-License-Identifier: MIT
"""The influences of a mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom._base.extras import require
from lissom._base.names import counted
from lissom._character.character import Character
from lissom._rig.mesh import Mesh
from lissom.plots._axes import axes_for, check_class, labelled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["weight_histogram"]

LABEL = 0.28  # inches that the number above a bar takes, with what is around it
# Bounds of the classes of a vertex's largest weight: above the lower, up to the upper one.
BOUNDS = (0.0, 0.4, 0.6, 0.8, 0.95, 1.0)


def weight_histogram(mesh: Mesh | Character, *, axes: Axes | None = None) -> Axes:
    """Plot the number of influences of vertices, and the largest weight of each.

    Parameters
    ----------
    mesh : Mesh or Character
    axes : matplotlib.axes.Axes, optional
        Where to draw; a new figure when omitted.

    Returns
    -------
    matplotlib.axes.Axes
        Number of influences with a weight above 0 on x, share of the vertices on y; a bar is divided into
        classes of the largest weight.

    Raises
    ------
    TypeError
        If `mesh` or `axes` are of another type.
    ValueError
        If there are no vertices.
    ImportError
        Without matplotlib, naming the extra.

    Examples
    --------
    >>> axes = lissom.plots.weight_histogram(lissom.samples.humanoid())
    >>> axes.get_xlabel()
    'influences per vertex'
    """
    check_class("weight_histogram", "mesh", mesh, (Mesh, Character), "a Mesh or a Character")
    plotted = mesh if isinstance(mesh, Mesh) else mesh.mesh
    if plotted is None or not plotted.vertex_count:
        raise ValueError("weight_histogram: mesh must have at least one vertex, got none")
    weights = plotted.weights
    axes = axes_for("weight_histogram", axes, (5.5, 3.4))
    counts = np.count_nonzero(weights, axis=1)
    most = int(counts.max())
    # Where a vertex has two influences of one row, as in some files, the larger one counts.
    group = np.clip(np.searchsorted(BOUNDS, weights.max(axis=1), side="left") - 1, 0, len(BOUNDS) - 2)
    table = np.zeros((len(BOUNDS) - 1, most + 1))
    np.add.at(table, (group, counts), 100.0 / len(counts))
    color_map = require("matplotlib", "plot", "lissom.plots.weight_histogram").colormaps["viridis"]
    colors = color_map(np.linspace(0.05, 0.95, len(table)))
    base = np.zeros(most + 1)
    numbers = np.arange(most + 1)
    for shares, color, low, high in zip(table, colors, BOUNDS[:-1], BOUNDS[1:], strict=True):
        if shares.any():
            label = f"up to {high:g}" if low == 0 else f"{low:g} to {high:g}"
            axes.bar(numbers[1:], shares[1:], 0.8, bottom=base[1:], color=color, label=label)
        base += shares
    for count, total in zip(numbers[1:], base[1:], strict=True):
        axes.annotate(
            f"{total:.0f} %" if total >= 0.5 or total == 0 else f"{total:.1g} %",
            (count, total),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            fontsize="small",
        )
    axes.set_xticks(numbers[1:])
    axes.set_xlim(0.4, most + 0.6)
    title = f"{len(counts)} vertices, {counted(most, 'influence')} at most"
    labelled(axes, title, "influences per vertex", "share of vertices, %", grid="y")
    _add_legend(axes, float(base.max()))
    return axes


def _add_legend(axes: Axes, tallest: float) -> None:
    """Add a legend above the tallest bar and its number, in as few rows as the axes have room for."""
    renderer = axes.figure.canvas.get_renderer()  # type: ignore[attr-defined]  # all that draw have one
    for columns in range(len(BOUNDS), 0, -1):
        legend = axes.legend(
            title="largest weight",
            loc="upper right",
            ncols=columns,
            frameon=False,
            fontsize="x-small",
            title_fontsize="x-small",
            handlelength=0.9,
            handletextpad=0.4,
            columnspacing=0.9,
            labelspacing=0.2,
            borderaxespad=0.0,
            borderpad=0.0,
        )
        space, own = axes.get_window_extent(renderer), legend.get_window_extent(renderer)
        if own.width <= 0.9 * space.width:  # the layout may yet make axes narrower
            break
    share = min((own.height + LABEL * axes.figure.dpi) / space.height, 0.75)
    top = tallest / (1 - share)
    axes.set_yticks([tick for tick in axes.get_yticks() if 0 <= tick <= min(100, top)])
    axes.set_ylim(0, top)
