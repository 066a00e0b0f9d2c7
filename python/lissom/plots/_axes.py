# SPDX-License-Identifier: MIT
"""Axes to draw into: those given or new ones, and how all plots look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom._base.extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BLUE", "BRICK", "FAINT", "INK", "LIGHT_BRICK", "MOSS", "axes_for", "labelled", "of_kind"]

BRICK, MOSS, BLUE, LIGHT_BRICK = "#b24426", "#5c823c", "#265c8c", "#de8b6a"
INK, FAINT = "#343a44", "#68707c"


def axes_for(function: str, axes: Axes | None, size: tuple[float, float] = (7.0, 3.2)) -> Axes:
    """Give the axes to draw into.

    Raises
    ------
    ImportError
        Without matplotlib, naming the extra.
    TypeError
        If `axes` are none of matplotlib's.
    """
    module = require("matplotlib.axes", "plot", f"lissom.plots.{function}")
    if axes is None:
        pyplot = require("matplotlib.pyplot", "plot", f"lissom.plots.{function}")
        axes = pyplot.subplots(figsize=size, layout="constrained")[1]
    if not isinstance(axes, module.Axes):
        what = f"{function}: axes: expected axes of matplotlib, got {type(axes).__name__}"
        raise TypeError(f"{what}; pass one, such as axes[0] of subplots")
    checked: Axes = axes
    return checked


def of_kind(function: str, argument: str, value: object, kind: type | tuple[type, ...], wanted: str) -> None:
    """Refuse what is of another class."""
    if not isinstance(value, kind):
        raise TypeError(f"{function}: {argument}: expected {wanted}, got {type(value).__name__}")


def labelled(axes: Axes, title: str, across: str, upwards: str, *, grid: str = "both") -> None:
    """Write title and labels, and take away what distracts."""
    axes.set_title(_plain(title), loc="left", fontsize="medium", color=INK)
    axes.set_xlabel(_plain(across), color=INK)
    axes.set_ylabel(_plain(upwards), color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    lines: Any = grid
    axes.grid(axis=lines, alpha=0.25)
    axes.set_axisbelow(True)


def _plain(words: str) -> str:
    """Keep names of files from being read as formulas."""
    return words.replace("$", r"\$")
