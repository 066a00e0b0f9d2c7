# SPDX-License-Identifier: MIT
"""The report of a bake: its clips, their errors, and the choices made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lissom._bake.bake_clip import TOLERABLE
from lissom.clip._frames import interval_count
from lissom.pose_texture._report import BakedClip, BakeReport
from lissom.skinning._heaviest import frame_ranges, left_out_distance, reduced_influences

if TYPE_CHECKING:
    from lissom._bake.error_metric import BakeErrorMetric
    from lissom._bake.measured_clip import MeasuredClip
    from lissom._rig.mesh import Mesh

__all__ = ["report_of"]

DTYPE_NOTE = 1e-3
"""Error of the stored type alone, as a fraction of the size, from which the report says so: a third of a
pixel for a character 300 pixels high."""

NAMED = 8
"""Raised rates that have a note each; more than these share one."""


def report_of(
    baked: Sequence[MeasuredClip], metric: BakeErrorMetric, mesh: Mesh | None, max_error: float | None
) -> BakeReport:
    """Sum up all clips of a bake, which share one encoding."""
    encoding = baked[0].stored.encoding
    return BakeReport(
        clips=_entries(baked),
        size=metric.size,
        layout=encoding.layout.name,
        method=metric.method,
        dtype=encoding.dtype.name,
        measured=metric.measured,
        vertex_count=metric.mesh.vertex_count,
        max_error=max_error,
        left_out=_left_out(baked, metric, mesh),
        notes=(
            *_measure_notes(metric),
            *([encoding.note] if encoding.note else []),
            *_rate_notes(baked, max_error),
            *_error_notes(baked),
        ),
        joints=tuple(metric.skeleton.names[joint] for joint in metric.skin.joints),
        joint_max=np.stack([item.errors.joint_max for item in baked]),
        joint_rms=np.stack([item.errors.joint_rms for item in baked]),
        morph_count=len(metric.sampler.morphs or ()),
    )


def _left_out(baked: Sequence[MeasuredClip], metric: BakeErrorMetric, mesh: Mesh | None) -> float:
    """Return what leaving out influences as shaders do moves a vertex at the frames."""
    if mesh is None:
        return 0.0
    ranges = [(item.stored, frames) for item in baked for frames in frame_ranges(item.stored.frame_count)]
    palettes = (stored.palette(frames, metric.skin) for stored, frames in ranges)
    weights = None if not mesh.morphs else (stored.morphs(frames) for stored, frames in ranges)
    kept = reduced_influences(mesh.indices, mesh.weights)
    return left_out_distance(mesh, kept, palettes, metric.method, weights)


def _entries(baked: Sequence[MeasuredClip]) -> dict[str, BakedClip]:
    entries = {}
    first_frame = 0
    for item in baked:
        clip, stored = item.stored.request.clip, item.stored
        entries[clip.name] = BakedClip(
            first_frame,
            stored.frame_count,
            stored.rate,
            clip.loop is True,
            float(clip.start),
            float(clip.duration),
            item.errors.bounds,
            item.error,
            clip.markers,
            clip.root_motion,
        )
        first_frame += stored.frame_count
    return entries


def _measure_notes(metric: BakeErrorMetric) -> Iterator[str]:
    """Say that a mesh is a stub."""
    if metric.stub_size is not None:
        yield (
            f"The mesh, of size {metric.stub_size:.3g}, is a stub beside its joints, of {metric.size:.3g}: "
            "errors are measured at joint shells, and are fractions of the extent of the joints."
        )


def _rate_notes(baked: Sequence[MeasuredClip], max_error: float | None) -> Iterator[str]:
    """Say which rates were raised above those tried first."""
    aim = f"max_error={max_error:g}" if max_error else f"an error of {TOLERABLE:.2%} of the size"
    raised = [item.stored for item in baked if _is_raised(item)]
    if len(raised) <= NAMED:
        for stored in raised:
            yield (
                f"The rate of {stored.request.clip.name!r} was raised from {stored.request.first_rate:.6g} "
                f"to {stored.rate:.6g} frames per second to reach {aim}."
            )
    else:
        highest = max(raised, key=lambda stored: stored.rate)
        yield (
            f"The rates of {len(raised)} of {len(baked)} clips were raised to reach {aim}, that of "
            f"{highest.request.clip.name!r} most: to {highest.rate:.6g} frames per second."
        )


def _is_raised(item: MeasuredClip) -> bool:
    # Counted in intervals: a clip shorter than an interval has a higher rate than the one requested.
    request = item.stored.request
    return item.stored.interval_count > interval_count(request.clip.duration, request.first_rate)


def _error_notes(baked: Sequence[MeasuredClip]) -> Iterator[str]:
    """Say what narrow types cost, and taking out root motion."""
    for item in baked:
        request, encoding = item.stored.request, item.stored.encoding
        name, unit = request.clip.name, request.size or 1.0
        if encoding.wider_dtype and item.dtype_error > DTYPE_NOTE * request.size:
            yield (
                f"{encoding.dtype.name} alone costs {item.dtype_error / unit:.2%} of the size in {name!r}; "
                f"dtype={encoding.wider_dtype!r} would cost less."
            )
        if request.root_motion_error:
            yield (
                f"Root motion was taken out of {name!r}; what that costs, "
                f"{request.root_motion_error / unit:.2g} of the size at most, is part of the errors stated."
            )
