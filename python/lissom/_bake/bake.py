# SPDX-License-Identifier: MIT
"""Baking clips into pose textures, with a stated error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom._bake.arguments import (
    choose_clips,
    choose_dtype,
    choose_method,
    choose_rates,
    choose_switch,
    extra_indices,
    positive,
    without_root_motion,
)
from lissom._bake.bake_clips import Progress, bake_clips, first_encoding
from lissom._bake.clip_request import ClipRequest
from lissom._bake.error_metric import BakeErrorMetric
from lissom._bake.report import report_of
from lissom._bake.source_hash import source_hash
from lissom._base.set_module import set_module
from lissom.errors import BakeError
from lissom.pose_texture._layouts import layout_named
from lissom.pose_texture._pose_texture import PoseTexture

if TYPE_CHECKING:
    from lissom._bake.measured_clip import MeasuredClip
    from lissom._character.character import Character
    from lissom.clip import Clip
    from lissom.pose_texture._report import BakeReport

__all__ = ["bake"]


@set_module("lissom")
def bake(
    character: Character,
    clips: str | Clip | Iterable[str | Clip] | None = None,
    *,
    rate: float | Mapping[str, float] | None = None,
    max_error: float | None = None,
    layout: str = "dual_quat",
    dtype: npt.DTypeLike = "float16",
    extra_joints: Iterable[str | int] = (),
    root_motion: bool = False,
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
        Whole names in ``character.clips``, or clips of its skeleton; all of them when omitted. A clip that
        goes to and fro ("ping_pong") is baked there and back, as a loop of twice its duration. One without
        duration becomes one frame. Markers and root motion of the clips are kept in the bake's.
    rate : float or mapping of str to float, optional
        Frames per second, for all clips or by their names; rounded up so that a whole number of intervals
        fits each clip. For a clip that is given none: the smallest multiple of its own key rate that is
        at least 60, or 60 where its keys are irregular, and twice that where its error is above 0.15 % of
        the size and twice the frames at least halve it; or what `max_error` asks for.
    max_error : float, optional
        Largest error allowed, as a fraction of ``character.size``. Each clip gets a multiple of its rate that
        keeps it while one less does not, up to 960 frames per second; without `rate`, of the rate of its keys
        (dense ones: the part of it from 30 on; irregular ones: 10). Where `dtype` alone takes more than three
        quarters of it, the next wider type is stored. Both are stated in the report. Jumps of STEP tracks do
        not count.
    layout : {"dual_quat", "matrix", "quat_trans", "trs", "rotations"}
        How a frame is stored. ``"dual_quat"``: two texels per joint and frame, or three or five where the
        joints scale. The others, and which methods they drive, are compared in the concepts of the
        documentation.
    dtype : {"float16", "float32", "uint8"}
        Type of the stored numbers. Bytes come with a range for each clip, row and number.
    extra_joints : sequence of str or int
        Joints that carry no skin but are wanted on playback, such as sockets: palette rows after the skin's,
        which are `model_from_joint`. The report measures the joint and three points around it, too.
    root_motion : bool
        Whether to take root motion out of clips that travel or turn (`Clip.extract_root_motion`): the bake
        then stays in place and ``bake.clips[name].root_motion`` says where it goes. What this costs is added
        to the errors. Clips that have root motion already keep theirs either way.
    include_mesh : bool
        Whether the bake carries the merged mesh, so that one file can be drawn.
    method : {"linear", "dual_quat"}, optional
        How the report skins; ``character.method`` when omitted. The layout must be able to drive it.
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
        If a clip or joint does not exist, a clip belongs to another skeleton or is additive, the layout
        cannot hold the clips or drive the method, or a number makes no sense.
    BakeError
        If `max_error` is not reached: ``.report`` tells what was. If a number does not fit float16, or an
        error float32.

    Notes
    -----
    Two frames are blended without normalising; that happens once, after the influences are blended. Same
    input, same bytes, for any number of threads.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> bake = lissom.bake(hero, ["walk", "run"], max_error=0.001)
    >>> list(bake.clips)
    ['walk', 'run']
    >>> bake.clips["walk"].error.max_relative < 0.001
    True
    >>> bake.texels.dtype, bake.texels.shape[1:]
    (dtype('float16'), (34, 2, 4))
    """
    chosen = choose_clips(character, clips)
    extra = extra_indices(character.skeleton, extra_joints)
    metric = BakeErrorMetric(character, choose_method(method, character), extra)
    takes_root_motion = choose_switch("root_motion", root_motion)
    keeps_mesh = choose_switch("include_mesh", include_mesh)
    in_place = [
        without_root_motion(clip, metric.size) if takes_root_motion else (clip, 0.0) for clip in chosen
    ]
    form, stored_dtype = layout_named("bake", layout), choose_dtype(dtype)
    rates, bound = choose_rates(rate, chosen), positive("max_error", max_error)
    requests = [
        ClipRequest(clip, rates[clip.name], bound, metric.size, root_motion_error)
        for clip, root_motion_error in in_place
    ]
    encoding = first_encoding(requests, form, stored_dtype, metric)
    baked = bake_clips(requests, encoding, metric, progress)
    report = report_of(baked, metric, bound)
    _raise_if_missed(baked, report)
    texels = [clip.stored.texels for clip in baked]
    ranges = [clip_texels.ranges for clip_texels in texels if clip_texels.ranges is not None]
    return PoseTexture(
        np.concatenate([clip_texels.array for clip_texels in texels]),
        report.clips,
        form.row_names(metric.skin, character.skeleton.names),
        report,
        ranges=np.concatenate(ranges) if ranges else None,
        skin=form.stored_skin(metric.skin),
        rig=baked[0].stored.encoding.plan.rig,
        parents=form.row_parents(metric.skin, character.skeleton.parents),
        mesh=character.mesh if keeps_mesh else None,
        source_hash=source_hash(character, metric.skin, chosen),
    )


def _raise_if_missed(baked: Sequence[MeasuredClip], report: BakeReport) -> None:
    missed = [clip for clip in baked if not clip.stored.request.is_met_by(clip.error)]
    if missed:
        worst = max(missed, key=lambda clip: clip.error.max_relative)
        vertex = worst.error.worst
        place = "" if vertex is None else f" ({vertex.joint!r}, {vertex.time:.3g} s)"
        raise BakeError(
            f"bake: max_error={report.max_error:g} was not reached by {len(missed)} of {len(baked)} clips; "
            f"the worst, {worst.stored.request.clip.name!r}, has {worst.error.max_relative:.3g} of the size"
            f"{place} at {worst.stored.rate:.6g} frames per second in {report.dtype}; allow more or "
            "bake it apart (see .report)",
            report,
        )
