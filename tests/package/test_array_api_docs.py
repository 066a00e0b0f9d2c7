# SPDX-License-Identifier: MIT
"""Every public function of quat, dual_quat and trs says what it takes and gives, and its example runs."""

import doctest
import inspect
import re

import numpy as np
import pytest

from array_api import MAKERS, Way, each_way, each_way_where, public_functions, ways
from lissom import dual_quat, quat, trs

functions = public_functions()
each_function = pytest.mark.parametrize("name", functions)
SECTIONS = [
    "Parameters",
    "Returns",
    "Raises",
    "See Also",
    "Notes",
    "References",
    "Examples",
]  # numpydoc's order


def sections(text: str) -> dict[str, str]:
    """What stands under each underlined heading; under "" what stands before the first."""
    parts = re.split(r"^(\w[\w ]*)\n(-+)$", text, flags=re.MULTILINE)
    found = {"": parts[0]}
    for title, line, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        assert len(title) == len(line), title
        found[title] = body
    return found


def entries(section: str) -> dict[str, str]:
    """Name (each of "a, b") to what is said of it."""
    parts = re.split(r"^(\*{0,2}\w.*)$", section, flags=re.MULTILINE)
    found = {}
    for head, body in zip(parts[1::2], parts[2::2], strict=True):
        for name in head.split(" : ")[0].split(", "):
            found[name.strip("*")] = head + body
    return found


@each_function
def test_docstring_has_the_sections_of_numpydoc(name):
    text = inspect.getdoc(functions[name])
    found = sections(text)
    summary = text.split("\n\n")[0]
    assert summary.endswith((".", ":")), summary
    assert "\n" not in summary
    titles = [title for title in found if title]
    assert titles == [title for title in SECTIONS if title in titles]
    assert {"Parameters", "Returns", "Examples"} <= set(titles)


@each_function
def test_docstring_names_every_parameter(name):
    found = entries(sections(inspect.getdoc(functions[name]))["Parameters"])
    assert list(found) == list(inspect.signature(functions[name]).parameters)
    for parameter, text in found.items():
        assert re.search(rf"\b{parameter}\b.* : \S", text), f"{parameter} has no type"


@each_way
def test_docstring_says_the_shapes(way: Way):
    found = sections(inspect.getdoc(way.function))
    parameters = entries(found["Parameters"])
    for operand in way.operands:
        assert re.search(r"shape \(", parameters[operand]), operand
    assert "shape" in found["Returns"]
    if way.has_out:
        assert "shape" in parameters["out"]


@each_way_where(lambda way: way.has_out)  # a view of NaN is no question
def test_docstring_says_what_becomes_of_nan(way: Way):
    assert "NaN" in inspect.getdoc(way.function)


@pytest.mark.parametrize("name", sorted({way.name for way in ways() if way.zero}))
def test_docstring_says_what_is_refused(name):
    assert "ValueError" in sections(inspect.getdoc(functions[name])).get("Raises", "")


@each_function
def test_examples_run(name):
    text = inspect.getdoc(functions[name])
    names = {"np": np, "quat": quat, "dual_quat": dual_quat, "trs": trs}
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    example = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    assert example.examples, "no example"
    assert any(name.split(".")[1] + "(" in e.source for e in example.examples), "the example calls another"
    said: list[str] = []
    with np.printoptions():
        doctest.DocTestRunner(optionflags=flags, verbose=False).run(example, out=said.append)
    assert not said, "".join(said)


def test_makers_are_public():
    assert set(MAKERS) <= set(functions)
