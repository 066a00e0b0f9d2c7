# SPDX-License-Identifier: MIT
"""The judge of bakes, whoever made them: how far what an engine draws is from the source clips, and why."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from lissom._base.methods import check_method
from lissom._base.names import unknown_name
from lissom._base.numbers import check_flag, check_number
from lissom._base.set_module import set_module
from lissom._base.vectors import lengths
from lissom._character.character import Character
from lissom._character.clip_choice import clip_name_of
from lissom._export.measure import Measured, measured, together
from lissom._export.source import AnimationSource, CharacterSource, Source
from lissom._export.subject import heaviest_joints
from lissom._export.vertex_animation import PLAYBACKS, Playback, VertexAnimation
from lissom._verify.correspondence import SourceOfBake, partners
from lissom._verify.evidence import Evidence
from lissom._verify.fault import BakeFault
from lissom._verify.files import checked_path
from lissom._verify.found_clip import FoundClip
from lissom._verify.judge import faults_of
from lissom._verify.lengths import ForWholeSource, check_length, moments
from lissom._verify.rate import needed_rate
from lissom._verify.readers import READERS, form_of
from lissom._verify.report import ErrorMap, VerifyReport
from lissom._verify.request import Request
from lissom.clip._error import ClipError
from lissom.clip._frames import AT_FRAMES
from lissom.clip._vertex_error import CHUNK_VERTICES

__all__ = ["verify"]

MOST_CELLS = 400
"""Moments of an error map."""


@set_module("lissom")
def verify(
    source: Character | VertexAnimation,
    path: str | os.PathLike[str],
    form: str | None = None,
    *,
    clip: str | None = None,
    playback: Playback | None = None,
    rate: float | None = None,
    loop: bool | None = None,
    method: str | None = None,
    max_error: float | None = None,
) -> VerifyReport:
    """Judge a bake, by anybody, against the clips that it was made of.

    Its files are read as their engine reads them, and its vertices compared with those of the source at
    frames and between, to the end of each clip. Where they differ by more than rate and numbers explain, what
    is wrong is looked for: texels beside the right ones, axes, units, gamma, cut ranges, missing frames, a
    mesh of another rest, a joint that is lost. It is named once undoing it leaves little of the error.

    Parameters
    ----------
    source : Character or VertexAnimation
        What was baked. A bake in place is judged against clips without their root motion, such as
        `Clip.extract_root_motion` returns; those of `lissom.bake` know what was taken out.
    path : path-like
        File or folder.
    form : {"bake", "three", "babylon", "godot", "unity", "unreal", "openvat", "vertices"}, optional
        Its form; found out when omitted. "bake" is what `PoseTexture.save` writes.
    clip : str, optional
        The only clip to judge; also the one that a file of an unknown clip holds.
    playback : {"interpolate", "snap"}, optional
        What the engine does between frames; as engines play the form when omitted.
    rate : float, optional
        Frames per second of files that do not say; spread over the clip when omitted.
    loop : bool, optional
        Whether the first frame follows the last in files that do not say; as in the source when omitted.
    method : {"linear", "dual_quat", "cor"}, optional
        How the source is skinned; as the files say, or linearly, when omitted.
    max_error : float, optional
        Largest error allowed, as a fraction of the size: makes ``.ok`` False where it is above, and gives the
        rates that it needs.

    Returns
    -------
    VerifyReport
        ``.ok``, ``.error``, ``.clips``, ``.faults``, ``.picture()``, ``.to_json()``.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If the form cannot be told or read, numbers are not finite, the files are of another mesh, a clip is
        not one of the source, or the shader of the form does not play as `playback` says.
    FileNotFoundError
        If there is nothing.
    ImportError
        If the extra ``export``, which reads pictures, those of OpenVAT and Unreal, is missing.

    See Also
    --------
    PoseTexture.export : writes these forms, with their errors.

    Notes
    -----
    Pictures are decoded in a process of their own, of bounded time and memory. One fault of a clip is named:
    what else is wrong shows once that is mended.

    Examples
    --------
    >>> import tempfile
    >>> bar = lissom.samples.twisted_bar()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = lissom.bake(bar, "bend", rate=30).save(f"{folder}/bar.safetensors")
    ...     whole = lissom.verify(bar, path, max_error=0.001)
    ...     held = lissom.verify(bar, path, playback="snap", max_error=0.001)
    >>> whole.ok, held.ok
    (True, False)
    >>> print(f"{whole.error.max_relative:.2%} mixed, {held.error.max_relative:.2%} held")
    0.03% mixed, 2.22% held
    """
    _check(source, form, clip, playback, rate, loop, method, max_error)
    target = checked_path(path)
    spans = _spans(source)
    if clip is not None:
        clip = clip_name_of(spans, clip, "verify: clip")
    kind = form_of(target) if form is None else form
    loops = {name: bool(source.clips[name].loop) for name in spans}
    request = Request(spans, loops, clip, rate, loop, playback, source.mesh)
    judged = []
    for found in READERS[kind](target, request):
        check_length(target, found.name, found.frames)
        judged.append(_judged(found, source, method, max_error))
    judged.sort(key=lambda one: list(spans).index(one.clip))
    if not judged:
        wanted = "a clip of the source" if clip is None else repr(clip)
        raise ValueError(f"verify: {target} must hold {wanted}, got none")
    worst = max(judged, key=lambda one: one.error.max)
    return VerifyReport(
        target,
        kind,
        worst.playback,
        {one.clip: one.error for one in judged},
        together(one.error for one in judged),
        {one.clip: one.seam for one in judged if one.seam is not None},
        {one.clip: one.step for one in judged},
        tuple(fault for one in judged for fault in one.faults),
        {one.clip: one.rate for one in judged if one.rate is not None},
        max_error,
        {one.clip: one.curve for one in judged},
        _map(worst),
        {one.clip: one.evidence.found.frames.rate for one in judged},
    )


@dataclass(frozen=True)
class _Judged:
    """One clip, judged."""

    clip: str
    playback: Playback
    error: ClipError
    faults: list[BakeFault]
    seam: float | None
    step: float
    rate: float | None
    curve: tuple[npt.NDArray[np.float64], npt.NDArray[np.float32]]
    evidence: Evidence


def _judged(
    found: FoundClip, of: Character | VertexAnimation, method: str | None, max_error: float | None
) -> _Judged:
    evidence = _evidence(found, of, method or found.method or "linear")
    source = evidence.source
    played = ForWholeSource(found.played)
    when = moments(source, found.name, found.frames, found.played.playback)
    whole = measured(played, source, found.name, evidence.joints, when)
    order = np.argsort(whole.times, kind="stable")
    evidence = replace(evidence, worst=_worst_frame(found, whole, when[1]))
    return _Judged(
        found.name,
        found.played.playback,
        whole.error,
        faults_of(evidence),
        _seam(found, source),
        found.step,
        None if max_error is None else needed_rate(found, source, whole.error, max_error),
        (whole.times[order], whole.largest[order]),
        evidence,
    )


def _worst_frame(found: FoundClip, whole: Measured, groups: npt.NDArray[np.int32]) -> int:
    """Return the frame at which a clip is off the most, however few of them are looked at."""
    clip, at_frames = found.frames, np.where(groups == AT_FRAMES, whole.largest, -1.0)
    seconds = whole.times[int(at_frames.argmax())]
    return int(np.clip(np.rint((seconds - clip.start) * clip.rate), 0, clip.frame_count - 1))


def _evidence(found: FoundClip, of: Character | VertexAnimation, method: str) -> Evidence:
    """Return a clip beside the source, whose vertices are put in the order of the bake's."""
    mesh = of.mesh
    assert mesh is not None
    character = of if isinstance(of, Character) else None
    if isinstance(of, Character):
        whole: Source = CharacterSource(of, method, of.size, found.bake)
        names = heaviest_joints(mesh, of.skin, of.skeleton.names)
    else:
        whole, names = AnimationSource(of), ()
    rows = partners(found.mesh.positions, mesh.positions, whole.size, f"verify: {found.name!r}")
    if len(rows) == mesh.vertex_count and (rows == np.arange(len(rows))).all():
        return Evidence(found, whole, names, character, rows)
    return Evidence(
        found, SourceOfBake(whole, rows), [names[row] for row in rows] if names else (), character, rows
    )


