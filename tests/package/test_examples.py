# SPDX-License-Identifier: MIT
"""Every public callable shows a use of it and names its parameters; the examples run as they stand."""

import doctest
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lissom
from lissom._base.set_module import written_in
from lissom.gpu import _context as context
from test_array_api_docs import entries, sections

MODULES = [
    module.name
    for module in pkgutil.walk_packages(lissom.__path__, "lissom.")
    if not module.name.endswith("__main__")
]
# Modules and docstrings whose examples need an OpenGL context.
DRAWING = (
    "lissom._pictures.compare",
    "lissom._pictures.contact_sheet",
    "lissom._pictures.render",
    "lissom._playground.playground.Playground.picture",
    "lissom.errors.GpuError",
    "lissom.gpu._context",
    "lissom.gpu._crowd",
    "lissom.gpu._crowd_drawing",
    "lissom.gpu._crowd_library",
    "lissom.gpu._crowd_playback",
    "lissom.gpu._deformed",
    "lissom.gpu._impostors",
    "lissom.gpu._live_crowd",
    "lissom.gpu._model",
    "lissom.gpu._pose_upload",
    "lissom.gpu._programs",
    "lissom.gpu._stage",
    "lissom.gpu._users_shaders",
    "lissom.player._player",
)
# What users do not call: a Stage asks it of what it draws.
PROTOCOL = (
    (lissom.gpu.Crowd, ("prepare", "draw", "draw_blended", "points", "ground")),
    (lissom.gpu.LiveCrowd, ("prepare", "draw", "draw_blended", "points", "ground")),
    (lissom.gpu.SkinnedModel, ("prepare", "draw", "draw_blended", "points", "ground")),
)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Finder(doctest.DocTestFinder):
    """Finds the examples of what a module defines, under whatever public name that is known."""

    def _from_module(self, module: Any, object: Any) -> bool:
        if inspect.isclass(object) or inspect.isfunction(object):
            return written_in(object) == module.__name__
        return super()._from_module(module, object)


def examples(name: str) -> list[doctest.DocTest]:
    """Return the examples of a module and of what it defines."""
    names = {"np": np, "lissom": lissom}
    names |= {n: getattr(lissom, n) for n in ("quat", "dual_quat", "trs")}  # as a user of these imports them
    return Finder().find(importlib.import_module(name), name, extraglobs=names)


def is_below(name: str, *tops: str) -> bool:
    """Whether a dotted name is one of some others or lies in it."""
    return any(f"{name}.".startswith(f"{top}.") for top in tops)


def run_examples(name: str, drawing: bool) -> None:
    """Run what the docstrings of a module show: all that draws, or all that does not."""
    said: list[str] = []
    failed = 0
    for example in examples(name):
        if example.examples and is_below(example.name, *DRAWING) == drawing:
            failed += (
                doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(example, out=said.append).failed
            )
    assert not failed, "".join(said)


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> None:
        raise AssertionError("an example draws: give its name to DRAWING")

    monkeypatch.setattr(context, "_shared", None)
    monkeypatch.setattr(context, "new_context", refused)
    run_examples(name, drawing=False)


@pytest.mark.gl
@pytest.mark.parametrize(
    "name", [name for name in MODULES if is_below(name, *DRAWING) or any(is_below(d, name) for d in DRAWING)]
)
def test_drawing_examples_run(name: str) -> None:
    run_examples(name, drawing=True)
    with context.shared_context() as gl:
        assert gl.error == "GL_NO_ERROR"


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
    """An example is found in the module that holds it: none is lost between modules."""
    run = {test.docstring for name in MODULES for test in examples(name)}
    assert not [name for name, value in DOCUMENTED.items() if value.__doc__ not in run]


@pytest.mark.parametrize("name", [name for name, value in DOCUMENTED.items() if inspect.isfunction(value)])
def test_parameters_are_those_of_the_signature(name: str) -> None:
    said = entries(sections(inspect.getdoc(DOCUMENTED[name]) or "").get("Parameters", ""))
    assert set(said) == set(inspect.signature(DOCUMENTED[name]).parameters) - {"self", "cls"}


@pytest.mark.parametrize(
    ("name", "value"), list(public_objects()), ids=[name for name, _ in public_objects()]
)
def test_pickles_name_what_users_import(name: str, value: Any) -> None:
    """So do reprs and tracebacks; the code may move, and earlier files are read."""
    text = pickle.dumps(value)
    assert pickle.loads(text) is value
    assert b"lissom._" not in text
    assert b"._" not in text.partition(b"lissom")[2]
