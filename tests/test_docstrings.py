# SPDX-License-Identifier: MIT
"""The examples in docstrings run as they stand."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import lissom

# The functions of these have tests of their own in test_array_api_docs.
ELSEWHERE = ("lissom.quat", "lissom.dual_quat", "lissom.trs")
MODULES = [
    module.name
    for module in pkgutil.walk_packages(lissom.__path__, "lissom.")
    if not module.name.startswith(ELSEWHERE) and not module.name.endswith("__main__")
]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    module = importlib.import_module(name)
    names = {"np": np, "lissom": lissom}
    said: list[str] = []
    failed = 0
    for example in doctest.DocTestFinder(recurse=True).find(module, extraglobs=names):
        if example.examples:
            failed += (
                doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(example, out=said.append).failed
            )
    assert not failed, "".join(said)
