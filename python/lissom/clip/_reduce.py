# SPDX-License-Identifier: MIT
"""Key reduction: the same motion with fewer keys, within an error bound in model space."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lissom._base.numbers import check_number
from lissom.clip._frames import Moments

if TYPE_CHECKING:
    from lissom._base.doors import Character
    from lissom.clip import Clip

# Vertices may be farther from a joint than its shell, or nearer, so the bound of the shells is searched, from
# the largest down; as a multiple of the bound of the vertices.
FIRST_SHELL_BOUND = 4.0
MOST_SHELL_BOUNDS = 24

ROUNDING = 4.0  # units of the last place: the error of a component of a pose that max_error=0 allows


def optimized(self: Clip, max_error: float = 1e-3, *, character: Character | None = None) -> Clip:
    """Leave out keys that the motion does not need, within an error measured in model space.

    A key of a LINEAR track is left out where interpolating its neighbours is good enough; a track that hardly
    moves becomes one key, and one that hardly leaves the rest pose is removed. The error is measured on the
    whole clip, at all of its key times and at 1/4, 1/2 and 3/4 between them, and stated in `Clip.report`: a
    joint with many descendants is allowed a smaller error than a finger.

    Parameters
    ----------
    max_error : float
        Largest error allowed, as a fraction of size: 0.001 is a thousandth; a weight of 1 of a morph target
        counts as the size, unless a `character` has it. 0 leaves out only keys that change poses by no more
        than rounding.
    character : Character, optional
        Measure at its vertices, skinned by its method, and relative to its size; where it has the morph
        targets of the clip they are morphed, and weights count by what they move alone. When omitted, or
        without a mesh, at a shell around each joint: see `resampled`.

    Returns
    -------
    Clip
        With a `report`. Start, end, markers, loop, root motion and the values of the keys that stay are
        unchanged; the first and the last key of a track that still moves stay.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If `max_error` is negative or not finite, or the character has other joints.

    Notes
    -----
    STEP tracks lose only keys that repeat the one before. CUBICSPLINE tracks keep all keys, or one where they
    hardly move: their tangents belong to their neighbours. The remaining keys of a uniform clip slerp; where
    that alone exceeds `max_error`, the clip stays uniform and loses only tracks.

    For each track, the errors of segments of up to 128 intervals between keys are computed once, weighted by
    how far they move the descendants; the fewest segments within a share of `max_error` are then a shortest
    path. Shares shrink along the chains on which the error of the whole clip is too large, and grow where it
    is not. The search is a heuristic: a slightly larger `max_error` may, rarely, keep a key or two more.

    Clips of more than 4096 key times are searched in parts of about that many, whose ends all moving tracks
    keep: time and memory grow with the keys, to about twice their size.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"].optimized(1e-3)
    >>> walk.report.max_relative <= 1e-3, walk.report.keys_kept < 1
    (True, True)
    """
    from lissom.clip._clip_error import JointShellMetric, excess, metric_of, report_of
    from lissom.clip._key_search import LARGEST_SHARE, SHRINK, SHRINK_POWER, KeySearch
    from lissom.clip._window_search import WindowSearch

    max_error = check_number(max_error, "Clip.optimized: max_error", least=0)
    metric = metric_of(self, character, "Clip.optimized")
    moments = Moments.of_keys(self)
    shells = metric if isinstance(metric, JointShellMetric) else metric.shells()
    bound = max_error * (metric.size if metric.size > 0 else 1.0)
    factor = 1.0 if metric is shells else FIRST_SHELL_BOUND
    # The search measures by the shells itself: what it misses by then is rounding.
    least_step = 1 - 1e-6 if metric is shells else SHRINK[1]
    result = None
    if bound > 0 and len(self._table):
        # An error of a weight counts by how far it moves vertices, or, where that is not known, as the size.
        lever = factor * bound / max_error if metric.morph_reach is None else metric.morph_reach
        windows = WindowSearch(self, shells, LARGEST_SHARE * bound * factor, lever)
        for _ in range(MOST_SHELL_BOUNDS):
            result = windows.clip_of(partial(KeySearch.within, bound=factor * bound))
            if result is None:
                break
            measured = metric.measure(self, result, moments)
            over = excess(measured, metric) / max_error
            if over <= 1:
                break
            result = None
            factor *= min(max(over**-SHRINK_POWER, SHRINK[0]), least_step)
    if result is None:
        windows = WindowSearch(self, None, ROUNDING * float(np.finfo(self.keys.dtype).eps))
        result = windows.clip_of(KeySearch.exact, self.uniform)
        assert result is not None
        measured = metric.measure(self, result, moments)
    result._report = report_of(self, result, measured, metric, None)
    return result
