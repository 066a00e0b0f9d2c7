# SPDX-License-Identifier: MIT
"""Pictures of strangers, decoded in a process of their own: what breaks there breaks alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

__all__ = ["is_tagged_srgb", "read_apart"]

MOST_BYTES = 3 << 30
"""Memory that the decoder may take beyond its own."""

MOST_SECONDS = 120

DECODER = "lissom._verify.picture_decoder"

PNG_HEAD = b"\x89PNG\r\n\x1a\n"


def read_apart(path: Path, what: str) -> npt.NDArray[np.float32]:
    """Return the numbers of a picture, (height, width, channels), as `read_image` does.

    ValueError where it cannot be decoded, or takes more time or memory than any texture needs.
    """
    command = [sys.executable, "-P", "-m", DECODER, str(path), what, str(MOST_BYTES)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=MOST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise ValueError(
            f"{what}: {path} takes more than {MOST_SECONDS} s to decode; is it a texture?"
        ) from None
    kind, _, rest = done.stdout.partition(b"\n")
    if kind.startswith(b"pixels "):
        shape = tuple(int(number) for number in kind.split()[1:])
        return np.frombuffer(rest, np.float32).reshape(shape)
    if kind == b"ImportError":
        raise ImportError(rest.decode(errors="replace"))
    if kind == b"ValueError":
        raise ValueError(" ".join(rest.decode(errors="replace").split()))
    raise ValueError(f"{what}: {path} cannot be decoded: its decoder ended with code {done.returncode}")


def is_tagged_srgb(path: Path) -> bool:
    """Whether a PNG says that its numbers are colours, by a chunk of sRGB, of a profile or of gamma."""
    with open(path, "rb") as file:
        if file.read(8) != PNG_HEAD:
            return False
        while len(head := file.read(8)) == 8:
            length, kind = int.from_bytes(head[:4], "big"), head[4:]
            if kind == b"gAMA":
                return int.from_bytes(file.read(4), "big") != 100_000
            if kind in (b"sRGB", b"iCCP"):
                return True
            if kind == b"IDAT":
                return False
            file.seek(length + 4, 1)
    return False
