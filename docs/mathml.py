# SPDX-License-Identifier: MIT
"""A Sphinx extension: formulas become MathML, which browsers draw without a network or a script."""

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

BOLD = re.compile(r'<mi mathvariant="bold">(.)</mi>')


def markup(formula: str, display: str = "inline") -> str:
    """Return MathML; bold letters as characters of their own, for browsers know no other."""
    found = convert(formula, display=display)
    return BOLD.sub(lambda letter: f'<mi mathvariant="normal">{bold(letter[1])}</mi>', found)


def bold(letter: str) -> str:
    """Return the mathematical bold form of a Latin letter."""
    for first, start in (("A", 0x1D400), ("a", 0x1D41A)):
        if first <= letter <= chr(ord(first) + 25):
            return chr(start + ord(letter) - ord(first))
    return letter


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(markup(node.astext()))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    writer.body.append(f'<div class="math">{markup(node.astext(), "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Offer the renderer; `html_math_renderer` chooses it."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
