# SPDX-License-Identifier: MIT
"""The sections of a Draco stream, passed one after another without decoding what they hold.

Where a section ends is read exactly as the decoder reads it: what would make the decoder go on from another
place is refused. Source: Google, Draco bitstream specification 2.2, https://google.github.io/draco/spec/:
core functions, metadata, rANS decoding.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

__all__ = ["Sections"]

_CUT = "the Draco stream must be whole up to its attributes, got its end at byte {0}; it is cut off"
_DAMAGED = "the Draco stream must have {0}; it is damaged"

_TAGGED, _RAW = 0, 1  # how symbols are coded
_LONGEST_TAG = 5  # bits of the symbols that say how many bits each value has
_LONGEST_VALUE = 32
_LONGEST_SYMBOL = 18
_MOST_SYMBOLS = 1 << 18  # that differ
_ZEROS = 3  # in a table of probabilities: this symbol and the next have none


class Sections:
    """Bytes that are taken one after another; ValueError, one sentence, where there are no more."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def take(self, count: int) -> bytes:
        self.skip(count)
        return self._data[self._at - count : self._at]

    def skip(self, count: int) -> None:
        if count > self.left:
            raise ValueError(_CUT.format(len(self._data)))
        self._at += count

    def byte(self) -> int:
        return self.take(1)[0]

    def varint(self, bits: int = 32) -> int:
        """Seven bits a byte, the lowest first."""
        value = 0
        for shift in range(0, bits + 6, 7):
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                if value >> bits:
                    break
                return value
        raise ValueError(_DAMAGED.format(f"numbers of at most {bits} bits before its attributes"))

    def skip_varints(self, count: int) -> None:
        """Numbers of up to 32 bits, found together by their last bytes."""
        if not count:
            return
        if count > self.left:
            raise ValueError(_CUT.format(len(self._data)))
        ahead = np.frombuffer(self._data, np.uint8, min(5 * count, self.left), self._at)
        ends = np.flatnonzero(ahead < 128)
        if len(ends) < count:
            raise ValueError(_CUT.format(len(self._data)))
        self.skip(int(ends[count - 1]) + 1)

    def skip_metadata(self) -> None:
        """Those of attributes, each after the attribute's number, then those of the mesh."""
        for _ in range(self.varint()):
            self.varint()
            self._skip_entries()
        self._skip_entries()

    def _skip_entries(self) -> None:
        """Names and values of one element, and of those within it."""
        left, named = 1, False
        while left:
            if named:
                self.skip(self.byte())
            for _ in range(self.varint()):
                self.skip(self.byte())
                self.skip(self.varint())
            left, named = left - 1 + self.varint(), True  # the order does not matter: all are of one form

    def bits(self) -> tuple[int, bytes]:
        """Bits that are coded by how likely they are zero, in 256ths."""
        zero = self.byte()
        return zero, self.take(self.varint())

    def skip_symbols(self, count: int) -> None:
        """Pass as many symbols as are said to be here, each of one component."""
        if not count:
            return
        form = self.byte()
        if form == _RAW:
            bits = self.byte()
            if not 1 <= bits <= _LONGEST_SYMBOL:
                raise ValueError(_DAMAGED.format(f"symbols of 1 to {_LONGEST_SYMBOL} bits, got {bits}"))
            self._table(bits)
            self.skip(self.varint(64))
        elif form == _TAGGED:
            self._skip_tagged(count)
        else:
            raise ValueError(_DAMAGED.format(f"symbols coded as 0 or 1, got {form}"))

    def _skip_tagged(self, count: int) -> None:
        """Pass values that follow their lengths, which are decoded: nothing says how long all are."""
        probabilities = self._table(_LONGEST_TAG)
        tags = self.take(self.varint(64))
        bits = 0
        for tag in _symbols(tags, probabilities, count):
            if tag > _LONGEST_VALUE:
                raise ValueError(_DAMAGED.format(f"values of at most {_LONGEST_VALUE} bits, got {tag}"))
            bits += tag
            if bits > 8 * self.left:
                raise ValueError(_CUT.format(len(self._data)))
        self.skip(-(-bits // 8))

    def _table(self, bits: int) -> list[int]:
        """Return the probabilities of symbols, which say how long their table is."""
        count = self.varint()
        if not 0 < count <= _MOST_SYMBOLS:
            raise ValueError(_DAMAGED.format(f"1 to {_MOST_SYMBOLS} different symbols, got {count}"))
        table: list[int] = []
        while len(table) < count:
            first = self.byte()
            if first & 3 == _ZEROS:
                table += [0] * ((first >> 2) + 1)
                continue
            value = first >> 2
            for place in range(first & 3):
                value |= self.byte() << (8 * place + 6)
            table.append(value)
        if len(table) > count or sum(table) != 1 << _precision(bits):
            raise ValueError(_DAMAGED.format(f"probabilities that add up to 1 for {count} symbols"))
        return table


def _precision(bits: int) -> int:
    """Return of how many bits the probabilities of symbols are."""
    return min(max(3 * bits // 2, 12), 20)


def _symbols(data: bytes, probabilities: list[int], count: int) -> list[int]:
    """Decode symbols by rANS, from the last byte to the first."""
    precision = _precision(_LONGEST_TAG)
    base = 4 << precision
    end = len(data)
    size = (data[-1] >> 6) + 1 if data else 1
    state = base + (int.from_bytes(data[-size:], "little") & (1 << (8 * size - 2)) - 1)
    if size > end or state >= base << 8:
        raise ValueError(_DAMAGED.format("a state to begin its symbols with"))
    at = end - size
    starts = [0, *accumulate(probabilities)]
    of_remainder = np.repeat(np.arange(len(probabilities)), probabilities).tolist()
    symbols = []
    for _ in range(count):
        while state < base and at > 0:
            at -= 1
            state = state << 8 | data[at]
        quotient, remainder = state >> precision, state & (1 << precision) - 1
        symbol = of_remainder[remainder]
        state = quotient * probabilities[symbol] + remainder - starts[symbol]
        symbols.append(symbol)
    return symbols
