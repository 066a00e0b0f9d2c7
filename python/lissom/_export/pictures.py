# SPDX-License-Identifier: MIT
"""Pictures of looks, each once, in formats that an engine reads."""

from __future__ import annotations

from lissom._formats.png import png_bytes
from lissom._rig.encoded_picture import format_of
from lissom._rig.part import Texture

__all__ = ["SUFFIXES", "Pictures"]

SUFFIXES = {"PNG": ".png", "JPEG": ".jpg"}
"""Formats that Unity and Unreal read, and the ends of their names."""


class Pictures:
    """Encoded pictures in the order in which they were added."""

    def __init__(self) -> None:
        self.data: list[bytes] = []
        self._numbers: dict[bytes, int] = {}

    def add(self, texture: Texture | None) -> int:
        """Return the number of a picture, -1 of none. What engines do not read becomes PNG."""
        if texture is None:
            return -1
        if texture.data not in self._numbers:
            plain = format_of(texture.data) in SUFFIXES
            self._numbers[texture.data] = len(self.data)
            self.data.append(texture.data if plain else png_bytes(texture.decode()))
        return self._numbers[texture.data]
