# SPDX-License-Identifier: MIT
"""The how-to of the playground runs, and shows the code that there is to be copied."""

from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "ik-playground.md"


@pytest.mark.gl
@pytest.mark.tree
def test_the_how_to_runs_and_shows_the_code_that_is_copied(capsys):
    text = PAGE.read_text(encoding="utf-8")
    shown = text.split("```text\n")[1].split("```")[0].splitlines()
    names = {}
    for block in text.split("```python\n")[1:]:
        exec(compile(block.split("```")[0], PAGE.name, "exec"), names)
    assert bool(names["done"].reached)
    printed = capsys.readouterr().out.splitlines()[: len(shown)]
    # Digits of positions are those of the machine, and limits are too long for the page.
    assert [line.split("[")[0].split("{")[0] for line in printed] == [
        line.split("[")[0].split("{")[0] for line in shown
    ]
