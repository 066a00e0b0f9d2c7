# SPDX-License-Identifier: MIT
"""BVH: from the text of a hierarchy and its frames to arrays, and back.

The format is Biovision's: a HIERARCHY of nodes, each with an OFFSET from its parent and the names of its
CHANNELS, then MOTION, with one row of numbers per frame, channel by channel in the order of the file.

References
----------
.. [1] M. Meredith and S. Maddock, Motion capture file formats explained, University of Sheffield CS-01-11,
   2001, section 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._base.numbers import check_number
from lissom._base.printable import quoted
from lissom._formats.budget import Budget
from lissom.errors import BvhError

__all__ = ["TOO_MANY", "UNITS", "Bvh", "BvhNode", "format_bvh", "parse_bvh", "unit_length"]

UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45}
"""Metres in one unit. "cmu": the CMU database counts in inches times 0.45 (its FAQ)."""

MAX_JOINTS = 1 << 16
"""Limit of joints, far above any character: larger files are refused before they cost memory."""

TOO_MANY = "it has too many joints or frames for the length of their text"
_BYTES_PER_NODE = 700  # of a node, its channels and its joint in the skeleton, without the name

# Plausible seconds between frames: a millionth of a second to a day.
_LEAST_FRAME_TIME, _MOST_FRAME_TIME = 1e-6, 86400.0
_LARGEST_OFFSET = 1e30  # lengths of the rest pose are float32

_WORD = re.compile(rb"[^\s{}]+|[{}]")
_REST_OF_LINE = re.compile(rb"[^\r\n{}]*")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_FRAMES = re.compile(rb"\s*frames\s*:?\s*([^\s]*)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*frame\s*time\s*:?\s*([^\s]*)", re.IGNORECASE)
_LINE_END = re.compile(rb"\r\n|\r|\n")
_CHANNELS = {
    f"{axis}{kind}".encode(): f"{axis.upper()}{kind}" for axis in "xyz" for kind in ("position", "rotation")
}
_MOST_QUOTED = 24  # bytes of a bad word in a message


@dataclass(slots=True)
class BvhNode:
    """One ROOT, JOINT or End Site.

    Attributes
    ----------
    name : str
        Unique in the file; of an End Site the name of its parent with "_end".
    parent : int
        Index of the parent, -1 at a ROOT.
    offset : tuple of 3 floats
        Position relative to the parent, in the file's unit of length.
    channels : list of str
        "Xposition" to "Zrotation", in the order of the file.
    first_channel : int
        Column of `Bvh.frames` that holds the first of the channels; the others follow it.
    is_end : bool
        Whether the node is an End Site.
    """

    name: str
    parent: int
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    channels: list[str] = field(default_factory=list)
    first_channel: int = 0
    is_end: bool = False


@dataclass(slots=True)
class Bvh:
    """The contents of a BVH file.

    Attributes
    ----------
    nodes : list of BvhNode
        Parents before children, in the order of the file.
    frame_time : float
        Seconds.
    frames : ndarray of float64, shape (F, C)
        One row per frame: positions in the file's unit of length, rotations in degrees.
    """

    nodes: list[BvhNode]
    frame_time: float
    frames: NDArray[np.float64]


Mend = Callable[[str, int, str], None]
"""Called with code, line and message of each fault that can be repaired; may raise to refuse it."""


def parse_bvh(data: bytes, mend: Mend, budget: Budget) -> Bvh:
    """Parse a whole file; what it decodes to is charged to the budget.

    Raises
    ------
    BvhError
        If the text is not BVH; ``line`` says where.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BvhError("the text is UTF-16; save it as UTF-8", line=1)
    header = _Header(data, mend, budget)
    header.read()
    frames_begin = header.at
    line = header.line(frames_begin)
    channel_count = header.channel_count
    if channel_count == 0:
        if number := _WORD.search(data, frames_begin):
            raise BvhError(f"no joint has channels, but frames hold {_quoted(number[0])}", line=line)
        return Bvh(header.nodes, header.frame_time, np.zeros((header.frame_count, 0)))
    text = np.frombuffer(data, np.uint8, offset=frames_begin)
    # An upper bound; the operating system provides memory only for the part that is written.
    numbers = np.empty(_core.bvh_capacity(len(text), channel_count))
    count, left_over, last_line, fault_line, fault = _core.bvh_frames(text, line, channel_count, numbers)
    if fault:
        raise BvhError(fault, line=fault_line)
    declared = header.frame_count
    if left_over:
        mend(
            "BVH_FRAME_CUT_OFF",
            last_line,
            f"the file ends within a frame, after {left_over} of {channel_count} numbers: it is left out",
        )
    elif count and count < declared and not data[-1:].isspace():
        # The last number may have lost digits where the file is cut off, which nothing would show.
        count -= 1
        mend(
            "BVH_FRAME_CUT_OFF",
            last_line,
            "the file ends early and without a line end: its last frame is left out",
        )
    if declared and not count:
        raise BvhError(f"Frames says {declared}, but the file ends within the first frame", line=line)
    if count != declared:
        mend(
            "BVH_FRAME_COUNT",
            header.frame_count_line,
            f"Frames says {declared}, but the file holds {count} whole frames, which are used",
        )
    budget.spend(8 * count * channel_count, "", TOO_MANY)
    frames = numbers[: count * channel_count].reshape(count, channel_count)
    return Bvh(header.nodes, header.frame_time, frames)


