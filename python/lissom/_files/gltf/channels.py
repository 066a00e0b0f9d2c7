# SPDX-License-Identifier: MIT
"""The channels of all animations, with their samplers, as columns."""

from __future__ import annotations

from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf.accessors import Table
from lissom._files.gltf.log import Log, check_index
from lissom._files.gltf.schema import Document
from lissom.clip import CUBICSPLINE, LINEAR, ROTATION, SCALE, STEP, TRANSLATION, WEIGHT

PATHS = {"translation": TRANSLATION, "rotation": ROTATION, "scale": SCALE, "weights": WEIGHT}
INTERPOLATIONS = {"STEP": STEP, "LINEAR": LINEAR, "CUBICSPLINE": CUBICSPLINE}


class Channels:
    """All channels of all animations that animate a property of a node, as columns.

    Attributes
    ----------
    animation, number, node, path, sampler : ndarray of int64, shape (channel,)
        Animation, number of the channel in it, target node, code of the path, sampler in the animation.
    input, output, interpolation : ndarray of int64, shape (channel,)
        Accessors of the sampler, and the code of its interpolation.
    """

    def __init__(self, document: Document, log: Log) -> None:
        animations = document.animations
        counts = np.array([len(animation.channels) for animation in animations], np.int64)
        channels = list(chain.from_iterable(animation.channels for animation in animations))
        total = len(channels)
        targets = [channel.target for channel in channels]
        animation = np.repeat(np.arange(len(animations)), counts)
        starts = np.cumsum(counts) - counts
        number = np.arange(total) - np.repeat(starts, counts)
        path = np.array([PATHS.get(target.path, -1) for target in targets], np.int64)
        node = np.array([target.node for target in targets], np.int64)
        sampler = np.array([channel.sampler for channel in channels], np.int64)
        self._check(document, animation, number, node, sampler)
        used = (path >= 0) & (node >= 0)
        for row in np.flatnonzero(~used):
            name = targets[row].path
            pointer = f"/animations/{animation[row]}/channels/{number[row]}/target"
            reason = (
                f"'{name[:40]}' is not a property of a node" if path[row] < 0 else "it has no target node"
            )
            log.note("CHANNEL_LEFT_OUT", pointer, f"the channel was left out: {reason}")
        self.animation, self.number = animation[used], number[used]
        self.node, self.path, self.sampler = node[used], path[used], sampler[used]
        self._read_samplers(document, log)

    def __len__(self) -> int:
        return len(self.animation)

    def _check(
        self, document: Document, animation: Table, number: Table, node: Table, sampler: Table
    ) -> None:
        sampler_counts = np.array([len(one.samplers) for one in document.animations], np.int64)
        bad = np.flatnonzero(sampler >= sampler_counts[animation]) if len(animation) else ()
        for row in bad:
            pointer = f"/animations/{animation[row]}/channels/{number[row]}/sampler"
            count = sampler_counts[animation[row]]
            check_index(sampler[row], count, "samplers", pointer, "the animation")
        for row in np.flatnonzero(node >= len(document.nodes)):
            pointer = f"/animations/{animation[row]}/channels/{number[row]}/target/node"
            check_index(node[row], len(document.nodes), "nodes", pointer)

    def _read_samplers(self, document: Document, log: Log) -> None:
        animations = document.animations
        samplers = list(chain.from_iterable(animation.samplers for animation in animations))
        starts = np.array([0, *accumulate(len(animation.samplers) for animation in animations)], np.int64)
        rows = starts[self.animation] + self.sampler
        codes = np.array(
            [INTERPOLATIONS.get(str(sampler.interpolation), -1) for sampler in samplers], np.int64
        )
        self.input = np.array([sampler.input for sampler in samplers], np.int64)[rows]
        self.output = np.array([sampler.output for sampler in samplers], np.int64)[rows]
        self.interpolation = codes[rows]
        for row in np.flatnonzero(self.interpolation < 0):
            kind = samplers[rows[row]].interpolation
            log.mend(
                "VALUE_NOT_IN_LIST" if isinstance(kind, str) else "TYPE_MISMATCH",
                f"{self.pointer(row)}/interpolation",
                f"interpolation must be STEP, LINEAR or CUBICSPLINE, got '{kind!s:.40}'; LINEAR was used",
            )
        self.interpolation[self.interpolation < 0] = LINEAR

    def pointer(self, row: int | np.integer[Any]) -> str:
        """Return the JSON pointer of a channel's sampler."""
        return f"/animations/{self.animation[row]}/samplers/{self.sampler[row]}"

    def keep(self, rows: NDArray[Any]) -> None:
        """Keep only some channels, in the order of `rows`."""
        for name in ("animation", "number", "node", "path", "sampler", "input", "output", "interpolation"):
            setattr(self, name, getattr(self, name)[rows])

    @property
    def animated_nodes(self) -> list[int]:
        """Nodes that a channel moves; weights move none."""
        nodes: list[int] = np.unique(self.node[self.path != WEIGHT]).tolist()
        return nodes
