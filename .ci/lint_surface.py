# SPDX-License-Identifier: MIT
"""Check the public names against docs/api/public_surface.txt, so that what users see changes only when meant.

With --write the file is written anew. It is text of `public_surface`, not a dump of griffe, and compared as
text: griffe's `find_breaking_changes` compares two trees of sources, in which private modules have paths, and
passes over annotations, properties, overloads and docstrings. It is asked what it alone knows: whether calls
that fitted a signature before it changed still do.
"""

import re
import sys
from pathlib import Path

import griffe
from public_surface import surface

ROOT = Path(__file__).resolve().parents[1]
SNAPSHOT = ROOT / "docs" / "api" / "public_surface.txt"
HEAD = "# Every public name, its signature and the heading of its docstring. Written by `make surface`."


def blocks(text: str) -> dict[str, list[str]]:
    """Read a snapshot back."""
    found: dict[str, list[str]] = {}
    for block in re.findall(r"^\w.*(?:\n .*)*", text, re.MULTILINE):
        path, *lines = block.splitlines()
        found[path] = [line.strip() for line in lines]
    return found


def broken_calls(path: str) -> list[str]:
    """Say in griffe's words why calls that fitted the signature before may not fit it now."""
    trees = []
    for lines in (before[path], now[path]):
        calls = [line for line in lines if re.match(r"(function|classmethod|staticmethod|class)\(", line)]
        if not calls:
            return []
        code = re.sub(r"^\w+", f"def {path.rpartition('.')[2]}", calls[0]) + ": ..."
        trees.append(griffe.visit("surface", ROOT / "surface.py", code))
    style = griffe.ExplanationStyle.MARKDOWN
    return [re.sub("^- |[`*]", "", each.explain(style)) for each in griffe.find_breaking_changes(*trees)]


now = surface()
if sys.argv[1:] == ["--write"]:
    text = [HEAD, *("\n    ".join([path, *lines]) for path, lines in now.items())]
    SNAPSHOT.write_text("\n".join(text) + "\n", encoding="utf-8")
    sys.exit()
before = blocks(SNAPSHOT.read_text(encoding="utf-8"))
changes = {
    "removed": [path for path in before if path not in now],
    "changed": [path for path in before if path in now and before[path] != now[path]],
    "added": [path for path in now if path not in before],
}
for change, paths in changes.items():
    for path in paths:
        print(f"surface: {change}: {path}", file=sys.stderr)
        for sign, lines, others in (("-", before, now), ("+", now, before)):
            for line in lines.get(path, ()):
                if line not in others.get(path, ()):
                    print(f"    {sign} {line}", file=sys.stderr)
        if change == "changed":
            for reason in broken_calls(path):
                print(f"    breaks calls: {reason}", file=sys.stderr)
if any(changes.values()):
    counts = ", ".join(f"{len(paths)} {change}" for change, paths in changes.items())
    print(
        f"surface: public names differ from {SNAPSHOT.relative_to(ROOT)}: {counts}; where that is meant, "
        "run `make surface`, commit that file and say in CHANGELOG.md what users will notice",
        file=sys.stderr,
    )
    sys.exit(1)
print(f"surface: {len(now)} public names, as in {SNAPSHOT.relative_to(ROOT)}")