def format_bvh(file: Bvh) -> Iterator[str]:
    """Yield the text of a file in pieces. Nodes must be in depth-first order, children after parents."""
    yield "HIERARCHY\n"
    depths: list[int] = []
    for index, node in enumerate(file.nodes):
        depth = depths[node.parent] + 1 if node.parent >= 0 else 0
        yield _closing(depths[-1] if depths else -1, depth)
        depths.append(depth)
        tabs = "\t" * depth
        kind = "End Site" if node.is_end else f"{'JOINT' if depth else 'ROOT'} {node.name}"
        offset = " ".join(f"{value:.9g}" for value in node.offset)
        yield f"{tabs}{kind}\n{tabs}{{\n{tabs}\tOFFSET {offset}\n"
        if not node.is_end:
            yield f"{tabs}\tCHANNELS {' '.join([str(len(node.channels)), *node.channels])}\n"
        if index + 1 == len(file.nodes):
            yield _closing(depth, 0)
    yield f"MOTION\nFrames: {len(file.frames)}\nFrame Time: {file.frame_time:.12g}\n"
    # Lengths to nine digits, like float32; angles to 1e-6 degrees, 2e-8 radians.
    channels = [channel for node in file.nodes for channel in node.channels]
    are_rotations = [channel.endswith("rotation") for channel in channels]
    row = " ".join("%.6f" if is_rotation else "%.9g" for is_rotation in are_rotations) + "\n"
    frames = np.where(are_rotations, file.frames.round(6), file.frames) + 0.0  # makes 0.0 of -0.0
    for frame in frames.tolist():
        yield row % tuple(frame)


def _closing(last: int, depth: int) -> str:
    """Return the braces that close the nodes from depth `last` up to that of the next node, `depth`."""
    return "".join("\t" * closed + "}\n" for closed in range(last, depth - 1, -1))


