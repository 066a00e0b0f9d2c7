# SPDX-License-Identifier: MIT
"""The whole state of a clip at times: poses, and weights of morph targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike, NDArray

from lissom._base.set_module import set_module
from lissom._playback.blend_space import BlendSpace1D, BlendSpace2D
from lissom.clip import Clip

if TYPE_CHECKING:
    from lissom.clip import Loop

__all__ = ["sample"]


@set_module("lissom")
def sample(
    clip: Clip | BlendSpace1D | BlendSpace2D, times: ArrayLike, loop: Loop | None = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sample local poses and the weights of morph targets of a clip, at the same times.

    Parameters
    ----------
    clip : Clip, BlendSpace1D or BlendSpace2D
    times : array_like of float, shape (...)
        Seconds.
    loop : bool or "ping_pong", optional
        ``clip.loop`` if omitted.

    Returns
    -------
    poses : ndarray, shape (..., J, 10)
        What ``clip.sample`` returns.
    morphs : ndarray, shape (..., M)
        What ``clip.morphs`` returns; M is 0 where the clip knows of no morph targets.

    Raises
    ------
    TypeError
        If `clip` is something else.
    ValueError
        If a time is not finite.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"]
    >>> poses, morphs = lissom.sample(walk, [0.0, 0.5, 1.0])
    >>> poses.shape, morphs.shape
    ((3, 34, 10), (3, 0))
    """
    if not isinstance(clip, (Clip, BlendSpace1D, BlendSpace2D)):
        raise TypeError(f"sample: clip must be a Clip or a blend space, got {type(clip).__name__}")
    return clip.sample(times, loop), clip.morphs(times, loop)
