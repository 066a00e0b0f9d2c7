# SPDX-License-Identifier: MIT
"""Check that words which the project does not use stay away from its prose.

The table "Not used" of docs/concepts/words.md says which, what to say instead, in which kinds of text (in all
when the cell is empty), and which files may hold them all the same. A blank stands for any white space, so
phrases are found across the ends of lines, too.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from prose import KINDS, SUFFIXES, passages

ROOT = Path(__file__).resolve().parents[1]
DICTIONARY = ROOT / "docs" / "concepts" / "words.md"
FOLDERS = (".ci", "benchmarks", "docs", "notebooks", "python", "shaders", "src", "tests")
# Made by tools, or of others; docs/notebooks are copies.
MADE = {"_build", "jupyter_execute", "node_modules", "vendor", "__pycache__"}
TABLE = re.compile(r"^## Not used$.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)


class Word(NamedTuple):
    """A row of the table."""

    pattern: re.Pattern[str]
    instead: str
    kinds: Sequence[str]
    allowed: Sequence[str]


def words(text: str) -> list[Word]:
    """Read the table of the dictionary."""
    table = TABLE.search(text)
    found = []
    for line in re.findall(r"^\| `.*", table[0] if table else "", re.MULTILINE):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if len(cells) != 6:
            raise ValueError(f"words: a row must have 4 cells, got {line!r}; write \\| for a | within a cell")
        _, said, instead, kinds, files, _ = cells
        whole = rf"(?<!\w)(?:{said.strip('`')})(?!\w)".replace("\\|", "|").replace(" ", r"\s+")
        where = re.findall(r"\w+", kinds) or KINDS
        if not set(where) <= set(KINDS):
            raise ValueError(f"words: a kind of text must be one of {', '.join(KINDS)}, got {line!r}")
        found.append(Word(re.compile(whole, re.IGNORECASE), instead, where, re.findall("`(.*?)`", files)))
    if not found:
        raise ValueError('words: the dictionary must have a table "## Not used" with a row for each word')
    return found


def hits(name: str, text: str, table: Sequence[Word]) -> Iterator[str]:
    """Say where the prose of a file has words of the table."""
    table = [word for word in table if not any(fnmatch(name, place) for place in word.allowed)]
    for passage in passages(Path(name).suffix, text):
        prose = "\n".join(passage.lines)
        for word in table:
            for match in word.pattern.finditer(prose) if passage.kind in word.kinds else ():
                row = passage.rows[prose.count("\n", 0, match.start())]
                yield f"{name}:{row}: {' '.join(match[0].split())!r} is not used; say {word.instead}"


def files() -> list[Path]:
    """Return the files that hold prose of the project."""
    paths = [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))]
    copies = ROOT / "docs" / "notebooks"
    prose = (path for path in paths if path.suffix in SUFFIXES and path.is_file())
    return sorted(path for path in prose if not MADE & {*path.parts} and copies not in path.parents)


def main() -> int:
    """Print what is found, and return whether anything was."""
    table = words(DICTIONARY.read_text(encoding="utf-8"))
    found: list[str] = []
    for path in files():
        text = path.read_text(encoding="utf-8")
        if path == DICTIONARY:  # may name what it forbids
            text = TABLE.sub(lambda match: "\n" * match[0].count("\n"), text)
        found += hits(path.relative_to(ROOT).as_posix(), text, table)
    for hit in found:
        print(f"words: {hit}", file=sys.stderr)
    if found:
        print(
            f"words: {len(found)} to replace; {DICTIONARY.relative_to(ROOT)} has the table", file=sys.stderr
        )
    else:
        print(f"words: none of the {len(table)} in {DICTIONARY.relative_to(ROOT)}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
