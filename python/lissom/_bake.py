# SPDX-License-Identifier: MIT
"""Baking clips into pose textures, with a stated error."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom._bake_judge import Judge, Measured
from lissom._layouts import DTYPES, Layout, Plan, Source, Texels, layout_named
from lissom._methods import BAKED_METHODS
from lissom._names import unknown_name
from lissom.bake_report import BakedClip, BakeReport, ClipError
from lissom.clip._frames import HIGHEST_RATE, default_rate, frame_times, interval_count
from lissom.errors import BakeError
from lissom.pose_texture import PoseTexture

if TYPE_CHECKING:
    from lissom.character import Character
    from lissom.clip import Clip

__all__ = ["bake"]

HALF_MAX = 65504.0
"""Largest number that float16 holds."""

HALF_SHARE = 0.5
"""Part of `max_error` that float16 alone may use up; above it, more frames are the dearer way."""

HALF_NOTE = 1e-3
"""Error of float16 alone, as a fraction of the size, from which the report says so: a third of a pixel for a
character 300 pixels high."""

Progress = Callable[[int, int, str], None]


def bake(
    character: Character,
    clips: str | Clip | Iterable[str | Clip] | None = None,
    *,
    rate: float | None = None,
    max_error: float | None = None,
    layout: str = "dual_quat",
    dtype: npt.DTypeLike = "float16",
    include_mesh: bool = True,
    method: str | None = None,
    progress: Progress | None = None,
) -> PoseTexture:
    """Bake clips into a texture of skin transforms, and measure what it costs.

    Each clip becomes frames one after another, the last one its pose at the end, so that playing it never
    blends across a seam. Every bake is measured: its vertices against those of the source clip, both skinned
    by `method`, at the frames, at 1/4, 1/2 and 3/4 between them, and at the source's keys between frames.

    Parameters
    ----------
    character : Character
        Whose clips, skin and mesh are baked.
    clips : str, Clip or sequence of them, optional
        Names in ``character.clips``, or clips of its skeleton; all of them when omitted. A clip that goes to
        and fro ("ping_pong") is baked there and back, as a loop of twice its duration.
    rate : float, optional
        Frames per second, rounded up so that a whole number of intervals fits each clip. When omitted: for
        each clip the smallest multiple of its own key rate that is at least 60, or 60 where its keys are
        irregular.
    max_error : float, optional
        Largest error allowed, as a fraction of ``character.size``. Where a clip exceeds it, its rate rises in
        whole multiples, up to 960 frames per second; where float16 alone takes more than half of it, float32
        is stored. Both are stated in the report. Jumps of STEP tracks do not count.
    layout : str
        ``"dual_quat"``: two texels per joint and frame, or three or five where the joints scale.
        ``"matrix"``: three, for linear skinning alone. ``"quat_trans"``: two, without scale. ``"trs"``: three
        for each joint of the skeleton, without shear. ``"rotations"``: one for each joint, where rotations
        and one joint's translation are all that moves.
    dtype : {"float16", "float32", "uint8"}
        Type of the stored numbers. Bytes come with a range for each clip, row and number.
    include_mesh : bool
        Whether the bake carries the merged mesh, so that one file can be drawn.
    method : {"linear", "dual_quat"}, optional
        How the report skins; ``character.method`` when omitted. The stored rows can drive either method.
    progress : callable, optional
        Called as ``progress(clips_done, clip_count, name)`` after each clip. What it raises ends the bake.

    Returns
    -------
    PoseTexture

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If a clip does not exist or belongs to another skeleton, or a number, layout or method makes no sense.
    BakeError
        If `max_error` is not reached: ``.report`` tells what was. If a number does not fit float16.

    Notes
    -----
    Two frames are blended without normalising; that happens once, after the influences are blended. Same
    input, same bytes, for any number of threads.
    """
    chosen = _choose_clips(character, clips)
    baker = _Baker(
        Judge(character, _choose_method(method if method is not None else character.method)),
        layout_named("bake", layout),
        _choose_dtype(dtype),
        _positive("rate", rate),
        _positive("max_error", max_error),
        progress,
    )
    baked = baker.run(chosen)
    report = baker.report(baked)
    _raise_if_missed(baker, baked, report)
    stored = [clip.texels for clip in baked]
    ranges = [texels.ranges for texels in stored if texels.ranges is not None]
    assert baker.plan is not None
    return PoseTexture(
        np.concatenate([texels.array for texels in stored]),
        report.clips,
        baker.layout.row_names(baker.judge.skin, character.skeleton.names),
        report,
        ranges=np.concatenate(ranges) if ranges else None,
        skin=baker.layout.stored_skin(baker.judge.skin),
        rig=baker.plan.rig,
        mesh=character.mesh if include_mesh else None,
        source_hash=_source_hash(character, baker.judge, chosen),
    )


@dataclass(frozen=True)
class _Baked:
    """One clip at one rate, measured."""

    clip: Clip
    texels: Texels
    measured: Measured
    first_rate: float

    @property
    def error(self) -> ClipError:
        return self.measured.error

    @property
    def rate(self) -> float:
        intervals = len(self.texels.array) - 1
        return intervals / self.clip.duration if intervals else 0.0


class _Restart(Exception):
    """What is one for the whole bake has changed: the type of the numbers, or the layout's plan."""


