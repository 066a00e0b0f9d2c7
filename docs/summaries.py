# SPDX-License-Identifier: MIT
"""A Sphinx extension: pages of the reference begin with a table of what they describe."""

from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

SHOWN = ("class", "function", "exception", "data")
LEAST = 3  # fewer need no table


def add_table(app: Sphinx, doctree: nodes.document) -> None:
    """Put the table below the title of a page of the reference."""
    page = app.env.docname
    if not page.startswith("api/") or page == "api/index":
        return
    rows = [row for described in doctree.findall(addnodes.desc) if (row := line(described)) is not None]
    if len(rows) < LEAST:
        return
    # What introduces a page stands before its table.
    section = next(iter(doctree.findall(nodes.section)))
    begins = (nodes.section, addnodes.desc)
    first = next(i for i, child in enumerate(section) if isinstance(child, begins))
    while first > 0 and isinstance(section[first - 1], addnodes.index):
        first -= 1  # marks the description behind it
    section.insert(first, table(rows))


def line(described: addnodes.desc) -> list[nodes.Node] | None:
    """Return a link to what is described, and the first sentence about it; None for members of classes."""
    if described["domain"] != "py" or described["objtype"] not in SHOWN or inside_another(described):
        return None
    signature = next(iter(described.findall(addnodes.desc_signature)))
    if not signature["ids"]:
        return None
    name = signature["fullname"]
    link = nodes.reference("", "", nodes.literal(text=name), refid=signature["ids"][0], internal=True)
    return [nodes.paragraph("", "", link), nodes.paragraph("", "", *first_sentence(described))]


def inside_another(described: addnodes.desc) -> bool:
    """Whether a description stands within one."""
    parent = described.parent
    while parent is not None:
        if isinstance(parent, addnodes.desc):
            return True
        parent = parent.parent
    return False


def first_sentence(described: addnodes.desc) -> Iterator[nodes.Node]:
    """Return the first paragraph of a description, up to its first full stop."""
    content = next(iter(described.findall(addnodes.desc_content)))
    paragraph = next((child for child in content.children if isinstance(child, nodes.paragraph)), None)
    for child in paragraph.children if paragraph is not None else ():
        copy = child.deepcopy()
        if isinstance(copy, nodes.Text) and ". " in copy:
            yield nodes.Text(copy.split(". ")[0] + ".")
            return
        yield copy


def table(rows: list[list[nodes.Node]]) -> nodes.table:
    """Make a table of two columns."""
    group = nodes.tgroup("", nodes.colspec(colwidth=35), nodes.colspec(colwidth=65), cols=2)
    body = nodes.tbody()
    for row in rows:
        body += nodes.row("", *(nodes.entry("", cell) for cell in row))
    group += body
    return nodes.table("", group, classes=["summary"])


def as_code(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Take indented lines of a module's docstring for code, which they are."""
    if what != "module":
        return
    for i in range(len(lines) - 1, 0, -1):
        if lines[i].startswith("    ") and not lines[i - 1].strip():
            before = next((line for line in reversed(lines[:i]) if line.strip()), "")
            if not before.startswith(" ") and not before.rstrip().endswith("::"):
                lines[i:i] = [".. code-block:: python", ""]


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the table when a page has been read, and code to what introduces it."""
    app.connect("doctree-read", add_table)
    app.connect("autodoc-process-docstring", as_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
