# SPDX-License-Identifier: MIT
"""The channels of all animations, with their samplers, as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._files.gltf.log import Log, check_index
from lissom._files.gltf.schema import Document
from lissom._files.gltf.tables import UNKNOWN, Table, Tables, used_indices
from lissom.clip import LINEAR, WEIGHT


class Channels:
    """All channels of all animations that animate a property of a node, as columns.

    Attributes
    ----------
    animation, number, node, path, sampler : ndarray of int64, shape (channel,)
        Animation, number of the channel in it, target node, code of the path, sampler in the animation.
    input, output, interpolation : ndarray of int64, shape (channel,)
        Accessors of the sampler, and the code of its interpolation.
    """

    def __init__(self, document: Document, tables: Tables, log: Log) -> None:
        channels, samplers = tables.channels, tables.samplers
        columns = _core.plain_channel_columns(
            channels.counts,
            channels["target/path"],
            channels["target/node"],
            channels["sampler"],
            samplers.counts,
            samplers["input"],
            samplers["output"],
            samplers["interpolation"],
            len(document.nodes),
        )
        if columns is None:
            self._read_channels(document, tables, log)
            self._read_samplers(tables, log)
            return
        self.animation, self.number, self.input, self.output, self.interpolation = columns
        self.path, self.node = channels["target/path"], channels["target/node"]
        self.sampler = channels["sampler"]

    def _read_channels(self, document: Document, tables: Tables, log: Log) -> None:
        """Leave out channels of no property of a node; refuse nodes and samplers that are not there."""
        table, counts = tables.channels, tables.channels.counts
        animation = np.repeat(np.arange(len(counts)), counts)
        number = np.arange(len(animation)) - np.repeat(np.cumsum(counts) - counts, counts)
        path, node, sampler = table["target/path"], table["target/node"], table["sampler"]
        self._check(document, tables.samplers.counts, animation, number, node, sampler)
        used = (path != UNKNOWN) & (node >= 0)
        for row in np.flatnonzero(~used).tolist():
            pointer = f"/animations/{animation[row]}/channels/{number[row]}/target"
            name = table.odd["target/path"].get(row)
            reason = "it has no target node" if name is None else f"'{name[:40]}' is not a property of a node"
            log.note("CHANNEL_LEFT_OUT", pointer, f"the channel was left out: {reason}")
        self.animation, self.number = animation[used], number[used]
        self.node, self.path, self.sampler = node[used], path[used], sampler[used]

    def __len__(self) -> int:
        return len(self.animation)

    def _check(
        self,
        document: Document,
        sampler_counts: Table,
        animation: Table,
        number: Table,
        node: Table,
        sampler: Table,
    ) -> None:
        for row in np.flatnonzero(sampler >= sampler_counts[animation]):
            pointer = f"/animations/{animation[row]}/channels/{number[row]}/sampler"
            count = sampler_counts[animation[row]]
            check_index(sampler[row], count, "samplers", pointer, "the animation")
        for row in np.flatnonzero(node >= len(document.nodes)):
            pointer = f"/animations/{animation[row]}/channels/{number[row]}/target/node"
            check_index(node[row], len(document.nodes), "nodes", pointer)

    def _read_samplers(self, tables: Tables, log: Log) -> None:
        table, counts = tables.samplers, tables.samplers.counts
        rows = (np.cumsum(counts) - counts)[self.animation] + self.sampler
        self.input, self.output = table["input"][rows], table["output"][rows]
        self.interpolation = table["interpolation"][rows]
        for row in np.flatnonzero(self.interpolation == UNKNOWN):
            kind = table.odd["interpolation"][int(rows[row])]
            log.mend(
                "VALUE_NOT_IN_LIST" if isinstance(kind, str) else "TYPE_MISMATCH",
                f"{self.pointer(row)}/interpolation",
                f"interpolation must be STEP, LINEAR or CUBICSPLINE, got '{kind!s:.40}'; LINEAR was used",
            )
        self.interpolation[self.interpolation == UNKNOWN] = LINEAR

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
        nodes: list[int] = used_indices(self.node[self.path != WEIGHT]).tolist()
        return nodes
