# SPDX-License-Identifier: MIT
"""Baking clip after clip: each at the rate asked for, or at the lowest one that keeps `max_error`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom._bake.arguments import layouts_for
from lissom._bake.error_metric import BakeErrorMetric
from lissom._bake.rate_search import DTYPE_SHARE, Search
from lissom.clip._error import ClipError
from lissom.clip._frames import coarsest_rate, default_rate, frame_times, interval_count
from lissom.clip._vertex_error import VertexErrors
from lissom.errors import BakeError
from lissom.pose_texture._layouts import Layout, Plan, Source, Texels
from lissom.pose_texture._report import BakedClip, BakeReport

if TYPE_CHECKING:
    from lissom.clip import Clip

__all__ = ["Baked", "Baker", "Progress"]

Progress = Callable[[int, int, str], None]

HALF_MAX = 65504.0
"""Largest number that float16 holds."""

DTYPE_NOTE = 1e-3
"""Error of the stored type alone, as a fraction of the size, from which the report says so: a third of a
pixel for a character 300 pixels high."""

TOLERABLE = 1.5e-3
"""Error, as a fraction of the size, above which a default rate is doubled: half a pixel for a character 300
pixels high."""

DOUBLING_GAIN = 0.5
"""What is left of the error for twice the frames to be worth it; where motion is smooth it is a quarter."""

WIDER = {"uint8": "float16", "float16": "float32"}

MOST_FRAMES = 1 << 24
"""Frames of a clip: up to here a shader's float32 tells one from the next."""

SCREENED = 48
"""Frames of a clip at which a type is looked at before all clips are baked in it."""

NAMED = 8
"""Raised rates that are told one by one."""


@dataclass(frozen=True)
class Baked:
    """One clip at one rate, measured."""

    clip: Clip
    texels: Texels
    measured: VertexErrors
    first_rate: float

    @property
    def error(self) -> ClipError:
        """The measured error, of root motion that was taken out as well."""
        return self.measured.error

    @property
    def rate(self) -> float:
        """Frames per second; 0 for a clip of one frame."""
        intervals = len(self.texels.array) - 1
        return intervals / self.clip.duration if intervals else 0.0


class _Restart(Exception):
    """What is one for the whole bake has changed: the type of the numbers, or the layout's plan."""


