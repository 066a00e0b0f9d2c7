# SPDX-License-Identifier: MIT
"""The pictures of the how-to of plots: each by the lines that stand there."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

import lissom

SHARPNESS = 110  # dots per inch


def plots() -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """Names and pixels."""
    hero = lissom.samples.humanoid()
    walk = hero.clips["walk"]
    yield "curves", _drawn((8.0, 3.2), lambda axes: lissom.plots.clip_curves(walk, "LowerLeg.L", axes=axes))
    contacts = lissom.ik.find_contacts(walk, lissom.ik.Leg.find(hero), character=hero)
    yield "contacts", _drawn((8.0, 2.2), lambda axes: lissom.plots.contact_timeline(contacts, axes=axes))
    bake = lissom.bake(hero, ["wave"], max_error=1e-3)
    wave = hero.clips["wave"]
    yield "error", _drawn((8.0, 3.2), lambda axes: lissom.plots.error_over_time(bake, wave, axes=axes))
    yield "weights", _drawn((6.0, 3.4), lambda axes: lissom.plots.weight_histogram(hero, axes=axes))
    limits = {
        "UpperArm.R": lissom.ik.BallSocket(np.radians(75)),
        "LowerArm.R": lissom.ik.Hinge.from_rest(0.0, 2.4),
    }
    arm = lissom.ik.Chain(hero.skeleton, "UpperArm.R", "Hand.R", limits=limits)
    yield "reach", _drawn((6.0, 4.8), lambda axes: lissom.plots.reach_map(arm, count=161, axes=axes))
    retarget = lissom.Retarget(hero, lissom.samples.humanoid("child"))
    for clip in hero.clips.values():
        retarget.clip(clip)
    yield "bones", _drawn((5.4, 5.4), lambda axes: lissom.plots.bone_errors(retarget.report, axes=axes))


def _drawn(size: tuple[float, float], draw: Any) -> NDArray[np.uint8]:
    figure = Figure(figsize=size, dpi=SHARPNESS, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    draw(figure.add_subplot())
    canvas.draw()
    return np.ascontiguousarray(np.asarray(canvas.buffer_rgba())[..., :3])
