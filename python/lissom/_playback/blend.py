# SPDX-License-Identifier: MIT
"""Blending poses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._base.arrays import refuse_masked
from lissom._base.numbers import check_number
from lissom._base.pose_batch import (
    as_mask,
    as_poses,
    as_weights,
    common_batch,
    common_dtype,
    spread,
    two_poses,
)
from lissom._base.set_module import set_module

__all__ = ["blend", "blend_layers"]

_BLEND = ("blend: a", "blend: b", "blend: weight", "blend: mask")


@set_module("lissom")
def blend(
    a: ArrayLike,
    b: ArrayLike,
    weight: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Blend two poses.

    Translations and scales lerp. Rotations nlerp along the shorter arc: the arc is that of slerp, the speed
    differs a little, and between rotations that are 180 degrees apart it is up to 8 degrees ahead or behind,
    1 degree at 90.

    Parameters
    ----------
    a, b : array_like of float, shape (..., J, 10)
        Local trs; rotations unit. Leading axes broadcast, with those of `weight` and `mask` too. The result
        is float64 where one of them is, else float32.
    weight : array_like of float, shape (...)
        0 returns `a` to the bit, 1 returns `b` (its quaternions signed like those of `a`). In [0, 1].
    mask : array_like of float, shape (J,) or (..., J), optional
        Multiplies `weight`, joint by joint; in [0, 1]. 1 everywhere if omitted. See `Skeleton.mask`.
    out : ndarray, shape (..., J, 10), optional
        Where to write, of the type of the result, C-contiguous; allocated when omitted. Not one of the
        inputs.

    Returns
    -------
    ndarray, shape (..., J, 10)
        Rotations are unit. NaN in a pose propagates.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers, or `out` has another type or layout.
    ValueError
        If shapes do not match, the poses have different numbers of joints, or a weight or mask is not in [0,
        1].

    See Also
    --------
    blend_layers : the mean of any number of poses.
    add_layer : a difference on top of a pose.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> idle, walk = hero.clips["idle"].at(0), hero.clips["walk"].sample([0, 0.1, 0.2])
    >>> lissom.blend(idle, walk, [0, 0.5, 1]).shape == walk.shape
    True
    """
    found: NDArray[Any] | None = _core.plain_blend(a, b, weight, mask, out)
    if found is not None:
        return found
    arguments = two_poses(_BLEND, a, b, weight, mask, out)
    _core.blend(*arguments)
    return arguments[-1]


