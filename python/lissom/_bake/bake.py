# SPDX-License-Identifier: MIT
"""Bake clips into pose textures, with a stated error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom._bake.arguments import (
    above_zero,
    as_clips,
    as_dtype,
    as_indices,
    as_method,
    as_rates,
    without_root_motion,
)
from lissom._bake.bake_clips import Progress, bake_clips, first_encoding, layouts_that_hold
from lissom._bake.clip_request import ClipRequest
from lissom._bake.error_metric import BakeErrorMetric
from lissom._bake.report import report_of
from lissom._bake.source_hash import source_hash
from lissom._base.numbers import check_flag
from lissom._base.set_module import set_module
from lissom._character.character import Character
from lissom.errors import BakeError
from lissom.pose_texture._layouts import layout_named
from lissom.pose_texture._pose_texture import PoseTexture

if TYPE_CHECKING:
    from lissom._bake.measured_clip import MeasuredClip
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
    """Bake clips into a texture of skin transforms, and measure the error.

    Each clip becomes regular frames, the weights of morph targets beside the poses. The last frame is that at
    the clip's end, so that playback never blends across the seam of a loop. Every bake is measured: its
    vertices against those of the source clip, both morphed and skinned by `method`, at the frames, at 1/4,
    1/2 and 3/4 between them, at the source's keys between frames, and at peaks in between.

    Parameters
    ----------
    character : Character
        Character whose clips, skin and mesh are baked.
    clips : str, Clip or sequence of them, optional
        Whole names in ``character.clips``, or clips of its skeleton; all of ``character.clips`` when
        omitted. A ping-pong clip is baked there and back, as a loop of twice its duration. A clip without
        duration becomes one frame. Markers and root motion of the clips are kept.
    rate : float or mapping of str to float, optional
        Frames per second, for all clips or by their names; rounded up so that a whole number of intervals
        fits each clip. The default, for a clip without a rate: the smallest multiple of its own key rate
        that is at least 60, or 60 where its keys are irregular, and twice that where its error is above
        0.15 % of the size and twice the frames at least halve it. With `max_error`, the rate that keeps it.
    max_error : float, optional
        Largest error allowed, as a fraction of ``report.size``. Each clip gets a multiple of `rate` that
        keeps it while one less does not, up to 960 frames per second. Without `rate`, a multiple of its key
        rate, divided by a whole number that keeps it at least 30 where keys are denser; of 10 where keys are
        irregular. Where `dtype` alone takes more than three quarters of `max_error`, the next wider type is
        stored. The report states both. Jumps of STEP tracks do not count.
    layout : {"dual_quat", "matrix", "quat_trans", "trs", "rotations"}
        How a frame is stored. ``"dual_quat"``: two texels per joint and frame, or three or five where the
        joints scale. :doc:`/concepts/bake-layouts` compares them, and says which methods they drive.
    dtype : {"float16", "float32", "uint8"}
        Type of the stored numbers. ``"uint8"`` adds a range for each clip, row and number.
    extra_joints : sequence of str or int
        Joints without skin that playback needs, such as sockets: palette rows after the skin's, which hold
        `model_from_joint`. The report measures each of them by the joint and three points around it.
    root_motion : bool
        Whether to take root motion out of clips that travel or rotate (`Clip.extract_root_motion`): the
        bake then stays in place and ``bake.clips[name].root_motion`` moves it. The error of taking it out is
        added to the errors. Clips that have root motion already keep theirs in either case.
    include_mesh : bool
        Whether the bake carries the merged mesh, so that one file can be drawn.
    method : {"linear", "dual_quat"}, optional
        Skinning method of the report; ``character.method`` when omitted. The layout must be able to drive it.
    progress : callable, optional
        Called as ``progress(clips_done, clip_count, name)`` after each clip. An exception that it raises ends
        the bake.

    Returns
    -------
    PoseTexture

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If a clip or joint does not exist, a clip belongs to another skeleton or is additive, the layout
        cannot hold the clips or drive the method, a number is not above zero and finite, or baking a clip at
        its rate would take more than 4 GiB of memory.
    BakeError
        If `max_error` is not reached: ``.report`` states the smallest errors that were, and the message names
        the layouts that hold the worst clip, which takes the time of baking that clip in each. If a number
        does not fit float16, or an error float32.

    Notes
    -----
    Two frames are blended without normalising, which happens once, after the influences are blended. Same
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
    if not isinstance(character, Character):
        raise TypeError(
            f"bake: character must be a Character, got {type(character).__name__}; lissom.load makes one "
            "of a file"
        )
    chosen = as_clips(character, clips, "bake")
    extra = as_indices(character.skeleton, extra_joints)
    metric = BakeErrorMetric(character, as_method(method, character), extra)
    takes_root_motion = check_flag(root_motion, "bake: root_motion")
    keeps_mesh = check_flag(include_mesh, "bake: include_mesh")
    in_place = [
        without_root_motion(clip, metric.size) if takes_root_motion else (clip, 0.0) for clip in chosen
    ]
    form, stored_dtype = layout_named("bake", layout), as_dtype(dtype)
    rates, bound = as_rates(rate, chosen), above_zero("max_error", max_error)
    requests = [
        ClipRequest(clip, rates[clip.name], bound, metric.size, root_motion_error)
        for clip, root_motion_error in in_place
    ]
    encoding = first_encoding(requests, form, stored_dtype, metric)
    baked = bake_clips(requests, encoding, metric, progress)
    report = report_of(baked, metric, character.mesh, bound)
    _raise_if_missed(baked, report, metric)
    texels = [clip.stored.texels for clip in baked]
    ranges = [clip_texels.ranges for clip_texels in texels if clip_texels.ranges is not None]
    morphs = metric.sampler.morphs
    weights = [clip.stored.weights for clip in baked if clip.stored.weights is not None]
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
        weights=np.concatenate(weights) if weights else None,
        morph_names=() if morphs is None else morphs.names,
    )


def _raise_if_missed(baked: Sequence[MeasuredClip], report: BakeReport, metric: BakeErrorMetric) -> None:
    missed = [clip for clip in baked if not clip.stored.request.is_met_by(clip.error)]
    if missed:
        worst = max(missed, key=lambda clip: clip.error.max_relative)
        vertex = worst.error.worst
        place = "" if vertex is None else f" ({vertex.joint!r}, {vertex.time:.3g} s)"
        others = layouts_that_hold(worst.stored.request, worst.stored.encoding, metric)
        advice = f"take layout={' or '.join(map(repr, others))}" if others else "allow more"
        raise BakeError(
            f"bake: max_error={report.max_error:g} was not reached by {len(missed)} of {len(baked)} clips; "
            f"the worst, {worst.stored.request.clip.name!r}, has {worst.error.max_relative:.3g} of the size"
            f"{place} at best, at {worst.stored.rate:.6g} frames per second in {report.dtype} and layout "
            f"{report.layout!r}; {advice} or bake it by itself (see .report)",
            report,
        )
