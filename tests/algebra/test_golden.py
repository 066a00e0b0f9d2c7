# SPDX-License-Identifier: MIT
"""Every golden vector against the public functions, in both precisions; the files against their generator."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lissom
from golden import generate
from golden.case import measured

DATA = generate.DATA
FILES = {path.name: json.loads(path.read_text()) for path in sorted(DATA.glob("*.json"))}
DTYPES = [np.float64, np.float32]

# Of the scale of each number (tests/data/golden/README.md). Products: 4 ulp per term. The rest: 1e-14 of the
# result or of what the inputs let be known of it, which near a singular place is less. float32 has its inputs
# rounded as well, to half an ulp each, and 4e-7 is three ulps and a half.
EPS = {dtype: float(np.finfo(dtype).eps) for dtype in DTYPES}
ACCURACY = {
    np.float64: {"exact": 0.0, "product": 4 * EPS[np.float64], "regular": 1e-14, "near singular": 1e-14},
    np.float32: {"exact": 0.0, "product": 4 * EPS[np.float32], "regular": 4e-7, "near singular": 4e-7},
}
# A matrix in float32 does not tell the sign of a w below this.
SIGN_LOST = 1e-6


def typed(value, dtype):
    return value if isinstance(value, (bool, str)) else np.asarray(value, dtype)[()]


def called(function, inputs, outputs, dtype):
    """The public function's results by the names of the file's outputs."""
    room, name = function.split(".")
    result = getattr(getattr(lissom, room), name)(
        **{key: typed(value, dtype) for key, value in inputs.items()}
    )
    return dict(zip(outputs, result if len(outputs) > 1 else [result], strict=True))


def w_of(result):
    """Of a quaternion, a dual quaternion or a trs."""
    return abs(result[6 if len(result) == 10 else 3])


def error(case, got, dtype):
    """The largest error, in what the case's class allows; above 1 is wrong."""
    want = {name: np.asarray(value) for name, value in case["outputs"].items()}
    free = [name for name in case["sign_free"] if name in want]
    if dtype == np.float32 and "matrix" in case["inputs"] and w_of(want["result"]) < SIGN_LOST:
        free = ["result"]
    agree = sum(np.sum(np.asarray(got[name], np.float64) * want[name]) for name in free)
    worst = 0.0
    for name, expected in want.items():
        number = np.asarray(got[name])
        assert number.dtype == dtype
        assert number.shape == expected.shape
        sign = -1 if name in free and agree < 0 else 1
        # An exact number of a float32 function is its input, rounded.
        target = expected.astype(dtype) if case["class"] == "exact" else expected
        off = np.abs(sign * number.astype(np.float64) - target)
        scale = np.broadcast_to(case["scale"][name], expected.shape)
        allowed = ACCURACY[dtype][case["class"]] * scale
        off = np.where((off == 0) & (allowed == 0), 0.0, off / np.where(allowed == 0, 1e-300, allowed))
        worst = max(worst, float(np.max(np.where(np.isnan(off), np.inf, off))))
    return worst


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FILES)
def test_functions_give_the_golden_outputs(name, dtype):
    file = FILES[name]
    wrong = []
    for case in file["cases"]:
        got = called(file["function"], case["inputs"], file["outputs"], dtype)
        worst = error(case, got, dtype)
        if not worst <= 1:
            wrong.append(
                f"{case['name']}: {worst:.3g} times what it may err; got {got}, not {case['outputs']}"
            )
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("function", "cases"), [pytest.param(*x, id=x[0].file_name) for x in generate.everything()]
)
def test_files_are_what_the_generator_writes(function, cases):
    text = generate.text_of(function, [measured(function, case) for case in cases])
    assert (DATA / function.file_name).read_bytes() == text.encode()


def test_there_are_no_other_files():
    assert sorted(FILES) == sorted(function.file_name for function, _ in generate.everything())
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 400_000


def test_names_are_unique_and_every_case_is_whole():
    for file in FILES.values():
        names = [case["name"] for case in file["cases"]]
        assert len(set(names)) == len(names)
        for case in file["cases"]:
            assert set(case["inputs"]) == set(file["inputs"])
            assert set(case["outputs"]) == set(case["scale"]) == set(file["outputs"])


@pytest.fixture
def readme(monkeypatch):
    """The README's blocks of Python, run where the files are."""
    monkeypatch.chdir(DATA)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", Path("README.md").read_text(), re.DOTALL):
        exec(block, names)
    return names


@pytest.mark.parametrize("name", FILES)
def test_the_readmes_example_passes_us(readme, name):
    file = FILES[name]

    def function(**inputs):
        got = called(file["function"], inputs, file["outputs"], np.float64)
        return {key: np.asarray(value).tolist() for key, value in got.items()}

    assert not list(readme["failures"](name, function))


SCIPY = {
    "quat_from_rotation_vector": lambda v: Rotation.from_rotvec(v).as_quat(),
    "quat_to_rotation_vector": lambda q: Rotation.from_quat(q).as_rotvec(),
    "quat_from_matrix": lambda matrix: Rotation.from_matrix(matrix).as_quat(canonical=True),
    "quat_to_matrix": lambda q: Rotation.from_quat(q).as_matrix(),
    "quat_from_euler": lambda sequence, angles, degrees: Rotation.from_euler(
        sequence, angles if len(sequence) > 1 else angles[0], degrees=degrees
    ).as_quat(),
    "quat_to_euler": lambda q, sequence, degrees: Rotation.from_quat(q).as_euler(sequence, degrees=degrees),
    "quat_rotate": lambda q, v: Rotation.from_quat(q).apply(v),
    "quat_mean": lambda q, weights: Rotation.from_quat(q).mean(weights).as_quat(),
}


@pytest.mark.filterwarnings("ignore:Gimbal lock")
@pytest.mark.parametrize("name", SCIPY)
def test_the_readmes_example_passes_scipy(readme, name):
    assert not list(
        readme["failures"](f"{name}.json", lambda **inputs: {"result": SCIPY[name](**inputs).tolist()})
    )


def test_the_readmes_example_finds_what_is_wrong(readme):
    from lissom import quat

    def reversed_product(a, b):
        return {"result": quat.multiply(b, a).tolist()}

    def not_a_number(a, b):
        return {"result": [np.nan] * 4}

    found = set(readme["failures"]("quat_multiply.json", reversed_product))
    assert {"i j = k", "generic"} <= found
    assert "i i = -1" not in found
    assert len(list(readme["failures"]("quat_multiply.json", not_a_number))) == len(
        FILES["quat_multiply.json"]["cases"]
    )


def test_files_are_plain_text():
    for path in DATA.iterdir():
        data = path.read_bytes()
        assert data.isascii()
        assert data.endswith(b"\n")
        assert b"\r" not in data or os.name == "nt"