class _Header:
    """Parses from HIERARCHY to the frame time; `at` is the byte to read next."""

    def __init__(self, data: bytes, mend: Mend, budget: Budget) -> None:
        self.data = data
        self.mend = mend
        self.budget = budget
        self.at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        self.nodes: list[BvhNode] = []
        self.channel_count = 0
        self.frame_count = 0
        self.frame_count_line = 0
        self.frame_time = 0.0
        self._names: set[str] = set()
        self._copies: dict[str, int] = {}
        self._counted = 0, 1  # a byte, and its line

    def read(self) -> None:
        """Parse the whole header."""
        word, begin = self._word()
        if word.lower() != b"hierarchy":
            got = "an empty file" if not word else _quoted(word)
            if self.data.startswith(b"glTF"):
                got = "a GLB, which lissom.load reads if its name does not end in .bvh"
            self._refuse(begin, f"a BVH file must begin with HIERARCHY, got {got}")
        while True:
            word, begin = self._word()
            key = word.lower()
            if key == b"root":
                self._read_tree()
            elif key == b"motion":
                break
            elif not word:
                self._refuse(begin, "the file ends before its MOTION section")
            else:
                self._refuse(begin, f"ROOT or MOTION must follow, got {_quoted(word)}")
        if not self.nodes:
            self._refuse(begin, "the hierarchy must hold a ROOT, got none")
        self._read_timing()

    def line(self, at: int) -> int:
        """Return the line of a byte, from 1."""
        if at < self._counted[0]:
            self._counted = 0, 1
        begin, line = self._counted  # continued from there: a file may have a fault in every line
        self._counted = at, line + sum(1 for _ in _LINE_END.finditer(self.data, begin, at))
        return self._counted[1]

    def _read_tree(self) -> None:
        """Parse a ROOT and its descendants, with an explicit stack: files may nest deeper than Python can."""
        open_nodes = [self._begin_node(-1, is_end=False)]
        is_end, has_offset, has_channels = [False], [False], [False]
        while open_nodes:
            word, begin = self._word()
            key = word.lower()
            node = self.nodes[open_nodes[-1]]
            if key == b"offset":
                if has_offset[-1]:
                    self._refuse(begin, f"{quoted(node.name)} has a second OFFSET")
                has_offset[-1] = True
                node.offset = (self._length(), self._length(), self._length())
            elif key == b"channels":
                if has_channels[-1]:
                    self._refuse(begin, f"{quoted(node.name)} has second CHANNELS")
                has_channels[-1] = True
                self._read_channels(node)
            elif key in (b"joint", b"end"):
                if is_end[-1]:
                    self._refuse(begin, f"an End Site must have no children, got {_quoted(word)} in it")
                is_end.append(key == b"end")
                open_nodes.append(self._begin_node(open_nodes[-1], is_end=key == b"end"))
                has_offset.append(False)
                has_channels.append(False)
            elif key == b"}":
                if not has_offset[-1]:
                    self._refuse(begin, f"{quoted(node.name)} must have an OFFSET, got none")
                open_nodes.pop()
                is_end.pop()
                has_offset.pop()
                has_channels.pop()
            elif not word:
                self._refuse(begin, f"the file ends inside {quoted(node.name)}: a closing brace is missing")
            else:
                self._refuse(
                    begin, f"OFFSET, CHANNELS, JOINT, End Site or a brace must follow, got {_quoted(word)}"
                )

    def _begin_node(self, parent: int, is_end: bool) -> int:
        """Parse a name and the opening brace; return the index of the new node."""
        rest = _REST_OF_LINE.match(self.data, self.at)
        assert rest is not None  # it may be empty
        line_begin, self.at = self.at, rest.end()
        index = len(self.nodes)
        if index >= MAX_JOINTS:
            self._refuse(line_begin, f"the hierarchy must hold at most {MAX_JOINTS} joints, got more")
        if is_end:
            name = self._unique(f"{self.nodes[parent].name}_end")
        else:
            name = self._joint_name(rest[0].strip(), line_begin)
        word, begin = self._word()
        if word != b"{":
            self._refuse(begin, f"an opening brace must follow {quoted(name)}, got {_quoted(word)}")
        self.nodes.append(BvhNode(name, parent, is_end=is_end))
        return index

    def _joint_name(self, raw: bytes, at: int) -> str:
        try:
            name = raw.decode()
        except UnicodeDecodeError:
            name = raw.decode("latin-1")
            self.mend(
                "BVH_NAME_ENCODING", self.line(at), f"a name is not UTF-8: it is read as {quoted(name)}"
            )
        if not name:
            name = self._unique("joint")
            self.mend("BVH_NAME_EMPTY", self.line(at), f"a joint has no name: it is called {quoted(name)}")
            return name
        unique = self._unique(name)
        if unique != name:
            self.mend(
                "BVH_NAME_REPEATED",
                self.line(at),
                f"{quoted(name)} is repeated: this joint is called {quoted(unique)}",
            )
        return unique

    def _unique(self, name: str) -> str:
        unique = name
        while unique in self._names:
            self._copies[name] = copy = self._copies.get(name, 1) + 1
            unique = f"{name}_{copy}"
        self.budget.spend(_BYTES_PER_NODE, "", TOO_MANY)
        self.budget.spend_text(unique)
        self._names.add(unique)
        return unique

    def _read_channels(self, node: BvhNode) -> None:
        word, begin = self._word()
        count = int(word) if re.fullmatch(rb"\d{1,3}", word) else -1
        if not 0 <= count <= len(_CHANNELS):
            self._refuse(begin, f"CHANNELS of {quoted(node.name)} must count 0 to 6, got {_quoted(word)}")
        for _ in range(count):
            word, begin = self._word()
            channel = _CHANNELS.get(word.lower())
            if channel is None:
                self._refuse(
                    begin,
                    f"{quoted(node.name)} must name {count} channels, each X, Y or Z with position or "
                    f"rotation, got {_quoted(word)}",
                )
            if channel.endswith("position") and channel in node.channels:
                self._refuse(begin, f"{quoted(node.name)} has {channel} twice")
            node.channels.append(channel)
        rotations = [channel for channel in node.channels if channel.endswith("rotation")]
        if len(rotations) > 3 or any(a == b for a, b in pairwise(rotations)):
            self._refuse(
                begin,
                f"{quoted(node.name)} must have up to three rotation channels, none of them twice in a row, "
                f"got {', '.join(rotations)}",
            )
        node.first_channel = self.channel_count
        self.channel_count += count

    def _read_timing(self) -> None:
        match = _FRAMES.match(self.data, self.at)
        if match is None:
            word, begin = self._word()
            self._refuse(begin, f"'Frames: <count>' must follow MOTION, got {_quoted(word)}")
        if not re.fullmatch(rb"\d{1,18}", match[1]):
            self._refuse(match.start(1), f"Frames must be a whole number, got {_quoted(match[1])}")
        self.frame_count, self.at = int(match[1]), match.end()
        self.frame_count_line = self.line(match.start(1))
        match = _FRAME_TIME.match(self.data, self.at)
        if match is None:
            word, begin = self._word()
            self._refuse(begin, f"'Frame Time: <seconds>' must follow Frames, got {_quoted(word)}")
        seconds = float(match[1]) if _NUMBER.fullmatch(match[1]) else float("nan")
        is_still = seconds == 0 and self.frame_count <= 1
        if not (is_still or _LEAST_FRAME_TIME <= seconds <= _MOST_FRAME_TIME):
            self._refuse(
                match.start(1), f"Frame Time must be seconds between 1e-6 and 86400, got {_quoted(match[1])}"
            )
        self.frame_time, self.at = seconds, match.end()

    def _length(self) -> float:
        word, begin = self._word()
        value = float(word) if _NUMBER.fullmatch(word) else float("nan")
        if not abs(value) <= _LARGEST_OFFSET:
            self._refuse(begin, f"OFFSET must be three numbers up to 1e30, got {_quoted(word)}")
        return value

    def _word(self) -> tuple[bytes, int]:
        """Return the next word or brace, empty at the end of the file, and its byte offset."""
        match = _WORD.search(self.data, self.at)
        if match is None:
            self.at = len(self.data)
            return b"", self.at
        self.at = match.end()
        return match[0], match.start()

    def _refuse(self, at: int, message: str) -> NoReturn:
        raise BvhError(message, line=self.line(at))


def _quoted(word: bytes) -> str:
    """Quote a word of the file for a message."""
    if not word:
        return "the end of the file"
    cut = word[:_MOST_QUOTED].decode("latin-1")
    return repr(cut + "..." if len(word) > _MOST_QUOTED else cut)


def unit_length(function: str, units: float | str) -> float:
    """Return the metres in one unit. ValueError for an unknown unit."""
    if isinstance(units, str):
        if units not in UNITS:
            names = ", ".join(map(repr, UNITS))
            raise ValueError(f"{function}: units must be metres per unit or one of {names}, got {units!r}")
        return UNITS[units]
    return check_number(units, f"{function}: units", above_zero=True)
