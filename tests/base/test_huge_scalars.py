# SPDX-License-Identifier: MIT
"""Single numbers at the ends of float64: an answer that is finite, or a refusal, never a warning of NumPy's.

The suite runs with warnings as errors.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom
from scalar_parameters import CASES, RESULTS

VALUES = (1e308, -1e308, 1e9, -1e9, 1e-40, 1e-308, 5e-324)
DRAWN = ("gpu.", "render", "compare", "contact_sheet", "sketch")


def each_case() -> list[Any]:
    return [
        pytest.param(
            call, name, id=f"{path}: {name}", marks=[pytest.mark.gl] if path.startswith(DRAWN) else []
        )
        for path, names, call in CASES
        for name in names.split()
    ]


@pytest.mark.parametrize(("call", "name"), each_case())
def test_a_number_at_the_ends_of_its_range(call: Callable[..., Any], name: str) -> None:
    for value in VALUES:
        try:
            result = call(**{name: value})
        except (ValueError, AssertionError, lissom.BakeError):
            continue
        except Warning as warning:
            assert "since legs cannot reach" in str(warning)  # noqa: PT017
            continue
        except MemoryError as error:
            assert "memory_limit must hold" in str(error)  # noqa: PT017
            continue
        for array in arrays_of(result):
            assert np.isfinite(array).all(), value


def arrays_of(result: Any) -> Iterator[Any]:
    if isinstance(result, float) or (isinstance(result, np.ndarray) and result.dtype.kind == "f"):
        yield result
    elif isinstance(result, lissom.Clip):
        yield result.keys
        yield from (marker.time for marker in result.markers)
    elif isinstance(result, list | tuple):
        for each in result:
            yield from arrays_of(each)


@pytest.mark.tree
def test_every_public_number_is_tried() -> None:
    surface = (Path(__file__).parents[2] / "docs" / "api" / "public_surface.txt").read_text("utf-8")
    tried = {(path, name) for path, names, _ in CASES for name in names.split()}
    missing = []
    for block in re.findall(r"^lissom\.\w.*(?:\n .*)*", surface, re.MULTILINE):
        path, *lines = block.removeprefix("lissom.").splitlines()
        if path in RESULTS:
            continue
        for parameters in re.findall(
            r"^    (?:function|classmethod|staticmethod|class)\((.*)\)(?: -> .*)?$",
            "\n".join(lines),
            re.MULTILINE,
        ):
            for name, kind in re.findall(
                r"(\w+): ((?:[^,=()\[]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*)", parameters
            ):
                if re.search(r"\bfloat\b", kind) and (path, name) not in tried:
                    missing.append((path, name))
    assert not missing
