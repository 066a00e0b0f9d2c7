# SPDX-License-Identifier: MIT
"""A Sphinx extension: classes and functions in the reference name the notebooks that use them."""

import json
import re
from typing import Any

from docutils import nodes
from gallery import PAGES, title_of
from sphinx import addnodes
from sphinx.application import Sphinx

MOST = 4  # notebooks named for one object: of what all of them use, the first will do


def sources() -> dict[str, tuple[str, str]]:
    """Title and code of each notebook, by its page; none where there are no notebooks."""
    found = {}
    for path in sorted(PAGES.glob("*.ipynb")):
        notebook = json.loads(path.read_text())
        code = (cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code")
        found[path.stem] = title_of(notebook, path.stem), "\n".join("".join(source) for source in code)
    return found


def uses(name: str, code: str) -> bool:
    """Whether code uses an object: by its module, or alone where it is a class and so cannot be mistaken."""
    *_, module, last = name.split(".")
    alone = rf"|\b{last}\b" if last[0].isupper() else ""
    return re.search(rf"\b{module}\.{last}\b{alone}", code) is not None


def add_notebooks(app: Sphinx, doctree: nodes.document) -> None:
    """Put a line below each description of a class or function."""
    page = app.env.docname
    if not page.startswith("api/"):
        return
    found = sources()
    for described in doctree.findall(addnodes.desc):
        signature = next(iter(described.findall(addnodes.desc_signature)))
        if described["objtype"] not in ("class", "function") or not signature["ids"]:
            continue
        links = [
            link(stem, title) for stem, (title, code) in found.items() if uses(signature["ids"][0], code)
        ]
        if links:
            line = nodes.paragraph("", "", nodes.Text("In notebooks: "), classes=["notebooks"])
            for i, one in enumerate(links[:MOST]):
                line += [nodes.Text(", "), one] if i else [one]
            line += nodes.Text(".")
            next(iter(described.findall(addnodes.desc_content))).append(line)


def link(stem: str, title: str) -> addnodes.pending_xref:
    """Return a link to the page of a notebook."""
    reference = addnodes.pending_xref(
        "", refdomain="std", reftype="doc", reftarget=f"/notebooks/{stem}", refexplicit=True
    )
    reference += nodes.inline(text=title)
    return reference


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the lines when a page has been read."""
    app.connect("doctree-read", add_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
