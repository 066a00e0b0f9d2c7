# SPDX-License-Identifier: MIT
"""Masked arrays are refused by every parameter that takes an array: their numbers would be taken unmasked."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from array_api import each_way, replaced
from array_parameters import CASES, RESULTS

REFUSAL = r"(is|holds) a masked array, whose mask lissom would ignore; pass its \.filled\(\.\.\.\)$"


def masked(value: Any) -> Any:
    """Without a masked number: what counts is the type, not what a test happens to hold."""
    return np.ma.array(value)


def each_array() -> list[Any]:
    return [
        pytest.param(
            call,
            list(arrays),
            i,
            id=f"{path}: {name}",
            marks=[pytest.mark.gl] if path.startswith("gpu.") else [],
        )
        for path, call, arrays in CASES
        for i, name in zip(range(len(arrays)), inspect.signature(call).parameters, strict=False)
        if arrays[i] is not None
    ]


@pytest.mark.parametrize(("call", "arrays", "index"), each_array())
def test_a_masked_array_is_refused(call: Callable[..., Any], arrays: list[Any], index: int) -> None:
    with pytest.raises(TypeError, match=REFUSAL):
        call(*replaced(arrays, index, masked(arrays[index])))


@pytest.mark.parametrize(("call", "arrays", "index"), each_array())
def test_a_masked_array_in_a_list_is_refused(call: Callable[..., Any], arrays: list[Any], index: int) -> None:
    """Or the list, where nothing but an array is taken."""
    array = masked(arrays[index])
    for value in ([array], ([array],)):
        with pytest.raises(TypeError, match=rf"{REFUSAL}|must be .*array.*, got (a )?(list|tuple)"):
            call(*replaced(arrays, index, value))


@each_way
def test_a_masked_operand_is_refused(way: Any) -> None:
    arrays = way.operand_arrays((3,) if way.broadcasts else ())
    for i in range(len(arrays)):
        with pytest.raises(TypeError, match=REFUSAL):
            way.call(*replaced(arrays, i, masked(arrays[i])))
        for value in ([masked(arrays[i])], [(masked(arrays[i]),)]):
            with pytest.raises(TypeError, match=REFUSAL):
                way.call(*replaced(arrays, i, value))
    if way.has_out:
        out = way.new_out((3,), np.float64)
        out = tuple(map(masked, out)) if isinstance(out, tuple) else masked(out)
        with pytest.raises(TypeError, match=REFUSAL):
            way.call(*arrays, out=out)


@pytest.mark.tree
def test_every_public_array_is_tried() -> None:
    surface = (Path(__file__).parents[2] / "docs" / "api" / "public_surface.txt").read_text("utf-8")
    tried = {(path, name) for path, call, _ in CASES for name in inspect.signature(call).parameters}
    for block in re.findall(r"^lissom\.\w.*(?:\n .*)*", surface, re.MULTILINE):
        path, *lines = block.removeprefix("lissom.").splitlines()
        if path in RESULTS or path.partition(".")[0] in {"quat", "dual_quat", "trs"}:
            continue
        for parameters in re.findall(
            r"^    (?:function|classmethod|class)\((.*)\)(?: -> .*)?$", "\n".join(lines), re.MULTILINE
        ):
            for name in re.findall(r"(\w+): (?:[^,=()]|\[[^\]]*\])*(?:ArrayLike|NDArray)", parameters):
                # Of `out` there are two checks, of arrays.check_out and of the core: the table tries both.
                assert name == "out" or (path, name) in tried, (path, name)
