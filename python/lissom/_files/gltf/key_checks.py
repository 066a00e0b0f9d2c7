# SPDX-License-Identifier: MIT
"""The keys of all channels: checked all at once, used in place where possible, copied elsewhere.

The values of a channel of weights, which has all morph targets of a node at each key, are copied target
after target: each is a track. A key array is used in place when it is float32, tightly packed, and in
the same buffer as the rest of its clip. The checks look at the whole range of a buffer that keys are in,
and then at where each accessor begins and ends, so that neither a hundred thousand keys nor a million
overlapping accessors take longer than the length of the buffer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._base.numbers import LARGEST
from lissom._files.gltf.accessors import Accessors
from lissom._files.gltf.channels import Channels
from lissom._files.gltf.codes import BYTE, FLOAT, SHORT, UBYTE, USHORT
from lissom._files.gltf.key_copies import KeyCopies
from lissom._files.gltf.key_faults import mend_rotations, refuse_times
from lissom._files.gltf.largest import refuse_number
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.node_transform import UNIT_TOLERANCE
from lissom._files.gltf.tables import TYPE_INDICES, Table, used_indices
from lissom.clip import CUBICSPLINE, ROTATION, WEIGHT

Keys: TypeAlias = NDArray[np.float32]
Mask: TypeAlias = NDArray[np.bool_]

_ROTATION_INTEGERS = (BYTE, UBYTE, SHORT, USHORT)


def _is_one_of(values: Table, few: tuple[int, ...]) -> Mask:
    """Whether each value is one of a few: several times faster than np.isin."""
    return np.asarray(np.logical_or.reduce([values == one for one in few]))


@dataclass(slots=True)
class Storage:
    """Where the keys of each channel are.

    Attributes
    ----------
    times, values : ndarray of int64, shape (channel,)
        Offsets into the key array of the channel's clip, in elements; of weights those of the first target.
    shared : dict of int to ndarray of float32
        Buffers that are used in place.
    own : ndarray of float32, optional
        The copied keys of all other clips.
    buffer_of_clip : dict of int to int
        Buffer that a clip uses in place; -1 for copied keys.
    """

    times: Table
    values: Table
    shared: dict[int, Keys]
    own: Keys | None = None
    buffer_of_clip: dict[int, int] = field(default_factory=dict)

    def keys(self, animation: int) -> Keys:
        """Return the key array of a clip."""
        buffer = self.buffer_of_clip.get(animation, -1)
        if buffer >= 0:
            return self.shared[buffer]
        assert self.own is not None
        return self.own


class KeyChecks:
    """Checks the samplers of channels, and stores their keys; `target_counts` are those of weights."""

    def __init__(self, channels: Channels, accessors: Accessors, log: Log, target_counts: Table) -> None:
        self._channels = channels
        self._accessors = accessors
        self._log = log
        self._is_rotation = channels.path == ROTATION
        self._is_cubic = channels.interpolation == CUBICSPLINE
        self._is_weight = channels.path == WEIGHT
        self._target_counts = target_counts

    def store(self) -> Storage:
        """Check all samplers, and store their keys."""
        channels, table = self._channels, self._accessors
        if not len(channels):
            none = np.zeros(0, np.int64)
            return Storage(none, none, {})
        self._check_formats()
        # Sampling lays the keys of weights out once more, for each channel by itself.
        rows = np.flatnonzero(self._is_weight)
        table.budget.spend(4 * int(table.count[channels.output[rows]].sum()), "/animations")
        plain = table.is_plain[channels.input] & table.is_plain[channels.output]
        mended = np.zeros(len(channels), bool)
        for buffer in used_indices(table.buffer[channels.output[plain]]):
            mended |= self._check_buffer(int(buffer), plain)
        for buffer in used_indices(table.buffer[channels.input[plain]]):
            self._check_plain_times(int(buffer), plain)
        together = table.buffer[channels.input] == table.buffer[channels.output]
        return self._store(plain & ~mended & together & (self._target_counts <= 1))

    def _refuse_first(self, bad: Mask, code: str, place: str, message: str) -> None:
        """Refuse the first bad channel.

        The message may hold {i} and {o}, the counts of the input and output accessors, {input} and {output},
        their formats, and {targets}, what keys of weights are counted by, too.
        """
        if not bad.any():
            return
        row = int(bad.argmax())
        channels, table = self._channels, self._accessors
        text = message.format(
            i=table.count[channels.input[row]],
            o=table.count[channels.output[row]],
            input=table.describe(int(channels.input[row])),
            output=table.describe(int(channels.output[row])),
            targets=f" and {self._target_counts[row]} morph targets" if self._is_weight[row] else "",
        )
        refuse(code, f"{channels.pointer(row)}/{place}", text)

    def _check_formats(self) -> None:
        channels, table = self._channels, self._accessors
        for name, indices in (("input", channels.input), ("output", channels.output)):
            bad = indices >= len(table)
            if bad.any():
                row = int(bad.argmax())
                table.check_index(int(indices[row]), f"{channels.pointer(row)}/{name}")
        times, values = channels.input, channels.output
        bad = (table.type[times] != TYPE_INDICES["SCALAR"]) | (table.component_type[times] != FLOAT)
        self._refuse_first(
            bad,
            "ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT",
            "input",
            "key times must be SCALAR of float, got {input}",
        )
        is_float = table.component_type[values] == FLOAT
        is_integer = _is_one_of(table.component_type[values], _ROTATION_INTEGERS) & table.normalized[values]
        expected = np.where(self._is_rotation, TYPE_INDICES["VEC4"], TYPE_INDICES["VEC3"])
        expected[self._is_weight] = TYPE_INDICES["SCALAR"]
        may_be_integer = self._is_rotation | self._is_weight
        bad = (table.type[values] != expected) | ~(is_float | (may_be_integer & is_integer))
        self._refuse_first(
            bad,
            "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT",
            "output",
            "rotations must be VEC4 of float or of normalized integers, weights SCALAR alike, translations"
            " and scales VEC3 of float, got {output}",
        )
        per_key = np.where(self._is_cubic, 3, 1) * np.where(self._is_weight, self._target_counts, 1)
        self._refuse_first(
            self._is_cubic & (table.count[times] < 2),
            "ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS",
            "input",
            "a cubic spline must have at least 2 keys, got {i}",
        )
        self._refuse_first(
            table.count[values] != per_key * table.count[times],
            "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT",
            "output",
            "there must be one value for each of the {i} key times{targets}, three in a cubic spline, got"
            " {o}",
        )

    def _span(self, buffer: int, indices: Table) -> tuple[Keys, Table, Table]:
        """Return the floats from the first accessor to the last, and where in them each begins and ends."""
        table = self._accessors
        start = table.start[indices] // 4
        end = start + table.count[indices] * table.components[indices]
        first, last = int(start.min()), int(end.max())
        floats = table.buffer_values(buffer)[first:last]
        return floats, start - first, end - first

    def _check_plain_times(self, buffer: int, plain: Mask) -> None:
        """Refuse key times that are not finite, negative or not strictly increasing."""
        channels, table = self._channels, self._accessors
        rows = np.flatnonzero(plain & (table.buffer[channels.input] == buffer))
        inputs = used_indices(channels.input[rows])
        floats, start, end = self._span(buffer, inputs)
        _, fall_count = _core.key_faults("times", floats, 0.0, 1, start, end - 1)
        finite = np.isfinite(floats[end - 1]) & np.isfinite(floats[start])
        bad = (fall_count > 0) | ~finite | ~(floats[start] >= 0)
        for index in np.flatnonzero(bad):
            row = rows[np.argmax(channels.input[rows] == inputs[index])]
            pointer = f"{channels.pointer(row)}/input"
            refuse_times(floats[start[index] : end[index]], pointer)

    def _check_buffer(self, buffer: int, plain: Mask) -> Mask:
        """Refuse values in a buffer that are not finite; return channels with rotations to normalise."""
        channels, table = self._channels, self._accessors
        rows = np.flatnonzero(plain & (table.buffer[channels.output] == buffer))
        floats, start, end = self._span(buffer, channels.output[rows])
        first, count = _core.key_faults("numbers", floats, LARGEST, 1, start, end)
        for index in np.flatnonzero(count):
            offset = int(first[index] - start[index])
            width = 4 if self._is_rotation[rows[index]] else 1 if self._is_weight[rows[index]] else 3
            pointer, number = f"{channels.pointer(int(rows[index]))}/output", floats[first[index]]
            if np.isfinite(number):
                refuse_number(pointer, float(number))
            refuse(
                "ACCESSOR_INVALID_FLOAT",
                pointer,
                f"component {offset % width} of value {offset // width} must be finite, got {number}",
            )
        mended = np.zeros(len(channels), bool)
        is_rotation = self._is_rotation[rows]
        is_cubic = self._is_cubic[rows]
        # Floats from one rotation key to the next; that of a spline is the second of three elements.
        for step, selected in ((4, is_rotation & ~is_cubic), (12, is_rotation & is_cubic)):
            begin = start + (4 if step == 12 else 0)
            chosen = np.flatnonzero(selected)
            chosen = chosen[np.argsort(begin[chosen] % step, kind="stable")]
            first, count = _core.key_faults(
                "rotations", floats, UNIT_TOLERANCE, step, begin[chosen], end[chosen]
            )
            for index in np.flatnonzero(count):
                row = int(rows[chosen[index]])
                key = int(first[index] - begin[chosen[index]]) // step
                mend_rotations(self._log, f"{channels.pointer(row)}/output", int(count[index]), key)
                mended[row] = True
        return mended

    def _store(self, in_place: Mask) -> Storage:
        """Use clips in place whose tracks are all in one buffer; copy the tracks of the others, each once."""
        channels, table = self._channels, self._accessors
        first = np.flatnonzero(np.diff(channels.animation, prepend=-1))  # channels are sorted by animation
        buffers = table.buffer[channels.output]
        group = np.cumsum(np.diff(channels.animation, prepend=-1) > 0) - 1
        whole = np.logical_and.reduceat(in_place & (buffers == buffers[first][group]), first)
        storage = Storage(table.start[channels.input] // 4, table.start[channels.output] // 4, {})
        for number, row, is_whole in zip(channels.animation[first], first, whole, strict=True):
            buffer = int(buffers[row]) if is_whole else -1
            storage.buffer_of_clip[int(number)] = buffer
            if is_whole and buffer not in storage.shared:
                storage.shared[buffer] = table.buffer_values(buffer)
        copied = np.flatnonzero(~whole[group])
        if len(copied):
            copies = KeyCopies(channels, table, self._log, self._target_counts)
            storage.own, storage.times[copied], storage.values[copied] = copies.decode(copied)
        return storage
