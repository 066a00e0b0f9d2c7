# SPDX-License-Identifier: MIT
"""The examples in docstrings run as they stand."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import lissom
from lissom.gpu import _context as context

MODULES = [
    module.name
    for module in pkgutil.walk_packages(lissom.__path__, "lissom.")
    if not module.name.endswith("__main__")
]
# Modules and docstrings whose examples need an OpenGL context.
DRAWING = (
    "lissom._pictures.compare",
    "lissom._pictures.render",
    "lissom.errors.GpuError",
    "lissom.gpu._crowd",
    "lissom.gpu._crowd_playback",
    "lissom.gpu._impostors",
    "lissom.gpu._model",
    "lissom.gpu._pose_upload",
    "lissom.gpu._stage",
    "lissom._playground.playground.Playground.picture",
    "lissom.player._player",
)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def is_below(name: str, *tops: str) -> bool:
    """Whether a dotted name is one of some others or lies in it."""
    return any(f"{name}.".startswith(f"{top}.") for top in tops)


def run_examples(name: str, drawing: bool) -> None:
    """Run what the docstrings of a module show: all that draws, or all that does not."""
    module = importlib.import_module(name)
    names = {"np": np, "lissom": lissom}
    names |= {n: getattr(lissom, n) for n in ("quat", "dual_quat", "trs")}  # as a user of these imports them
    said: list[str] = []
    failed = 0
    for example in doctest.DocTestFinder(recurse=True).find(module, extraglobs=names):
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
    monkeypatch.setattr(context, "_new_context", refused)
    run_examples(name, drawing=False)


@pytest.mark.gl
@pytest.mark.parametrize(
    "name", [name for name in MODULES if is_below(name, *DRAWING) or any(is_below(d, name) for d in DRAWING)]
)
def test_drawing_examples_run(name: str) -> None:
    run_examples(name, drawing=True)
    with context.shared_context() as gl:
        assert gl.error == "GL_NO_ERROR"
