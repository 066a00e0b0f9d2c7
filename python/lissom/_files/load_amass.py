# SPDX-License-Identifier: MIT
"""``lissom.load_amass``: from motion in parameters of SMPL to a character with one clip."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from lissom._base.names import either
from lissom._base.numbers import LARGEST
from lissom._base.printable import printable
from lissom._base.set_module import set_module
from lissom._character.character import Character
from lissom._files.frame_times import key_dtype
from lissom._files.gltf.source import open_source
from lissom._files.smpl_figure import JOINT_COUNTS, smpl_figure
from lissom._formats.budget import Budget, Refuse
from lissom._formats.npz import read_npz
from lissom._rig.skeleton import Skeleton
from lissom.clip import LINEAR, ROTATION, TRANSLATION, Clip
from lissom.clip._tracks import Track, packed
from lissom.quat import align, from_rotation_vector, multiply, rotate

__all__ = ["load_amass"]

RATES = ("mocap_framerate", "mocap_frame_rate")  # of AMASS with SMPL-H, and with SMPL-X
LEAST_RATE, MOST_RATE = 1 / 86400, 1e6  # as of BVH: from a frame a day to a million a second
Y_FROM_Z = np.array([-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])  # -90 degrees about x: z up becomes y up


@set_module("lissom")
def load_amass(
    source: str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO, *, name: str | None = None
) -> Character:
    """Load motion from a file of AMASS, or any other .npz with the pose parameters of SMPL.

    Parameters
    ----------
    source : path, bytes or open binary file
        An .npz with ``poses``, the rotation vectors of T frames, shape (T, 3 J) in radians: J is 22 (the
        body), 24 (SMPL), 52 (SMPL-H) or 55 (SMPL-X); ``trans``, shape (T, 3) in metres, z up; and
        ``mocap_framerate`` or ``mocap_frame_rate``, in frames a second. Other arrays are not read.
    name : str, optional
        Name of the character and its clip; the file's name without its suffix if omitted.

    Returns
    -------
    Character
        Without mesh, y up, in metres. ``clips[name]`` starts at 0, has a key per frame, and no track for a
        joint that keeps its rest. The skeleton has SMPL's names, order and parents; it rests in a T-pose,
        facing +z, as SMPL does, at places of our own.

    Raises
    ------
    OSError
        If the path cannot be read.
    TypeError
        If `source` is of another type, or a file is opened in text mode.
    ValueError
        If the file is no .npz, lacks an array, or one has another shape, is compressed, pickled or typed
        otherwise, or holds numbers that are not finite or beyond 1e9.

    See Also
    --------
    load_bvh : motion capture from a BVH file.
    roles : which joint is the left lower arm.

    Notes
    -----
    SMPL's own joints come from a body that is licensed, and depend on ``betas``; neither is needed to play
    rotations. The figure here is 1.7 m tall, with the lengths of segments that Drillis and Contini
    measured [2]_. SMPL puts the pelvis at ``trans`` plus its place in that body, which is the same in all
    frames; here it is at ``trans``. Its height at rest is 0.935 m, the feet then stand on the floor; those of
    a taller or a smaller actor are as far off the floor as their legs are longer or shorter.

    The z axis of AMASS points up, which its root's rotation and ``trans`` hold: both are turned by -90
    degrees about x. Rotations are LINEAR tracks in float32, with signs aligned from key to key. Memory grows
    by at most 8 times the size of the file plus 64 MiB: what is compressed more is refused.

    References
    ----------
    .. [1] N. Mahmood et al., AMASS: archive of motion capture as surface shapes, ICCV 2019.
    .. [2] R. Drillis and R. Contini, Body segment parameters, New York University TR 1166.03, 1966.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> np.savez(file, poses=np.zeros((60, 156)), trans=np.zeros((60, 3)), mocap_framerate=60.0)
    >>> actor = lissom.load_amass(file.getvalue(), name="still")
    >>> actor.clips["still"].key_rate, len(actor.skeleton)
    (60.0, 52)
    >>> lissom.roles(actor)["leftLowerArm"]
    'left_elbow'
    """
    opened = open_source(source, "load_amass")
    title = opened.name if name is None else name
    where = "the source" if opened.path is None else printable(str(opened.path))

    def refuse(place: str, sentence: str) -> NoReturn:
        raise ValueError(f"load_amass: {where}: {place + ' ' if place else ''}{sentence}")

    budget = Budget(len(opened.data), refuse)
    arrays = read_npz(opened.data, ("poses", "trans", *RATES), budget, refuse)
    poses, trans, rate = _checked(arrays, refuse)
    skeleton = smpl_figure(poses.shape[1])
    return Character(title, skeleton, None, None, [_clip(title, skeleton, poses, trans, rate, budget)], [])


def _checked(arrays: dict[str, NDArray[Any]], refuse: Refuse) -> tuple[NDArray[Any], NDArray[Any], float]:
    """Return poses, (T, J, 3), the places of the pelvis, (T, 3), and the frame rate."""
    known = next((name for name in RATES if name in arrays), None)
    lacking = [name for name in ("poses", "trans") if name not in arrays]
    if lacking or known is None:
        lacking += [] if known else [" or ".join(RATES)]
        refuse("", f"must hold the arrays poses, trans and {RATES[0]}, got none named {', '.join(lacking)}")
    poses, trans, rate = arrays["poses"], arrays["trans"], arrays[str(known)]
    widths = [3 * count for count in JOINT_COUNTS]
    if poses.ndim != 2 or poses.shape[1] not in widths:
        refuse("poses", f"must have shape (T, {either(widths)}), got {poses.shape}")
    if not len(poses):
        refuse("poses", "must have a frame or more, got none")
    if trans.shape != (len(poses), 3):
        refuse("trans", f"must have shape ({len(poses)}, 3) for the frames of poses, got {trans.shape}")
    if rate.size != 1 or not LEAST_RATE <= float(rate.ravel()[0]) <= MOST_RATE:
        got = rate.ravel()[0] if rate.size == 1 else f"shape {rate.shape}"
        refuse(str(known), f"must be one number of frames a second, above 0 and up to 1e6, got {got}")
    for name, values in (("poses", poses), ("trans", trans)):
        # The largest alone says whether all will do, without an array of them.
        if not max(abs(float(values.min())), abs(float(values.max()))) <= LARGEST:
            frame = next(i for i, row in enumerate(values) if not (np.abs(row) <= LARGEST).all())
            refuse(name, f"must be finite and at most 1e9, got another number in frame {frame}")
    return poses.reshape(len(poses), -1, 3), trans, float(rate.ravel()[0])


def _clip(
    name: str, skeleton: Skeleton, poses: NDArray[Any], trans: NDArray[Any], rate: float, budget: Budget
) -> Clip:
    count = len(poses)
    times = np.arange(count) / rate
    dtype = key_dtype(times)
    # Tracks, once one by one and once packed, and what one of them is computed from.
    budget.spend((2 * dtype.itemsize * 4 * poses.shape[1] + 200) * count, "", "it has too many frames")
    times = times.astype(dtype)
    tracks = []
    for joint in range(poses.shape[1]):
        vectors = poses[:, joint]
        if joint and not vectors.any():
            continue
        turns = from_rotation_vector(np.ascontiguousarray(vectors, np.float64))
        turns = align(multiply(Y_FROM_Z, turns) if joint == 0 else turns)
        is_still = joint > 0 and bool((vectors == vectors[0]).all())
        tracks.append(_track(joint, ROTATION, times, turns, dtype, is_still))
    tracks.append(_track(0, TRANSLATION, times, rotate(Y_FROM_Z, trans.astype(np.float64)), dtype, False))
    return Clip(name, skeleton, *packed(tracks, dtype))


def _track(
    joint: int, path: int, times: NDArray[Any], values: NDArray[Any], dtype: np.dtype[Any], is_still: bool
) -> Track:
    kept = slice(1) if is_still else slice(None)
    return Track(joint, path, LINEAR, times[:1] if is_still else times, values[kept].astype(dtype))