class _Baker:
    """Bakes clip after clip; `dtype` and `plan` are the same for all and only ever widen."""

    def __init__(
        self,
        judge: Judge,
        layout: Layout,
        dtype: np.dtype[Any],
        rate: float | None,
        max_error: float | None,
        progress: Progress | None,
    ) -> None:
        self.judge = judge
        self.layout = layout
        self.dtype = dtype
        self.rate = rate
        self.max_error = max_error
        self.progress = progress
        self.plan: Plan | None = None
        self.dtype_note = ""

    def run(self, clips: Sequence[Clip]) -> list[_Baked]:
        """Bake all clips, again from the first where a later one needs wider texels."""
        # Planning beforehand spares most restarts: sampling is far cheaper than measuring.
        for clip in clips:
            self._planned(self._source(clip, self.first_rate(clip)))
        while True:
            try:
                return [self._bake_clip(clip, i, len(clips)) for i, clip in enumerate(clips)]
            except _Restart:
                continue

    def first_rate(self, clip: Clip) -> float:
        """Give the rate a clip is tried at first: the wanted one, or a multiple of its own."""
        return default_rate(clip) if self.rate is None else self.rate

    def report(self, baked: Sequence[_Baked]) -> BakeReport:
        """Sum up: the table of clips and the choices made."""
        clips = {}
        first = 0
        notes = [self.dtype_note] if self.dtype_note else []
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
            )
            first += len(item.texels.array)
            if item.rate > 1.5 * item.first_rate:
                notes.append(
                    f"The rate of {clip.name!r} was raised from {item.first_rate:.6g} to {item.rate:.6g} "
                    f"frames per second to reach max_error={self.max_error:g}."
                )
            loss = item.error.at_frames.max
            if self.dtype == np.float16 and loss > HALF_NOTE * self.judge.size:
                notes.append(
                    f"float16 alone costs {loss / (self.judge.size or 1.0):.2%} of the size in "
                    f"{clip.name!r}; dtype='float32' would not."
                )
        return BakeReport(
            clips=clips,
            size=self.judge.size,
            layout=self.layout.name,
            method=self.judge.method,
            dtype=self.dtype.name,
            measured=self.judge.measured,
            vertex_count=self.judge.mesh.vertex_count,
            max_error=self.max_error,
            notes=tuple(notes),
            joints=tuple(self.judge.skeleton.names[joint] for joint in self.judge.skin.joints),
            joint_max=np.stack([item.measured.joint_max for item in baked]),
            joint_rms=np.stack([item.measured.joint_rms for item in baked]),
        )

    def _bake_clip(self, clip: Clip, index: int, count: int) -> _Baked:
        first_rate = self.first_rate(clip)
        highest = max(HIGHEST_RATE, first_rate)
        best: _Baked | None = None
        multiple = 1
        while True:
            tried = self._try(clip, first_rate * multiple, first_rate)
            if best is None or tried.error.max < best.error.max:
                best = tried
            if self.max_error is None or tried.error.max_relative <= self.max_error:
                best = tried
                break
            self._widen_if_half_is_the_cause(tried)
            # Between frames the error falls with the square of the rate; a little less is tried first.
            wanted = math.ceil(0.9 * multiple * math.sqrt(tried.error.max_relative / self.max_error))
            multiple = max(multiple + 1, min(wanted, 4 * multiple))
            if clip.duration <= 0 or first_rate * multiple > highest:
                break
        if self.progress is not None:
            self.progress(index + 1, count, clip.name)
        return best

    def _try(self, clip: Clip, rate: float, first_rate: float) -> _Baked:
        source = self._source(clip, rate)
        before = self.plan
        plan = self._planned(source)
        if plan is not before:
            raise _Restart
        rows = self.layout.rows(source, plan)
        if self.dtype == np.float16:
            self._check_range(clip, rows)
        texels = Texels.of(rows, self.layout.form(plan.texels, rows.shape[1]), self.dtype)
        return _Baked(clip, texels, self.judge.measure(clip, self.layout, texels, plan.rig), first_rate)

    def _source(self, clip: Clip, rate: float) -> Source:
        times = frame_times(clip, interval_count(clip.duration, rate))
        return self.judge.source(clip, times)

    def _planned(self, source: Source) -> Plan:
        """See what a clip's frames need of the layout, and that it drives the method asked for."""
        try:
            self.plan = self.layout.plan(source, self.plan)
        except ValueError as error:
            raise ValueError(f"bake: {error}") from None
        if self.judge.method not in self.plan.methods:
            raise ValueError(
                f"bake: method {self.judge.method!r} cannot be driven by the layout {self.layout.name!r} "
                f"of this character; pass method={self.plan.methods[0]!r}, or layout='dual_quat'"
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

    def _widen_if_half_is_the_cause(self, tried: _Baked) -> None:
        assert self.max_error is not None
        loss = tried.error.at_frames.max
        if self.dtype == np.float16 and loss > HALF_SHARE * self.max_error * self.judge.size:
            self._widen(
                f"in {tried.clip.name!r} float16 alone costs {loss / (self.judge.size or 1.0):.3%} of the "
                f"size, and max_error={self.max_error:g}."
            )

    def _widen(self, why: str) -> None:
        self.dtype = np.dtype(np.float32)
        self.dtype_note = f"float32 is stored instead of float16: {why}"
        raise _Restart


def _raise_if_missed(baker: _Baker, baked: Sequence[_Baked], report: BakeReport) -> None:
    if baker.max_error is None:
        return
    missed = [item for item in baked if item.error.max_relative > baker.max_error]
    if missed:
        worst = max(missed, key=lambda item: item.error.max_relative)
        raise BakeError(
            f"bake: max_error={baker.max_error:g} was not reached by {len(missed)} of {len(baked)} clips; "
            f"the worst, {worst.clip.name!r}, has {worst.error.max_relative:.3g} of the size at "
            f"{worst.rate:.6g} frames per second in {baker.dtype.name}; allow more or "
            "bake it apart (see .report)",
            report,
        )


def _choose_clips(character: Character, clips: str | Clip | Iterable[str | Clip] | None) -> list[Clip]:
    from lissom.clip import Clip

    known = character.clips
    if clips is None:
        wanted: list[str | Clip] = list(known)
        if not wanted:
            raise ValueError(f"bake: {character.name!r} has no clips of its own; pass clips=")
    else:
        wanted = [clips] if isinstance(clips, str | Clip) else list(clips)
        if not wanted:
            raise ValueError("bake: clips must hold at least one clip, got none; omit it to bake all")
    chosen: dict[str, Clip] = {}
    for item in wanted:
        if isinstance(item, str):
            if item not in known:
                raise ValueError(f"bake: {unknown_name('clip', item, known)}")
            clip = known[item]
        elif isinstance(item, Clip):
            clip = item
        else:
            raise TypeError(f"bake: clips must be names or Clip objects, got {type(item).__name__}")
        if clip.skeleton is not character.skeleton and clip.skeleton.names != character.skeleton.names:
            raise ValueError(
                f"bake: clip {clip.name!r} must move the skeleton of {character.name!r} "
                f"({len(character.skeleton)} joints), got one with {len(clip.skeleton)} joints of other names"
            )
        if clip.name in chosen:
            raise ValueError(f"bake: clips must have different names, got {clip.name!r} twice")
        # A texture wraps or ends: what turns round at its ends is written out.
        turns_round = clip.loop == "ping_pong" and clip.duration > 0
        chosen[clip.name] = clip.there_and_back() if turns_round else clip
    return list(chosen.values())


def _choose_method(method: str) -> str:
    if method not in BAKED_METHODS:
        raise ValueError(f"bake: method must be one of {', '.join(map(repr, BAKED_METHODS))}, got {method!r}")
    return method


def _choose_dtype(dtype: npt.DTypeLike) -> np.dtype[Any]:
    try:
        chosen = np.dtype(dtype)
    except TypeError:
        chosen = None
    if chosen is None or chosen.name not in DTYPES:
        raise ValueError(f"bake: dtype must be one of {', '.join(map(repr, DTYPES))}, got {dtype!r}")
    return chosen


def _positive(argument: str, value: float | None) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"bake: {argument} must be a number, got {type(value).__name__}")
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"bake: {argument} must be finite and above 0, got {value}")
    return float(value)


def _source_hash(character: Character, judge: Judge, clips: Iterable[Clip]) -> str:
    """SHA-256 of all that a bake depends on, arrays led by their types and shapes."""
    digest = hashlib.sha256()

    def add(*things: object) -> None:
        for thing in things:
            if isinstance(thing, np.ndarray):
                digest.update(f"{thing.dtype.str}{thing.shape}".encode())
                digest.update(np.ascontiguousarray(thing).tobytes())
            else:
                digest.update(f"{thing!r};".encode())

    skeleton, skin, mesh = character.skeleton, judge.skin, character.mesh
    add(skeleton.names, skeleton.parents, skeleton.rest, skin.joints, skin.joint_from_bind)
    if mesh is not None:
        add(mesh.positions, mesh.triangles, mesh.indices, mesh.weights)
    seen: dict[tuple[int, int], int] = {}  # clips of one file share their keys
    for clip in clips:
        memory = (clip.keys.ctypes.data, clip.keys.nbytes)
        if memory not in seen:
            seen[memory] = len(seen)
            add(clip.keys)
        add(clip.name, clip.loop is True, clip.tracks, seen[memory])
    return digest.hexdigest()
