# SPDX-License-Identifier: MIT
"""Sources of browsers without what only people read."""

from __future__ import annotations

import re

__all__ = ["stripped", "tightened"]

# Strings and regular expressions, which may contain comment signs, then comments. A slash after an operator
# begins a regular expression.
_TOKENS = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"""
    r"""|(?<=[=(,:!&|?{};\[])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*)"""
    r"""|(?P<comment>//[^\n]*|/\*.*?\*/)""",
    re.DOTALL,
)

# A sign with the blanks around it, or a plus or minus beside no other.
_BLANKS = re.compile(r" *([=*/<>?:,;(){}\[\]|&!%^]+) *| *(?<![-+] )(?<![-+])([-+]=?) *(?![-+ ])")


def stripped(text: str) -> str:
    """Return JavaScript, CSS or GLSL without comments, indentation and empty lines; keep strings."""
    kept: list[str] = []
    return _with_strings(_bare(text, kept), kept)


def tightened(text: str) -> str:
    """Return JavaScript as `stripped`, without blanks at signs, in shaders too: templates of lines."""
    kept: list[str] = []
    bare = _tight(_bare(text, kept))
    return _with_strings(bare, [_tight(one) if one.startswith("`\n") else one for one in kept])


def _tight(text: str) -> str:
    """Drop blanks at signs but where two of + or - would become one, and lines' ends where code goes on."""
    result = ""
    goes_on = True
    for line in (line.strip(" \t") for line in text.split("\n")):
        is_directive = line.startswith("#")
        tight = line if is_directive else _BLANKS.sub(lambda found: found[1] or found[2], line)
        result += tight if goes_on and not is_directive else f"\n{tight}"
        goes_on = not is_directive and tight.endswith(("{", ";", ",", "(", "["))
    return result


def _with_strings(bare: str, kept: list[str]) -> str:
    return re.sub("\0(\\d+)\0", lambda match: kept[int(match[1])], bare)


def _bare(text: str, kept: list[str]) -> str:
    """Return the source without what only people read; strings are placeholders that no source contains."""

    def take(match: re.Match[str]) -> str:
        if match["comment"] is not None:
            return "\n" if "\n" in match["comment"] else ""
        kept.append(match["text"])
        return f"\0{len(kept) - 1}\0"

    bare = _TOKENS.sub(take, text)
    lines = [line.strip(" \t") for line in bare.splitlines()]
    return "\n".join(line for line in lines if line)
