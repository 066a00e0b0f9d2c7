# SPDX-License-Identifier: MIT
"""Names of files as text that may be shown: what a terminal would obey or hide is written as an escape."""

from __future__ import annotations

import os
import unicodedata

__all__ = ["MOST_MESSAGE", "can_be_path", "file_name", "printable", "quoted"]

MOST_MESSAGE = 1000
"""Most characters of a message that may hold names of a file, which may be megabytes long."""

# Controls (ESC, NUL, line ends), formats (which turn the direction of writing, or have no width), halves of
# surrogate pairs, separators of lines and paragraphs.
_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
# Formats that words of Persian and of Indian scripts, and some emoji, are spelt with.
_JOINERS = "\u200c\u200d"


def printable(text: str, most: int | None = None) -> str:
    """Return a text in which each unsafe character is an escape, as ``repr`` writes it.

    Parameters
    ----------
    text : str
        Of any origin, such as a name in a file.
    most : int, optional
        Most characters of `text` to show; of a longer one its beginning, and "...".
    """
    if most is not None and len(text) > most:
        text = text[:most] + "..."
    if text.isprintable():
        return text
    return "".join(_escaped(character) for character in text)


def quoted(text: str, most: int = 60) -> str:
    """Return a name in quotation marks for a message; of one longer than `most` characters its beginning."""
    return f"'{printable(text, most)}'"


def file_name(text: str, most: int) -> str:
    """Return a name for a file or a folder, of at most `most` bytes, made of a name of any origin.

    Unsafe characters become "_", except bytes of a name on the disk that are not UTF-8.
    """
    safe = "".join(_stored(character) for character in text)
    while (excess := len(os.fsencode(safe)) - most) > 0:
        safe = safe[: -max(1, excess // 4)]  # a character has at most 4 bytes
    return safe


def can_be_path(text: str) -> bool:
    """Whether the system can look for a file of this name: no NUL, no half of a surrogate pair.

    Bytes of a name on the disk that are not UTF-8 are halves, too, which stand for themselves.
    """
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _stored(character: str) -> str:
    is_unsafe = unicodedata.category(character) in _UNSAFE - {"Cs"} and character not in _JOINERS
    return "_" if is_unsafe or not can_be_path(character) else character


def _escaped(character: str) -> str:
    if unicodedata.category(character) not in _UNSAFE or character in _JOINERS:
        return character
    return character.encode("unicode_escape").decode("ascii")
