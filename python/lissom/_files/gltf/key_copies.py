# SPDX-License-Identifier: MIT
"""Keys that cannot be used in place, in one new array: of integers, of rotations to normalise, far apart.

What a tool has quantised is thousands of short accessors. Those of one kind in one buffer are decoded
together; what is refused, what is recorded, and which compressed data is decoded first, comes in the order
of the channels all the same. Accessors that are sparse, strided or without data are decoded by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom._base.numbers import LARGEST
from lissom._files.gltf.accessors import Accessors
from lissom._files.gltf.channels import Channels
from lissom._files.gltf.codes import BYTE, DTYPES
from lissom._files.gltf.key_faults import mend_rotations, refuse_times, within
from lissom._files.gltf.largest import refuse_larger
from lissom._files.gltf.log import Log
from lissom._files.gltf.node_transform import UNIT_TOLERANCE
from lissom._files.gltf.tables import Table
from lissom.clip import CUBICSPLINE, ROTATION, WEIGHT

Keys: TypeAlias = NDArray[np.float32]
Mask: TypeAlias = NDArray[np.bool_]

# What keys are: times, vectors or weights, rotations, rotations of a cubic spline.
_TIMES, _VECTORS, _ROTATIONS, _SPLINES = -1, 0, 1, 2
# Rotations that are normalised at a time, in float64: about a megabyte. Four floats of each are decoded.
_BLOCK = 1 << 13


@dataclass(slots=True)
class _Jobs:
    """Accessors to decode, once for each use that differs, in the order in which channels use them.

    Attributes
    ----------
    index, kind, row : ndarray of int64, shape (job,)
        The accessor, what its keys are, the first channel that uses it so.
    offset, length : ndarray of int64, shape (job,)
        Where its keys begin in the array of all, and how many floats they are.
    """

    index: Table
    kind: Table
    row: Table
    offset: Table
    length: Table

    def __len__(self) -> int:
        return len(self.index)


class KeyCopies:
    """Decodes the keys of channels; `target_counts` are those of weights."""

    def __init__(self, channels: Channels, accessors: Accessors, log: Log, target_counts: Table) -> None:
        self._channels = channels
        self._accessors = accessors
        self._log = log
        self._target_counts = target_counts

    def decode(self, rows: NDArray[Any]) -> tuple[Keys, Table, Table]:
        """Return the keys of some channels, and where in them the times and values of each begin."""
        jobs, of_times, of_values = self._jobs(rows)
        budget = self._accessors.budget
        charge = 8 * int(jobs.length.sum())  # twice each: alone, and in the array of all
        # All that sparse accessors and compressed data are charged besides, at most.
        alone = 12 * int(jobs.length[~self._is_bulk(jobs)].sum())
        if charge + alone + self._accessors.compressed_bytes <= budget.left:
            budget.spend(charge)
            keys = self._together(jobs)
        else:
            keys = self._one_by_one(jobs)
        keys.flags.writeable = False
        return keys, jobs.offset[of_times], jobs.offset[of_values]

    def _jobs(self, rows: NDArray[Any]) -> tuple[_Jobs, Table, Table]:
        """Return what is to be decoded for channels, and the jobs of their times and of their values."""
        channels, table = self._channels, self._accessors
        path, is_cubic = channels.path[rows], channels.interpolation[rows] == CUBICSPLINE
        kind = np.where(path != ROTATION, _VECTORS, np.where(is_cubic, _SPLINES, _ROTATIONS))
        # Weights of one accessor: by how many targets, and tangents, they are laid out.
        layout = np.where(path == WEIGHT, self._target_counts[rows] * np.where(is_cubic, 3, 1), 0)
        layouts, layout = np.unique(layout, return_inverse=True)
        index = np.stack([channels.input[rows], channels.output[rows]], axis=1).reshape(-1)
        kind = np.stack([np.full_like(kind, _TIMES), kind], axis=1).reshape(-1)
        layout = np.stack([np.zeros_like(layout), layout], axis=1).reshape(-1)
        use = (4 * index + kind + 1) * len(layouts) + layout
        _, first, job = np.unique(use, return_index=True, return_inverse=True)
        order = np.argsort(first)
        first, rank = first[order], np.argsort(order)
        length = table.count[index[first]] * table.components[index[first]]
        jobs = _Jobs(index[first], kind[first], rows[first // 2], np.cumsum(length) - length, length)
        return jobs, rank[job[0::2]], rank[job[1::2]]

    def _is_bulk(self, jobs: _Jobs) -> Mask:
        """Whether the elements of each accessor are numbers one after the other in a buffer."""
        table, index = self._accessors, jobs.index
        is_packed = table.has_view[index] & (table.stride[index] == table.element_size[index])
        is_bulk: Mask = is_packed & ~table.is_sparse[index] & (jobs.length > 0)
        return is_bulk

    def _is_weight(self, jobs: _Jobs) -> Mask:
        is_weight: Mask = (self._channels.path[jobs.row] == WEIGHT) & (jobs.kind == _VECTORS)
        return is_weight

    def _one_by_one(self, jobs: _Jobs) -> Keys:
        """Decode keys that may be too many for the budget."""
        pieces = []
        for job, is_weight in enumerate(self._is_weight(jobs).tolist()):
            self._accessors.spend(int(jobs.index[job]), self._channels.pointer(jobs.row[job]), 2)
            keys = self._alone(jobs, job)
            pieces.append(self._by_target(keys, jobs, job) if is_weight else keys)
        return np.concatenate(pieces)

    def _together(self, jobs: _Jobs) -> Keys:
        """Decode keys that are charged, those of one kind in one buffer when the first of them is due."""
        keys = np.empty(int(jobs.length.sum()), np.float32)
        is_bulk = self._is_bulk(jobs)
        group, members = self._groups(jobs, is_bulk)
        # Of each job: whether it goes by itself; how many rotations are not of unit length, and the first.
        alone, count, first = ~is_bulk, np.zeros(len(jobs), np.int64), np.zeros(len(jobs), np.int64)
        is_weight = self._is_weight(jobs)
        for job, number in enumerate(group.tolist()):
            due = members.pop(number, None)
            for block in () if due is None else _blocks(due, jobs.length[due]):
                alone[block], count[block], first[block] = self._decode_block(jobs, block, keys)
            if not (alone[job] or count[job] or is_weight[job]):
                continue
            own = slice(int(jobs.offset[job]), int(jobs.offset[job] + jobs.length[job]))
            if alone[job]:
                keys[own] = self._alone(jobs, job)
            elif count[job]:
                self._mend(jobs, job, int(count[job]), int(first[job]))
            if is_weight[job]:
                keys[own] = self._by_target(keys[own], jobs, job)
        return keys

    def _groups(self, jobs: _Jobs, is_bulk: Mask) -> tuple[Table, dict[int, Table]]:
        """Return the group of each job, and the jobs of each group: of one kind and type, in one buffer."""
        table, index = self._accessors, jobs.index
        kind = 8 * (table.component_type[index] - BYTE) + 4 * table.normalized[index] + jobs.kind + 1
        _, group = np.unique(64 * table.buffer[index] + kind, return_inverse=True)
        order = np.argsort(group, kind="stable")
        order = order[is_bulk[order]]
        cuts = np.flatnonzero(np.diff(group[order])) + 1
        return group, {int(group[one[0]]): one for one in np.split(order, cuts) if len(one)}

    def _decode_block(self, jobs: _Jobs, block: Table, keys: Keys) -> tuple[Mask, Table, Table]:
        """Decode accessors of one group.

        Returns which have something to refuse, which is told where each is decoded alone, and of rotations
        how many are not of unit length, and the first of them.
        """
        table, kind = self._accessors, int(jobs.kind[block[0]])
        index, length = jobs.index[block], jobs.length[block]
        dtype = np.dtype(DTYPES[int(table.component_type[index[0]])])
        stored = table.buffer_values(int(table.buffer[index[0]]), dtype)
        places = zip((table.start[index] // dtype.itemsize).tolist(), length.tolist(), strict=True)
        values = table.scaled(int(index[0]), _joined([stored[start : start + n] for start, n in places]))
        end = np.cumsum(length)
        start = end - length
        odd = _odd_times(values, start) if kind == _TIMES else ~(np.abs(values) <= LARGEST)
        is_odd = within(np.flatnonzero(odd), start, end)[1] > 0
        count = first = np.zeros(len(block), np.int64)
        if kind in (_ROTATIONS, _SPLINES):
            width = 12 if kind == _SPLINES else 4
            values, off = _normalised(values, kind == _SPLINES)
            place, count = within(off, start // width, end // width)
            first = np.append(off, 0)[place] - start // width
        for offset, begin, last in zip(
            jobs.offset[block].tolist(), start.tolist(), end.tolist(), strict=True
        ):
            keys[offset : offset + last - begin] = values[begin:last]
        return is_odd, count, first

    def _alone(self, jobs: _Jobs, job: int) -> Keys:
        """Return the flat keys of one accessor; refuse, or record, what is wrong with them."""
        index, kind = int(jobs.index[job]), int(jobs.kind[job])
        pointer = self._channels.pointer(jobs.row[job])
        values = self._accessors.finite_floats(index)
        if kind == _TIMES:
            refuse_times(values[:, 0], f"{pointer}/input")
        else:
            refuse_larger(values, f"{pointer}/output")
        if kind in (_ROTATIONS, _SPLINES):
            keys, off = _normalised(values, kind == _SPLINES)
            if len(off):
                self._mend(jobs, job, len(off), int(off[0]))
            return keys
        return np.ascontiguousarray(values, np.float32).reshape(-1)

    def _mend(self, jobs: _Jobs, job: int, count: int, first: int) -> None:
        if not self._accessors.is_plain[jobs.index[job]]:  # plain ones were recorded when they were checked
            mend_rotations(self._log, f"{self._channels.pointer(jobs.row[job])}/output", count, first)

    def _by_target(self, keys: Keys, jobs: _Jobs, job: int) -> Keys:
        """Return keys of weights target after target: (K, 3, M) or (K, M), transposed."""
        row = int(jobs.row[job])
        count = int(self._target_counts[row])
        if self._channels.interpolation[row] == CUBICSPLINE:
            return np.ascontiguousarray(keys.reshape(-1, 3, count).transpose(2, 0, 1)).reshape(-1)
        return np.ascontiguousarray(keys.reshape(-1, count).T).reshape(-1)


def _blocks(jobs: Table, length: Table) -> list[Table]:
    """Split jobs, so that what each block decodes to stays short; one that is long goes by itself."""
    most = 4 * _BLOCK
    number = (np.cumsum(length) - 1) // most
    return np.split(jobs, np.flatnonzero(np.diff(number) | (length[:-1] > most)) + 1)


def _joined(pieces: list[NDArray[Any]]) -> NDArray[Any]:
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def _odd_times(times: Keys, start: Table) -> Mask:
    """Return times that are not finite, are negative, or not after the one before, but where others start."""
    rises = np.empty(len(times), bool)
    rises[1:] = times[1:] > times[:-1]  # NaN does not rise
    rises[start] = times[start] >= 0
    odd: Mask = ~(rises & (times < np.inf))
    return odd


def _normalised(values: Keys, is_spline: bool) -> tuple[Keys, NDArray[np.int64]]:
    """Return rotations at unit length, flat, and which keys were not; of a spline, tangents stay."""
    result = np.empty(values.size, np.float32)
    shape = (-1, 3 if is_spline else 1, 4)
    stored, made = values.reshape(shape), result.reshape(shape)
    off = [np.zeros(0, np.int64)]
    for begin in range(0, len(stored), _BLOCK):
        rotations = stored[begin : begin + _BLOCK].astype(np.float64)
        keys = rotations[:, -2:-1] if is_spline else rotations
        with np.errstate(invalid="ignore"):  # what is not finite is refused where it stands
            lengths = np.linalg.norm(keys, axis=2, keepdims=True)
            off.append(begin + np.flatnonzero(np.abs(lengths[:, 0, 0] - 1) > UNIT_TOLERANCE))
            keys[...] = np.where(lengths > 0, keys / np.where(lengths > 0, lengths, 1), (0, 0, 0, 1))
        made[begin : begin + _BLOCK] = rotations
    return result, np.concatenate(off)
