# SPDX-License-Identifier: MIT
"""Time: how a clip answers times outside of it, and what frames between keys miss."""

import numpy as np
from charts import COLORS, FAINT, GRID, INK
from numpy.typing import NDArray
from overlay import Overlay

import lissom


def swing(duration: float = 1.0, rate: float = 24.0) -> lissom.Clip:
    """A clip of one joint that goes up all the way: its height is its time."""
    skeleton = lissom.Skeleton(["joint"], [-1], lissom.trs.identity(1))
    poses = np.tile(skeleton.rest, (2, 1, 1))
    poses[1, 0, 1] = duration
    return lissom.Clip.from_poses(skeleton, [0.0, duration], poses, name="rising")


def loops(width: int, height: int) -> NDArray[np.uint8]:
    """Which moment of a clip of one second is shown at which time, by each way to loop."""
    clip = swing()
    times = np.linspace(-0.5, 3.0, 1401)
    sheet = Overlay.blank(width, height)
    panel = width / 3
    for i, (loop, words) in enumerate(
        (
            (False, "loop=False: held at both ends"),
            (True, "loop=True: end is start"),
            ("ping_pong", '"ping_pong": there and back'),
        )
    ):
        left, right, top, bottom = i * panel + 44, (i + 1) * panel - 18, 54.0, height - 46.0

        def at(time: float, moment: float, left: float = left, right: float = right) -> tuple[float, float]:
            x = left + (right - left) * (time + 0.5) / 3.5
            return x, bottom - (bottom - top) * moment  # noqa: B023

        sheet.text((i * panel + 20, 22), words, size=16, halo=False)
        for moment, name in ((0.0, "start"), (1.0, "end")):
            sheet.line([at(-0.5, moment), at(3.0, moment)], GRID, 1.0)
            sheet.text((left - 6, at(0, moment)[1]), name, color=FAINT, anchor="rm", size=12, halo=False)
        for second in range(4):
            sheet.text(
                (at(second, 0)[0], bottom + 16), f"{second} s", color=FAINT, anchor="mm", size=12, halo=False
            )
        shown = clip.sample(times, loop=loop)[:, 0, 1].astype(float)
        jumps = np.flatnonzero(np.abs(np.diff(shown)) > 0.5)
        for part in np.split(np.arange(len(times)), jumps + 1):
            sheet.line(
                [at(times[k], shown[k]) for k in part[:: max(1, len(part) // 60)]]
                + [at(times[part[-1]], shown[part[-1]])],
                COLORS[1],
                2.6,
            )
        for k in jumps:  # half open: the end is not shown, the start is
            whole = round(times[k + 1])
            sheet.dot(at(whole, 1.0), 4.0, (246, 247, 249), COLORS[1])
            sheet.dot(at(whole, 0.0), 4.5, COLORS[1])
    return sheet.pixels()


def frames(width: int, height: int) -> NDArray[np.uint8]:
    """A slap on keys at 24 Hz, and what frames at 60 and at 72 Hz make of it."""
    keys = np.array([0.1, 0.2, 0.15, 0.95, 0.05, 0.2, 0.1])  # at k / 24 s
    key_times = np.arange(len(keys)) / 24
    sheet = Overlay.blank(width, height)
    panel = width / 2
    for i, rate in enumerate((60, 72)):
        left, right, top, bottom = i * panel + 26, (i + 1) * panel - 22, 58.0, height - 40.0

        def at(time: float, value: float, left: float = left, right: float = right) -> tuple[float, float]:
            x = left + (right - left) * time / key_times[-1]
            return x, bottom - (bottom - top) * value  # noqa: B023

        times = np.arange(0, key_times[-1] + 0.5 / rate, 1 / rate)
        values = np.interp(times, key_times, keys)
        fine = np.linspace(0, times[-1], 2000)
        apart = np.abs(np.interp(fine, times, values) - np.interp(fine, key_times, keys))
        worst = fine[apart.argmax()]
        for time in times:
            sheet.line([at(time, 0), at(time, 1)], GRID, 1.0)
        sheet.line([at(t, v) for t, v in zip(key_times, keys, strict=True)], FAINT, 1.6)
        sheet.line([at(t, v) for t, v in zip(times, values, strict=True)], COLORS[0], 2.4)
        for t, v in zip(times, values, strict=True):
            sheet.dot(at(t, v), 3.2, COLORS[0])
        for t, v in zip(key_times, keys, strict=True):
            sheet.dot(at(t, v), 4.4, (246, 247, 249), INK)
        words = f"frames at {rate} Hz"
        words += (
            ": every key is a frame" if apart.max() < 1e-9 else f": misses {100 * apart.max():.0f} % at a key"
        )
        sheet.text((left - 6, 24), words, size=16, halo=False)
        if apart.max() > 1e-9:
            sheet.dashes(
                [at(worst, np.interp(worst, times, values)), at(worst, np.interp(worst, key_times, keys))],
                INK,
            )
    sheet.text(
        (26, height - 14),
        "circles: keys at 24 Hz; dots: frames, joined as they are played",
        color=FAINT,
        size=12,
        halo=False,
    )
    return sheet.pixels()
