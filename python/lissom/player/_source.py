# SPDX-License-Identifier: MIT
"""The source of the player: its JavaScript files joined into one scope, with the shaders that they name."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources

from lissom._base.stripped import stripped, tightened

__all__ = ["SOURCES", "player_css", "player_script"]

SOURCES = (
    "unpack.js", "math.js", "camera.js", "viewpoint.js", "viridis.js", "data.js", "gl.js", "coarse.js",
    "background.js", "mesh.js", "clips.js", "morphs.js", "palettes.js", "ground.js", "overlay.js", "rows.js",
    "pick.js", "scene.js", "panel.js", "sliders.js", "keys.js", "actions.js", "pointer.js", "player.js",
)  # fmt: skip
"""Files of ``js/`` in the order in which they are joined. In pages, ``drop.js`` and ``page.js`` follow; in
those of viewers, ``drop.js`` and ``view.js``; in drop targets, ``drop.js`` and ``drop_target.js``."""

EXPORTED = ("createPlayer", "unpack", "startPage", "startViewer", "renderDrops")
"""Functions that the script offers, where they are in it."""

STYLES = ("player.css",)
"""Style sheets in the order in which they are joined. In pages, ``page.css`` follows."""

_SHADER_NAME = re.compile(r'"(\w+\.(?:vert|frag))"')


@cache
def player_script(*extra: str) -> str:
    """Return the script that defines `lissom`, an object with ``createPlayer``.

    Parameters
    ----------
    *extra : str
        More files of ``js/`` after `SOURCES`: ``"drop.js", "page.js"`` for a page.
    """
    names = [*SOURCES, *extra]
    code = "\n".join(tightened(file_text(f"js/{name}")) for name in names)
    shaders = {name: _shader(name) for name in sorted(set(_SHADER_NAME.findall(code)))}
    pieces = list(dict.fromkeys(piece for shader in shaders.values() for piece in shader))
    places = {name: [pieces.index(piece) for piece in shader] for name, shader in shaders.items()}
    exported = [name for name in EXPORTED if f"function {name}(" in code]
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


def _shader(name: str) -> list[str]:
    """Return a shader's body in pieces, cut where includes begin and end, so that shaders share them.

    The player adds version, precision and defines.
    """
    from lissom.gpu._loader import HEADERS, read_shader

    text = read_shader(name, "300 es").text.removeprefix(HEADERS["300 es"])
    pieces = [tightened(piece) for piece in re.split(r"^#line .*\n", text, flags=re.MULTILINE)]
    return [f"{piece}\n" for piece in pieces if piece]


def file_text(name: str) -> str:
    """Return a file of the player, by its path in its folder."""
    return (resources.files("lissom.player") / name).read_text(encoding="utf-8")