@dataclass
class Baker:
    """Bakes clip after clip; `dtype` and `plan` are the same for all and only ever widen.

    Attributes
    ----------
    rates : mapping of str to float or None
        Wanted frames per second of each clip.
    lost : mapping of str to float
        What taking out root motion cost each clip, model units; added to all of its errors.
    """

    metric: BakeErrorMetric
    layout: Layout
    dtype: np.dtype[Any]
    rates: Mapping[str, float | None]
    max_error: float | None = None
    progress: Progress | None = None
    lost: Mapping[str, float] = field(default_factory=dict)
    plan: Plan | None = None
    dtype_note: str = ""

    def run(self, clips: Sequence[Clip]) -> list[Baked]:
        """Bake all clips, again from the first where a later one needs wider texels."""
        # Planning and screening beforehand spare most restarts: sampling is far cheaper than measuring.
        for clip in clips:
            self._planned(self._source(clip, self.first_rate(clip)))
        while True:
            try:
                if self.max_error is not None and self.dtype.name in WIDER:
                    for clip in clips:
                        self.screen(clip, self.stored(clip, self.first_rate(clip)))
                return [self._bake_clip(clip, i, len(clips)) for i, clip in enumerate(clips)]
            except _Restart:
                continue

    def first_rate(self, clip: Clip) -> float:
        """Give the rate a clip is tried at first: the wanted one, or one of its own."""
        wanted = self.rates[clip.name]
        if wanted is not None:
            return wanted
        return default_rate(clip) if self.max_error is None else coarsest_rate(clip)

    def missed(self, baked: Sequence[Baked]) -> list[Baked]:
        """Give the clips that are above `max_error`."""
        return [
            item for item in baked if self.max_error is not None and item.error.max_relative > self.max_error
        ]

    def report(self, baked: Sequence[Baked]) -> BakeReport:
        """Sum up: the table of clips and the choices made."""
        clips = {}
        first = 0
        for item in baked:
            clip = item.clip
            clips[clip.name] = BakedClip(
                first,
                len(item.texels.array),
                item.rate,
                clip.loop is True,
                float(clip.start),
                float(clip.duration),
                item.measured.bounds,
                item.error,
                clip.markers,
                clip.root_motion,
            )
            first += len(item.texels.array)
        return BakeReport(
            clips=clips,
            size=self.metric.size,
            layout=self.layout.name,
            method=self.metric.method,
            dtype=self.dtype.name,
            measured=self.metric.measured,
            vertex_count=self.metric.mesh.vertex_count,
            max_error=self.max_error,
            notes=tuple(self._notes(baked)),
            joints=tuple(self.metric.skeleton.names[joint] for joint in self.metric.skin.joints),
            joint_max=np.stack([item.measured.joint_max for item in baked]),
            joint_rms=np.stack([item.measured.joint_rms for item in baked]),
        )

    def _notes(self, baked: Sequence[Baked]) -> list[str]:
        notes = [self.dtype_note] if self.dtype_note else []
        # Counted in intervals: one that is too short for the rate has more of it than was asked for.
        raised = [
            item
            for item in baked
            if len(item.texels.array) - 1 > interval_count(item.clip.duration, item.first_rate)
        ]
        aim = (
            f"max_error={self.max_error:g}" if self.max_error else f"an error of {TOLERABLE:.2%} of the size"
        )
        for item in raised if len(raised) <= NAMED else ():
            notes.append(
                f"The rate of {item.clip.name!r} was raised from {item.first_rate:.6g} to {item.rate:.6g} "
                f"frames per second to reach {aim}."
            )
        if len(raised) > NAMED:
            highest = max(raised, key=lambda item: item.rate)
            notes.append(
                f"The rates of {len(raised)} of {len(baked)} clips were raised to reach {aim}, "
                f"that of {highest.clip.name!r} most: to {highest.rate:.6g} "
                "frames per second."
            )
        unit = self.metric.size or 1.0
        for item in baked:
            name = item.clip.name
            loss = item.error.at_frames.max - self.lost.get(name, 0.0)
            wider = WIDER.get(self.dtype.name)
            if wider and loss > DTYPE_NOTE * self.metric.size:
                notes.append(
                    f"{self.dtype.name} alone costs {loss / unit:.2%} of the size in {name!r}; "
                    f"dtype={wider!r} would cost less."
                )
            if name in self.lost:
                notes.append(
                    f"Root motion was taken out of {name!r}; what that costs, {self.lost[name] / unit:.2g} "
                    "of the size at most, is part of the errors stated."
                )
        return notes

    def _bake_clip(self, clip: Clip, index: int, count: int) -> Baked:
        if self.max_error is None:
            best = self._by_default(clip)
        else:
            best = Search(self, clip, self._try(clip, self.first_rate(clip))).best()
        if self.progress is not None:
            self.progress(index + 1, count, clip.name)
        return best

    def _by_default(self, clip: Clip) -> Baked:
        """Give a clip at its first rate, or at twice a rate that nobody asked for, where that is worth it."""
        rate = self.first_rate(clip)
        texels = self.stored(clip, rate)
        if self.rates[clip.name] is not None or len(texels.array) < 2:
            return self.measured(clip, texels)
        assert self.plan is not None
        tolerable = TOLERABLE * (self.metric.size or 1.0) - self.lost.get(clip.name, 0.0)
        found = self.metric.measure_up_to(tolerable, clip, self.layout, texels, self.plan.rig)
        if found is not None:
            return self._baked(clip, texels, found)
        loss = self.metric.loss_at_frames(clip, self.layout, texels, self.plan.rig, SCREENED)
        if loss > tolerable:  # more frames would not help
            return self.measured(clip, texels)
        doubled = self._try(clip, 2 * rate)
        if doubled.error.max_relative <= TOLERABLE:
            return doubled
        first = self.measured(clip, texels)
        return doubled if doubled.error.max <= DOUBLING_GAIN * first.error.max else first

    def _try(self, clip: Clip, rate: float) -> Baked:
        return self.measured(clip, self.stored(clip, rate))

    def measured(self, clip: Clip, texels: Texels) -> Baked:
        """Measure stored frames at all moments."""
        assert self.plan is not None
        return self._baked(clip, texels, self.metric.measure(clip, self.layout, texels, self.plan.rig))

    def _baked(self, clip: Clip, texels: Texels, measured: VertexErrors) -> Baked:
        if not math.isfinite(measured.error.max):
            raise BakeError(
                f"bake: clip {clip.name!r} goes so far out that float32 cannot hold its bake's error; "
                "move it nearer to the origin"
            )
        if self.lost.get(clip.name):
            measured = measured.raised(self.lost[clip.name], self.metric.size)
        return Baked(clip, texels, measured, self.first_rate(clip))

    def stored(self, clip: Clip, rate: float) -> Texels:
        """Bake a clip at a rate, without measuring it."""
        source = self._source(clip, rate)
        before = self.plan
        plan = self._planned(source)
        if plan is not before:
            raise _Restart
        rows = self.layout.rows(source, plan)
        if self.dtype == np.float16:
            self._check_range(clip, rows)
        return Texels.of(rows, self.layout.form(plan.texels, rows.shape[1]), self.dtype)

    def allowed(self, clip: Clip) -> float:
        """Give what `max_error` leaves for the texture, model units; not above 0 where nothing is left."""
        assert self.max_error is not None
        return self.max_error * (self.metric.size or 1.0) - self.lost.get(clip.name, 0.0)

    def widen_if_type_is_the_cause(self, clip: Clip, loss: float, share: float = DTYPE_SHARE) -> None:
        """Start again in a wider type where this one alone takes too much of what is allowed."""
        if self.dtype.name in WIDER and loss > share * self.allowed(clip):
            share_of_size = loss / (self.metric.size or 1.0)
            self._widen(
                f"in {clip.name!r} {self.dtype.name} alone costs {share_of_size:.3%} of the size, and "
                f"max_error={self.max_error:g}."
            )

    def screen(self, clip: Clip, texels: Texels) -> None:
        """See at a few frames whether the type alone takes too much. Bytes cost more with more frames."""
        if self.dtype.name in WIDER:
            assert self.plan is not None
            loss = self.metric.loss_at_frames(clip, self.layout, texels, self.plan.rig, SCREENED)
            self.widen_if_type_is_the_cause(clip, loss)

    def _source(self, clip: Clip, rate: float) -> Source:
        intervals = interval_count(clip.duration, rate)
        if intervals >= MOST_FRAMES:
            raise ValueError(
                f"bake: rate: clip {clip.name!r} must have fewer than {MOST_FRAMES} frames, got "
                f"{clip.duration:.6g} s at {rate:.6g} frames per second"
            )
        return self.metric.source(clip, frame_times(clip, intervals))

    def _planned(self, source: Source) -> Plan:
        """See what a clip's frames need of the layout, and that it drives the method asked for."""
        try:
            self.plan = self.layout.plan(source, self.plan)
        except ValueError as error:
            raise ValueError(f"bake: {error}") from None
        if self.metric.method not in self.plan.methods:
            raise ValueError(
                f"bake: method {self.metric.method!r} cannot be driven by the layout {self.layout.name!r} "
                f"of this character; pass method={self.plan.methods[0]!r}, or a layout that can: "
                f"{layouts_for(self.metric.method, self.layout)}"
            )
        return self.plan

    def _check_range(self, clip: Clip, rows: npt.NDArray[np.float32]) -> None:
        """See that all numbers fit float16, or widen where `max_error` allows it."""
        largest = float(np.abs(rows).max(initial=0.0))
        if largest <= HALF_MAX:
            return
        why = f"{clip.name!r} holds the number {largest:.6g}, and float16 ends at {HALF_MAX:g}"
        if self.max_error is None:
            raise BakeError(f'bake: clip {why}; bake with dtype="float32"')
        self._widen(f"{why}.")

    def _widen(self, why: str) -> None:
        wider = WIDER[self.dtype.name]
        note = f"{wider} is stored instead of {self.dtype.name}: {why}"
        self.dtype_note = f"{self.dtype_note} {note}".strip()
        self.dtype = np.dtype(wider)
        raise _Restart
