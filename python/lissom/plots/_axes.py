# SPDX-License-Identifier: MIT
"""Axes to draw into, passed or new, and the look that all plots share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom._base.extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "BLUE",
    "BRICK",
    "FAINT",
    "INK",
    "LIGHT_BRICK",
    "MOSS",
    "axes_for",
    "check_class",
    "labelled",
    "plain",
]

BRICK, MOSS, BLUE, LIGHT_BRICK = "#b24426", "#5c823c", "#265c8c", "#de8b6a"
INK, FAINT = "#343a44", "#68707c"


def axes_for(function: str, axes: Axes | None, size: tuple[float, float] = (7.0, 3.2)) -> Axes:
    """Return the axes to draw into; new ones for None.

    Raises
    ------
    ImportError
        Without matplotlib, naming the extra.
    TypeError
        If `axes` are not matplotlib's.
    """
    module = require("matplotlib.axes", "plot", f"lissom.plots.{function}")
    if axes is None:
        pyplot = require("matplotlib.pyplot", "plot", f"lissom.plots.{function}")
        axes = pyplot.subplots(figsize=size, layout="constrained")[1]
    if not isinstance(axes, module.Axes):
        what = f"{function}: axes must be matplotlib Axes, got {type(axes).__name__}"
        raise TypeError(f"{what}; pass one, such as axes[0] of subplots")
    checked: Axes = axes
    return checked


def check_class(
    function: str, argument: str, value: object, kind: type | tuple[type, ...], expected: str
) -> None:
    """Refuse a value of another class."""
    if not isinstance(value, kind):
        raise TypeError(f"{function}: {argument} must be {expected}, got {type(value).__name__}")


def labelled(axes: Axes, title: str, x_label: str, y_label: str, *, grid: str = "both") -> None:
    """Set title and labels, hide two spines and draw a faint grid."""
    axes.set_title(plain(title), loc="left", fontsize="medium", color=INK)
    axes.set_xlabel(plain(x_label), color=INK)
    axes.set_ylabel(plain(y_label), color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    lines: Any = grid
    axes.grid(axis=lines, alpha=0.25)
    axes.set_axisbelow(True)


def plain(text: str) -> str:
    """Escape a text, such as a name from a file, so that matplotlib does not read it as a formula."""
    return text.replace("$", r"\$")