def _seam(found: FoundClip, source: Source) -> float | None:
    """Return how far vertices jump from the end of a loop to its start, beyond the source's own jump."""
    frames = found.frames
    if not frames.loop or frames.frame_count < 2:
        return None
    ends = np.array([frames.start, frames.start + frames.duration])
    first, last = found.played.vertices(found.name, ends)
    own_first, own_last = source.vertices(found.name, np.array(source.span(found.name)))
    jump = float(np.linalg.norm(last - first, axis=-1).max(initial=0.0))
    return max(0.0, jump - float(np.linalg.norm(own_last - own_first, axis=-1).max(initial=0.0)))


def _map(judged: _Judged) -> ErrorMap:
    """Return the errors of a clip by joint and moment."""
    evidence, clip = judged.evidence, judged.clip
    times = judged.curve[0]
    times = times[np.unique(np.linspace(0, len(times) - 1, min(len(times), MOST_CELLS)).round().astype(int))]
    played, count = ForWholeSource(evidence.found.played), evidence.found.mesh.vertex_count
    joints, owner = np.unique(np.array(evidence.joints or [""] * count), return_inverse=True)
    order = np.argsort(owner, kind="stable")
    firsts = np.searchsorted(owner[order], np.arange(len(joints)))
    distances = np.zeros((len(joints), len(times)), np.float32)
    step = max(1, CHUNK_VERTICES // count)
    for begin in range(0, len(times), step):
        part = slice(begin, begin + step)
        gaps = played.vertices(clip, times[part]) - evidence.source.vertices(clip, times[part])
        distances[:, part] = np.maximum.reduceat(lengths(gaps)[:, order], firsts, axis=1).T
    return ErrorMap(clip, tuple(joints.tolist()), times, distances)


def _spans(source: Character | VertexAnimation) -> dict[str, tuple[float, float]]:
    if isinstance(source, VertexAnimation):
        whole: Source = AnimationSource(source)
    else:
        whole = CharacterSource(source, "linear", source.size)
    return {name: whole.span(name) for name in source.clips}


def _check(
    source: object,
    form: str | None,
    clip: str | None,
    playback: str | None,
    rate: float | None,
    loop: bool | None,
    method: str | None,
    max_error: float | None,
) -> None:
    if not isinstance(source, (Character, VertexAnimation)):
        raise TypeError(
            f"verify: source must be a Character or a VertexAnimation, got {type(source).__name__}; "
            "lissom.load reads one from a file"
        )
    if source.mesh is None:
        raise ValueError("verify: source must have a mesh, got none: vertices are compared")
    for name, value in (("form", form), ("clip", clip), ("playback", playback)):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"verify: {name} must be a str, got {type(value).__name__}")
    if form is not None and form not in READERS:
        raise ValueError(f"verify: form: {unknown_name('form', form, READERS)}")
    if playback is not None and playback not in PLAYBACKS:
        raise ValueError(f"verify: playback must be one of {', '.join(PLAYBACKS)}, got {playback!r}")
    if rate is not None:
        check_number(rate, "verify: rate", above_zero=True)
    if loop is not None:
        check_flag(loop, "verify: loop")
    if method is not None:
        check_method(method, "verify")
    if max_error is not None:
        check_number(max_error, "verify: max_error", least=0.0)
