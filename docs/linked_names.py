# SPDX-License-Identifier: MIT
"""A Sphinx extension: names of lissom that pages write as code become links into the reference.

Only names that cannot be taken for something else: with a dot (`Clip.sample`, `ik.fabrik`), of a class
(`CrossFade`), or of a function with an underscore (`blend_layers`). A trailing call is no hindrance.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

NAME = re.compile(r"(lissom\.)?([A-Za-z]\w*(?:\.\w+)*)(?:\(.*\))?", re.DOTALL)


class LinkedNames(SphinxPostTransform):
    """Replace literals by links where the reference has an object of that name."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Go through the literals of a page that do not stand in a link or a heading."""
        objects = self.env.domains["py"].data["objects"]
        for literal in list(self.document.findall(nodes.literal)):
            target = found(literal.astext(), objects)
            if target is None or is_apart(literal):
                continue
            entry = objects[target]
            if entry.docname == self.env.docname:
                continue
            assert self.app.builder is not None
            link = make_refnode(
                self.app.builder, self.env.docname, entry.docname, entry.node_id, literal.deepcopy(), target
            )
            literal.replace_self(link)


def found(text: str, objects: dict[str, Any]) -> str | None:
    """Return the full name of the object that a literal names, or None."""
    match = NAME.fullmatch(text)
    if match is None:
        return None
    name = match[2]
    if not match[1] and "." not in name and "_" not in name and not name[0].isupper():
        return None  # a plain word, such as a parameter
    for full in (f"lissom.{name}", f"lissom.ik.{name}", f"lissom.gpu.{name}"):
        # `dual_quat` is a module, a layout and a method of skinning.
        if (
            full in objects
            and (match[1] or objects[full].objtype != "module")
            and ("_" not in name or full == f"lissom.{name}")
        ):
            return full
    return None


def is_apart(literal: nodes.literal) -> bool:
    """Whether a literal stands where no link may be."""
    parent = literal.parent
    while parent is not None:
        if isinstance(parent, nodes.reference | nodes.title | nodes.literal_block):
            return True
        parent = parent.parent
    return False


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the transform."""
    app.add_post_transform(LinkedNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
