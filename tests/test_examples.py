# SPDX-License-Identifier: MIT
"""Every public callable shows a use of it that runs, and names its parameters; test_docstrings runs them."""

import doctest
import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import lissom
from test_array_api_docs import entries, sections
from test_docstrings import MODULES

# What users do not call: a Stage asks it of what it draws.
PROTOCOL = (
    (lissom.gpu.Crowd, ("prepare", "draw", "points", "ground")),
    (lissom.gpu.SkinnedModel, ("prepare", "draw", "points", "ground")),
)


def public_objects() -> Iterator[tuple[str, Any]]:
    """Name, below lissom, and value of what ``__all__`` of lissom and of its public modules offers."""
    modules = {"": lissom}
    modules |= {f"{n}.": m for n in lissom.__all__ if inspect.ismodule(m := getattr(lissom, n))}
    for prefix, module in modules.items():
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value) or inspect.isroutine(value):
                yield prefix + name, value


def methods(of: type) -> Iterator[tuple[str, Any]]:
    """Name and function of what can be called on a class or its instances, inherited ones too."""
    skipped = dict(PROTOCOL).get(of, ())
    for name, value in inspect.getmembers_static(of):
        if name.startswith("_") or name in skipped:
            continue
        function = getattr(value, "__func__", value)  # of a class method or a static one
        if inspect.isfunction(function) and function.__module__.startswith("lissom."):
            yield name, function


def documented() -> dict[str, Any]:
    """Each callable once, under the first of its public names."""
    found: dict[int, tuple[str, Any]] = {}
    for name, value in public_objects():
        found.setdefault(id(value), (name, value))
        if inspect.isclass(value):
            for method, function in methods(value):
                found.setdefault(id(function), (f"{name}.{method}", function))
    return dict(found.values())


DOCUMENTED = documented()


def has_example(value: Any) -> bool:
    text = inspect.cleandoc(value.__doc__ or "")
    return "\nExamples\n--------\n" in text and bool(doctest.DocTestParser().get_examples(text))


def test_public_names_are_found() -> None:
    """What stands for each kind: a function, a class, a method, a class method, one of a private base."""
    names = {"load", "Clip", "Clip.sample", "quat.slerp", "samples.humanoid"}
    names |= {"ik.Leg.find", "gpu.Crowd.update", "BlendSpace1D.at"}
    assert names <= set(DOCUMENTED)
    assert len(DOCUMENTED) >= 320
    assert not [name for name in DOCUMENTED if any(part.startswith("_") for part in name.split("."))]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_has_an_example(name: str) -> None:
    assert has_example(DOCUMENTED[name]), f"lissom.{name}: give its docstring an example that runs"


def test_every_example_is_run() -> None:
    """test_docstrings finds an example in the module that holds it: none is lost between modules."""
    finder = doctest.DocTestFinder()
    run = {test.docstring for name in MODULES for test in finder.find(importlib.import_module(name))}
    assert not [name for name, value in DOCUMENTED.items() if value.__doc__ not in run]


@pytest.mark.parametrize("name", [name for name, value in DOCUMENTED.items() if inspect.isfunction(value)])
def test_parameters_are_those_of_the_signature(name: str) -> None:
    said = entries(sections(inspect.getdoc(DOCUMENTED[name]) or "").get("Parameters", ""))
    assert set(said) == set(inspect.signature(DOCUMENTED[name]).parameters) - {"self", "cls"}
