# SPDX-License-Identifier: MIT
"""HTML of bakes, their reports, and the records of many."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

from lissom._base.names import counted
from lissom._notebook.builder import MOST_ROWS, Html, bullets, card, details, number, percent, table, text
from lissom._notebook.png import drawn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lissom._jobs.records import BakeRecord, BakeRecords
    from lissom.pose_texture._pose_texture import PoseTexture
    from lissom.pose_texture._report import BakedClip, BakeReport

__all__ = ["bake_record", "bake_records", "bake_report", "pose_texture"]

MOST_RECORDS = 40


def pose_texture(shown: PoseTexture) -> Html:
    frames, rows, texels, _ = shown.texels.shape
    facts = [
        ("layout", f"{shown.layout}, {shown.texels.dtype}"),
        ("texels", f"{number(frames)} frames × {number(rows)} rows × {texels}"),
        ("morph targets", number(len(shown.morph_names)) if shown.morph_names else None),
        ("bytes", number(shown.texels.nbytes + (0 if shown.weights is None else shown.weights.nbytes))),
        ("skinning methods", ", ".join(shown.methods)),
        ("mesh", "none" if shown.mesh is None else f"{number(shown.mesh.vertex_count)} vertices"),
        *_error_facts(shown.report),
    ]
    return card("PoseTexture", "", facts, *_clips(shown.report), picture=drawn(shown, "bake"))


def bake_report(shown: BakeReport) -> Html:
    facts = [
        ("layout", f"{shown.layout}, {shown.dtype}"),
        ("skinned by", shown.method),
        ("measured", f"{number(shown.vertex_count)} points ({shown.measured})"),
        ("morph targets", number(shown.morph_count) if shown.morph_count else None),
        ("size, model units", number(shown.size)),
        ("requested error", None if shown.max_error is None else f"{percent(shown.max_error)} of size"),
        *_error_facts(shown),
    ]
    return card("BakeReport", "", facts, *_clips(shown))


def _error_facts(report: BakeReport) -> list[tuple[str, object]]:
    if not report.clips:
        return []
    name, worst = max(report.clips.items(), key=lambda item: item[1].error.max)
    error = f"{percent(worst.error.max_relative)} of size, in {name}"
    return [("max error", "unknown: texels were edited" if report.edited else error)]


def _clips(report: BakeReport) -> tuple[Html, ...]:
    shown = list(report.clips.items())[:MOST_ROWS]
    head = ("clip", "frames", "rate", "seconds", "max", "p99", "rms", "worst at")
    rows = [_row(name, clip, report.size) for name, clip in shown]
    clips = table(rows, head, more=max(0, len(report.clips) - MOST_ROWS))
    notes = bullets(report.notes[:MOST_ROWS], more=max(0, len(report.notes) - MOST_ROWS))
    return (
        details(counted(len(report.clips), "clip"), clips, is_open=True),
        details(counted(len(report.notes), "note"), notes),
    )


def _row(name: str, clip: BakedClip, size: float) -> tuple[object, ...]:
    error, size = clip.error, size if size > 0 else 1.0
    worst = "" if error.worst is None else f"{error.worst.joint}, {error.worst.time:.2f} s"
    shares = (percent(value / size) for value in (error.max, error.p99, error.rms))
    return name, clip.frame_count, number(clip.rate), f"{clip.duration:.3g}", *shares, worst


def bake_record(shown: BakeRecord) -> Html:
    facts = [
        ("status", shown.status + (", from an earlier run" if shown.reused else "")),
        ("message", text(shown.message, 300) if shown.message else None),
        ("source", shown.source),
        ("path", shown.path),
        ("bytes", number(shown.report["file_bytes"]) if shown.report else None),
        ("seconds", number(shown.seconds)),
    ]
    clips: Mapping[str, Any] = shown.report["clips"] if shown.report else {}
    size = (shown.report["size"] if shown.report else 0) or 1.0
    rows = [
        (name, clip["frame_count"], number(clip["rate"]), percent(clip["error"]["max"] / size))
        for name, clip in islice(clips.items(), MOST_ROWS)
    ]
    listed = table(rows, ("clip", "frames", "rate", "max error"), more=max(0, len(clips) - MOST_ROWS))
    return card("BakeRecord", shown.name, facts, details(counted(len(clips), "clip"), listed))


def bake_records(shown: BakeRecords) -> Html:
    counts = ", ".join(f"{count} {status}" for status, count in Counter(r.status for r in shown).items())
    # Failures first.
    ordered = sorted(shown, key=lambda record: record.ok)
    rows = [
        (
            record.name,
            record.status,
            len(record.report["clips"]) if record.report else "",
            percent(record.report["max_relative"]) if record.report else "",
            number(record.seconds),
            text(record.message, 200),
        )
        for record in ordered[:MOST_RECORDS]
    ]
    head = ("bake", "status", "clips", "max error", "seconds", "message")
    return card("BakeRecords", counts, [], table(rows, head, more=max(0, len(shown) - MOST_RECORDS)))
