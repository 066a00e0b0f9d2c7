# SPDX-License-Identifier: MIT
"""The source of the player: its JavaScript files joined into one scope, with the shaders that they name."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources

__all__ = ["SOURCES", "player_css", "player_script", "stripped"]

SOURCES = (
    "unpack.js", "math.js", "camera.js", "viewpoint.js", "viridis.js", "data.js", "gl.js", "coarse.js",
    "mesh.js", "clips.js", "morphs.js", "palettes.js", "ground.js", "overlay.js", "pick.js", "scene.js",
    "panel.js", "sliders.js", "pointer.js", "player.js",
)  # fmt: skip
"""Files of ``js/`` in the order in which they are joined. In pages, ``page.js`` follows."""

STYLES = ("player.css",)
"""Style sheets in the order in which they are joined. In pages, ``page.css`` follows."""

_SHADER_NAME = re.compile(r'"(\w+\.(?:vert|frag))"')

# Strings and regular expressions, which may contain comment signs, then comments. A slash after an operator
# begins a regular expression.
_TOKENS = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"""
    r"""|(?<=[=(,:!&|?{};\[])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*)"""
    r"""|(?P<comment>//[^\n]*|/\*.*?\*/)""",
    re.DOTALL,
)


@cache
def player_script(extra: str = "") -> str:
    """Return the script that defines `lissom`, an object with ``createPlayer``.

    Parameters
    ----------
    extra : str
        One more file of ``js/`` after `SOURCES`: ``"page.js"`` for a page.
    """
    names = [*SOURCES, extra] if extra else SOURCES
    code = "\n".join(stripped(file_text(f"js/{name}")) for name in names)
    shaders = {name: _shader(name) for name in sorted(set(_SHADER_NAME.findall(code)))}
    pieces = list(dict.fromkeys(piece for shader in shaders.values() for piece in shader))
    places = {name: [pieces.index(piece) for piece in shader] for name, shader in shaders.items()}
    exported = [name for name in ("createPlayer", "unpack", "startPage") if f"function {name}(" in code]
    return (
        '"use strict";const lissom=(()=>{\n'
        f"const PIECES={json.dumps(pieces, ensure_ascii=False)};\n"
        f"const SHADERS={json.dumps(places, separators=(',', ':'))};\n"
        "for(const name in SHADERS)SHADERS[name]=SHADERS[name].map(i=>PIECES[i]).join('');\n"
        f"{code}\nreturn{{{','.join(exported)}}};\n}})();"
    )


@cache
def player_css(extra: str = "") -> str:
    """Return the style sheet of the player; `extra` is one more file, such as ``"page.css"``."""
    names = [*STYLES, extra] if extra else STYLES
    return "\n".join(stripped(file_text(name)) for name in names)


def stripped(text: str) -> str:
    """Return JavaScript, CSS or GLSL without comments, indentation and empty lines; keep strings."""
    kept: list[str] = []  # strings, replaced by placeholders that no source contains

    def take(match: re.Match[str]) -> str:
        if match["comment"] is not None:
            return "\n" if "\n" in match["comment"] else ""
        kept.append(match["text"])
        return f"\0{len(kept) - 1}\0"

    bare = _TOKENS.sub(take, text)
    lines = [line.strip(" \t") for line in bare.splitlines()]
    joined = "\n".join(line for line in lines if line)
    return re.sub("\0(\\d+)\0", lambda match: kept[int(match[1])], joined)


def _shader(name: str) -> list[str]:
    """Return a shader's body in pieces, cut where includes begin and end, so that shaders share them.

    The player adds version, precision and defines.
    """
    from lissom.gpu._loader import HEADERS, shader_source

    text = shader_source(name, "300 es").text.removeprefix(HEADERS["300 es"])
    pieces = [stripped(piece) for piece in re.split(r"^#line .*\n", text, flags=re.MULTILINE)]
    return [f"{piece}\n" for piece in pieces if piece]


def file_text(name: str) -> str:
    """Return a file of the player, by its path in its folder."""
    return (resources.files("lissom.player") / name).read_text(encoding="utf-8")