@set_module("lissom")
def blend_layers(
    poses: Sequence[ArrayLike] | NDArray[Any],
    weights: Sequence[ArrayLike] | NDArray[Any],
    masks: Sequence[ArrayLike | None] | None = None,
    *,
    rest: ArrayLike | None = None,
    threshold: float = 0.1,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return the weighted mean of any number of local poses, joint by joint.

    Parameters
    ----------
    poses : sequence of L array_likes of float, shape (..., J, 10)
        Local trs of each layer; rotations unit. One array (L, ..., J, 10) is the sequence of its first axis.
        Leading axes broadcast, with those of the weights and masks too. The result is float64 where one of
        them is, else float32.
    weights : sequence of L array_likes of float, shape (...)
        At least 0. Only their proportions count: they are divided by their sum.
    masks : sequence of L array_likes of float, shape (J,) or (..., J), or None, optional
        Multiplies the weight of a layer, joint by joint; at least 0. None: 1 everywhere. See `Skeleton.mask`.
    rest : array_like of float, shape (J, 10), optional
        Blended in at joints whose weights sum to less than `threshold`, with the missing weight.
    threshold : float
        Above 0. Of no effect without `rest`.
    out : ndarray, shape (..., J, 10), optional
        Where to write, of the type of the result, C-contiguous; allocated when omitted. Not one of the
        inputs.

    Returns
    -------
    ndarray, shape (..., J, 10)
        Rotations are unit.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers, or `out` has another type or layout.
    ValueError
        If shapes or numbers of layers do not match, the poses have different numbers of joints, a weight or
        mask is negative, one of them or their sum at a joint is not finite, or, without `rest`, all weights
        of a joint are 0.

    See Also
    --------
    blend : between two poses.

    Notes
    -----
    q and -q are one rotation. Before they are added, the quaternions of a joint get the sign that makes their
    dot product with that of its heaviest layer (of equally heavy ones the lowest) positive, the rule of dual
    quaternion skinning in this package [1]_. So the order of layers does not matter, and rotations cannot
    cancel each other: the dot product of the sum with the heaviest is at least its weight. A running sum [2]_
    gives each the sign of those before it, and the result for three layers may depend on their order.

    A layer is ignored at a joint where its weight is 0, even where its pose holds NaN.

    References
    ----------
    .. [1] Kavan et al., "Geometric skinning with approximate dual quaternion blending", ACM TOG 27(4) art.
       105, 2008.
    .. [2] ozz-animation, BlendingJob: also the source of the threshold.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> idle, walk = hero.clips["idle"].at(0), hero.clips["walk"].at(0.25)
    >>> half = lissom.blend_layers([idle, walk], [2, 2])
    >>> bool(np.allclose(half, lissom.blend(idle, walk, 0.5), atol=1e-6))
    True
    """
    found: NDArray[Any] | None = _core.plain_blend_layers(poses, weights, masks, rest, threshold, out)
    if found is not None:
        return found
    threshold = check_number(threshold, "blend_layers: threshold", above_zero=True)
    if not isinstance(poses, Iterable):
        raise TypeError(f"blend_layers: poses must be a sequence of layers, got {type(poses).__name__}")
    layers: list[NDArray[Any]] = []
    joint_count = None
    for i, pose in enumerate(poses):
        layers.append(as_poses(pose, f"blend_layers: poses[{i}]", joint_count))
        joint_count = layers[0].shape[-2]
    if joint_count is None:
        raise ValueError("blend_layers: poses must hold at least one layer, got none")
    rest_pose = None if rest is None else as_poses(rest, "blend_layers: rest", joint_count)
    dtype = common_dtype(*layers) if rest_pose is None else common_dtype(*layers, rest_pose)
    weight_arrays = [
        as_weights(weight, f"blend_layers: weights[{i}]", dtype)
        for i, weight in enumerate(_one_each("weights", weights, len(layers)))
    ]
    mask_arrays: list[NDArray[Any] | None] = [None] * len(layers)
    if masks is not None:
        for i, mask in enumerate(_one_each("masks", masks, len(layers))):
            if mask is not None:
                mask_arrays[i] = as_mask(mask, f"blend_layers: masks[{i}]", joint_count, dtype)
    leading = [layer.shape[:-2] for layer in layers] + [weight.shape for weight in weight_arrays]
    leading += [mask.shape[:-1] for mask in mask_arrays if mask is not None]
    batch = common_batch("blend_layers", leading)
    if out is None:
        out = np.empty((*batch, joint_count, 10), dtype)
    _core.blend_layers(
        [spread(layer if layer.dtype == dtype else layer.astype(dtype), batch, 2) for layer in layers],
        [spread(weight, batch, 0) for weight in weight_arrays],
        [None if mask is None else spread(mask, batch, 1) for mask in mask_arrays],
        None if rest_pose is None else rest_pose.astype(dtype, copy=False),
        threshold,
        out,
    )
    return out


def _one_each(argument: str, values: Any, count: int) -> list[Any]:
    """Return a list of one value for each layer."""
    refuse_masked(values, f"blend_layers: {argument}")
    try:
        result = list(values)
    except TypeError:
        raise TypeError(
            f"blend_layers: {argument} must be a sequence of {count}, one for each layer, got "
            f"{type(values).__name__}"
        ) from None
    if len(result) != count:
        raise ValueError(
            f"blend_layers: {argument} must be {count}, one for each layer of poses, got {len(result)}"
        )
    return result
