# SPDX-License-Identifier: MIT
"""Foot contacts over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.ik import Contacts
from lissom.plots._axes import BLUE, FAINT, INK, axes_for, check_class, labelled, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["contact_timeline"]

TALL = 0.72  # height of a curve at 1, in rows


def contact_timeline(contacts: Contacts, *, axes: Axes | None = None) -> Axes:
    """Plot the contacts of feet with the ground over time.

    Parameters
    ----------
    contacts : Contacts
        From `lissom.ik.find_contacts`.
    axes : matplotlib.axes.Axes, optional
        Where to draw; a new figure when omitted.

    Returns
    -------
    matplotlib.axes.Axes
        Seconds on x; a row for each leg, the first on top, with its curve as an area, and a dark bar below
        where the curve is 1. A loop is drawn to its end.

    Raises
    ------
    TypeError
        If `contacts` or `axes` are of another type.
    ImportError
        Without matplotlib, naming the extra.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> contacts = lissom.ik.find_contacts(hero.clips["walk"], lissom.ik.Leg.find(hero), character=hero)
    >>> axes = lissom.plots.contact_timeline(contacts)
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['Foot.L', 'Foot.R']
    """
    check_class(
        "contact_timeline", "contacts", contacts, Contacts, "Contacts, as from lissom.ik.find_contacts"
    )
    count = len(contacts.names)
    axes = axes_for("contact_timeline", axes, (7.0, 1.1 + 0.6 * max(1, count)))
    times, curves = contacts.times, contacts.curves
    if contacts.period is not None and len(times):
        times = np.append(times, times[0] + contacts.period)
        curves = np.concatenate([curves, curves[:1]])
    for row, curve in enumerate(curves.T):
        base = count - 1 - row
        axes.fill_between(times, base, base + TALL * curve, color=BLUE, alpha=0.35, linewidth=0)
        axes.plot(times, base + TALL * curve, color=BLUE, linewidth=1.2)
        axes.axhline(base, color=FAINT, linewidth=0.6)
        for first, last in contacts.stances(row):
            for start in (0.0, contacts.period) if contacts.period else (0.0,):  # across the seam
                low, high = max(first - start, times[0]), min(last - start, times[-1])
                if low <= high:
                    axes.plot([low, high], [base, base], color=INK, linewidth=4, solid_capstyle="butt")
    axes.set_yticks(count - 1 - np.arange(count) + TALL / 2, [plain(name) for name in contacts.names])
    axes.set_ylim(-0.15, count - 1 + 1.0)
    axes.tick_params(axis="y", length=0)
    labelled(axes, "feet on the ground; dark: planted", "time, s", "", grid="x")
    axes.margins(x=0.01)
    return axes
