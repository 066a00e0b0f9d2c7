# SPDX-License-Identifier: MIT
"""Find the prose in a file: docstrings, comments, messages (strings of several words) and pages, by line."""

import io
import json
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field

KINDS = ("docstrings", "comments", "messages", "pages")
PAGES = {".md", ".rst"}
CODE = {".h", ".cpp", ".glsl", ".vert", ".frag", ".js", ".mjs", ".css"}
SUFFIXES = PAGES | CODE | {".py", ".ipynb"}

# Lines of // that follow one another are one comment, strings that do are one message.
COMMENT = r"//[^\n]*(?:\n[ \t]*//[^\n]*)*|/\*.*?\*/"
QUOTED = r'"(?:\\.|[^"\\\n])*"'
STRING = rf"R\"\w*\(.*?\)\w*\"|{QUOTED}(?:\s*{QUOTED})*|`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*'"
IN_CODE = re.compile(f"({COMMENT})|{STRING}", re.DOTALL)
PARAGRAPH = re.compile(r"(?:[^\n]*\S[^\n]*\n?)+")
LITERAL = re.compile(r"(\w*)(\"\"\"|'''|\"|')(.*)\2", re.DOTALL)
BEGINS_STATEMENT = {tokenize.ENCODING, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
# From Python 3.12 on, a formatted string is several tokens, those of its expressions among them.
FORMATTED = tuple(getattr(tokenize, f"FSTRING_{part}", None) for part in ("START", "MIDDLE", "END"))
STRINGS = {tokenize.STRING, *FORMATTED}


@dataclass
class Passage:
    """Lines that read on from one another, each with its number in the file."""

    kind: str
    rows: list[int] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def add(self, row: int, text: str) -> None:
        """Append text that begins in a row of the file."""
        for i, line in enumerate(text.split("\n")):
            self.rows.append(row + i)
            self.lines.append(line.strip())


def passages(suffix: str, text: str) -> Iterator[Passage]:
    """Find the prose in the text of a file, whose suffix is one of `SUFFIXES`."""
    readers = {".py": python, ".ipynb": notebook} | dict.fromkeys(PAGES, page)
    found = readers.get(suffix, code)(text)
    return (each for each in found if each.kind != "messages" or " " in "\n".join(each.lines).strip())


def page(text: str) -> Iterator[Passage]:
    """Find the paragraphs of a page; code is part of it."""
    for match in PARAGRAPH.finditer(text):
        passage = Passage("pages")
        passage.add(1 + text.count("\n", 0, match.start()), match[0].rstrip())
        yield passage


def code(text: str) -> Iterator[Passage]:
    """Find comments and strings of C++, GLSL, JavaScript and CSS."""
    for match in IN_CODE.finditer(text):
        passage = Passage("comments" if match[1] else "messages")
        marks = r"^[ \t]*(?://+|/?\*+/?)[!<]*" if match[1] else r"^[ \t]*[\"'`]|[\"'`]$"
        passage.add(1 + text.count("\n", 0, match.start()), re.sub(marks, "", match[0], flags=re.MULTILINE))
        yield passage


def python(text: str) -> Iterator[Passage]:
    """Find docstrings, comments and strings of Python."""
    found: list[Passage] = []
    comment = string = Passage("")
    last_comment, before, depth = -1, tokenize.NEWLINE, 0
    start, middle, end = FORMATTED
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        row, column = token.start
        depth += (token.type == start) - (token.type == end)
        if depth and token.type not in FORMATTED:
            continue
        if token.type == tokenize.COMMENT:
            if token.line[:column].strip() or row != last_comment + 1:
                found.append(comment := Passage("comments"))
            comment.add(row, token.string.lstrip("#:"))
            last_comment = row
        elif token.type in STRINGS:
            if before not in STRINGS:
                found.append(string := Passage("docstrings" if before in BEGINS_STATEMENT else "messages"))
            if literal := LITERAL.fullmatch(token.string):
                is_formatted = "f" in literal[1].lower()
                string.add(row, re.sub(r"\{[^{}]*\}", "{}", literal[3]) if is_formatted else literal[3])
            elif token.type == middle:
                string.add(row, token.string)
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            before = token.type
    return iter(found)


def notebook(text: str) -> Iterator[Passage]:
    """Find the prose of a notebook's cells, by the lines of its file."""
    rows = enumerate(text.splitlines(), 1)
    for cell in json.loads(text)["cells"]:
        places = []
        for line in cell["source"]:
            written = json.dumps(line, ensure_ascii=False)
            places.append(next(row for row, raw in rows if raw.strip().rstrip(",") == written))
        source = re.sub(r"^[%!].*", "", "".join(cell["source"]), flags=re.MULTILINE)  # none of Python's lines
        for passage in python(source) if cell["cell_type"] == "code" else page(source):
            passage.rows = [places[row - 1] for row in passage.rows]
            yield passage
