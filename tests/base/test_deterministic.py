# SPDX-License-Identifier: MIT
"""Deterministic mode: the same bits from every instruction set and any number of threads."""

import hashlib
import itertools
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import every_stage
import lissom
import mesh_stages
from conftest import ASSETS
from test_config import ISAS, run_python

# Real rigs: one of a single skinned mesh, one of many joints whose clips scale, one below a factor of 100.
CHARACTERS = (
    *("khronos/CesiumMan.glb", "quaternius/animals_pack/Horse.glb", "quaternius/fish_pack/Dolphin.glb"),
)
# Promised without the mode: positions across instruction sets, as a fraction of the size.
ACROSS_SETS = 1e-6
# Numbers about one after a few dozen operations in float32.
UNIT = 4e-6
# Most directions, too. Random blends of rotations far apart can be short, and tangents lie along
# normals: making those unit enlarges what rounding has left, without a bound.
DIRECTIONS = 0.99

# The worst normal, times how short blending has made it: rounding of palettes, four influences and a product.
WORST_NORMAL = 2e-6

# SHA-256 of what stages make of the made up rig, first eight digits, parts chained. IEEE 754 and the order of
# operations in the source determine them: they hold for every compiler, processor and instruction set, and
# change with a formula alone.
FROZEN = {
    "sampled": "ae784f95",
    "sampled few": "da807689",
    "sampled uniform": "888c1def",
    "blended": "0fa8ac07",
    "blended layers": "211d2922",
    "added": "87b92ca7",
    "model": "99e066e0",
    "model one": "9f14f40e",
    "model scaled": "8e2c2786",
    "model matrices": "283caba3",
    "model dual_quats": "c5d07643",
    "model linear": "dc4b2447",
    "model dual_quat": "81a62e9e",
    "model quat_trans": "6c9e87e1",
    "model cor": "3bf9b9ea",
    "model blended": "9bbaeff0",
    "model cofactor": "eb99fd1c",
    "model prepared": "1f140277",
    "model original": "79b0a583",
    "model back": "25fba9d9",
    "model scaled matrices": "1ef4a1a5",
    "model scaled dual_quats": "d430d3f5",
    "model scaled scales": "948c5852",
    "model scaled linear": "e3acbac9",
    "model scaled dual_quat": "f25fb24b",
    "model scaled quat_trans": "dddfa28a",
    "model scaled cor": "d51973f5",
    "model scaled blended": "eb0d5b11",
    "model scaled cofactor": "806113ab",
    "model scaled prepared": "000d100e",
    "model scaled original": "aa20d08b",
    "model scaled back": "e4afebfc",
    "quat_trans": "52874a4f",
}


@pytest.fixture
def restored_mode():
    before = lissom.is_deterministic()
    yield
    lissom.set_deterministic(before)


# The switch


@pytest.mark.usefixtures("restored_mode")
def test_the_mode_is_kept() -> None:
    for on in (True, False, np.True_):
        lissom.set_deterministic(on)
        assert lissom.is_deterministic() is bool(on)
        assert lissom.show_config("dicts")["deterministic"] is bool(on)


@pytest.mark.parametrize("wrong", [1, None, "yes", np.array([True])])
def test_the_mode_must_be_true_or_false(wrong) -> None:
    with pytest.raises(TypeError, match="set_deterministic: on must be True or False, got "):
        lissom.set_deterministic(wrong)


@pytest.mark.parametrize(("text", "on"), [("", False), ("0", False), ("1", True)])
def test_the_environment_says_so_from_the_start(text: str, on: bool) -> None:
    run = run_python("import lissom; print(lissom.is_deterministic())", LISSOM_DETERMINISTIC=text)
    assert run.stdout.strip() == str(on), run.stderr


@pytest.mark.parametrize("wrong", ["2", "true", " 1"])
def test_a_wrong_environment_is_refused(wrong: str) -> None:
    run = run_python("import lissom", LISSOM_DETERMINISTIC=wrong)
    assert run.returncode == 1
    sentence = f"ImportError: lissom: LISSOM_DETERMINISTIC must be 0 or 1, got '{wrong}'; leave it unset"
    assert sentence in run.stderr


# The bits


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[dict, dict[str, np.ndarray]]]:
    """Of each instruction set the hashes of all stages, and the numbers of its own kernels."""
    folder = tmp_path_factory.mktemp("stages")
    assets = [str(path) for name in CHARACTERS if (path := ASSETS / "characters" / name).is_file()]
    program = str(Path(every_stage.__file__))

    def run(isa: str) -> tuple[dict, dict[str, np.ndarray]]:
        out = folder / f"{isa}.npz"
        done = subprocess.run(
            [sys.executable, program, str(out), *assets],
            env=os.environ | {"LISSOM_ISA": isa},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        with np.load(out) as arrays:
            return json.loads(done.stdout), dict(arrays)

    with ThreadPoolExecutor() as pool:  # of processes that each keep one core busy
        return list(pool.map(run, ISAS))


def test_every_set_and_any_number_of_threads_give_the_same_bits(runs) -> None:
    expected = {name: threads["1"] for name, threads in runs[0][0].items()}
    assert len(expected) >= 2
    for (found, _), threads in itertools.product(runs, map(str, every_stage.THREADS)):
        for name, stages in expected.items():
            different = [stage for stage in stages if found[name][threads][stage] != stages[stage]]
            assert not different, (name, threads, different)


def test_fast_kernels_agree_across_sets(runs) -> None:
    first = runs[0][1]
    for _, other in runs[1:]:
        for name, expected in first.items():
            stage = name.split(": ")[1]
            if stage.startswith(("texels", "report", "ik ")) or " back " in stage:
                continue  # half precision, words; what iterates, and inverses, enlarge how poses differ
            apart = np.abs(other[name].astype(np.float64) - expected)
            if name.endswith(("normals", "tangents", "cofactor")):
                assert np.mean(apart <= UNIT) >= DIRECTIONS, name
                continue
            limit = UNIT * np.abs(expected).max()
            if name.endswith("positions"):
                limit = ACROSS_SETS * np.linalg.norm(np.ptp(expected.reshape(-1, 3), axis=0))
            assert apart.max() <= limit, (name, apart.max() / limit)


def test_the_worst_normal_agrees_across_sets(runs) -> None:
    """Making a blend unit enlarges its rounding by as much as the blend is shorter than what it blends."""
    assets = [str(path) for name in CHARACTERS if (path := ASSETS / "characters" / name).is_file()]
    tried = 0
    for rig_name, rig in every_stage.rigs(assets).items():
        mesh = rig.mesh
        normals = mesh.computed_normals() if mesh.normals is None else mesh.normals
        first = runs[0][1]
        for palette in ("model", "model scaled"):
            start = f"{rig_name}: {palette}"
            if f"{start} matrices" not in first:
                continue
            left = {"linear": blends_left(mesh, normals, first[f"{start} matrices"][: mesh_stages.POSES])}
            left["quat_trans"] = left["linear"]
            if f"{start} scales" not in first:
                left["dual_quat"] = turns_left(mesh, first[f"{start} dual_quats"][: mesh_stages.POSES])
                left["cor"] = left["dual_quat"]
            for method, shares in left.items():
                for form in ("", "prepared ", "original "):
                    tried += 1
                    stage = f"{start} {form}{method} normals"
                    order = mesh.prepare().order if form == "prepared " else slice(None)
                    expected = first[stage][: mesh_stages.POSES].astype(np.float64)
                    for _, other in runs[1:]:
                        apart = np.abs(other[stage][: mesh_stages.POSES] - expected).max(axis=2)
                        worst = (apart * shares[:, order]).max()
                        assert worst <= WORST_NORMAL, (stage, worst)
    assert tried >= 20


def blends_left(mesh, normals, matrices) -> np.ndarray:
    """How long blended normals are (P, V), as a share of the matrices that are blended."""
    linear = matrices[..., :3, :3].astype(np.float64)
    blend, sizes = 0.0, 0.0
    for k in range(mesh.influence_count):
        weight, rows = mesh.weights[:, k].astype(np.float64), linear[:, mesh.indices[:, k]]
        blend = blend + weight[:, None, None] * rows
        sizes = sizes + weight * np.linalg.norm(rows, axis=(2, 3))
    return np.linalg.norm(np.einsum("pvij,vj->pvi", blend, normals), axis=2) / (sizes / np.sqrt(3))


def turns_left(mesh, dual_quats) -> np.ndarray:
    """How long blends of signed unit quaternions are (P, V)."""
    real = dual_quats[..., :4].astype(np.float64)
    heaviest = np.lexsort((mesh.indices, -mesh.weights), axis=1)[:, :1]
    pivot = real[:, np.take_along_axis(mesh.indices, heaviest, axis=1)[:, 0]]
    blend = 0.0
    for k in range(mesh.influence_count):
        rows = real[:, mesh.indices[:, k]]
        sign = np.where((rows * pivot).sum(axis=2, keepdims=True) < 0, -1, 1)
        blend = blend + mesh.weights[:, k].astype(np.float64)[:, None] * sign * rows
    return np.linalg.norm(blend, axis=2)


@pytest.mark.usefixtures("restored_mode")
def test_bits_are_those_of_ieee_arithmetic() -> None:
    lissom.set_deterministic(True)
    found: dict[str, str] = {}
    for name, array in every_stage.every_stage(every_stage.made_up_rig()).items():
        if name.startswith("ik "):
            continue  # may hang on the C library; see the concept page
        group = name.removesuffix(" positions").removesuffix(" normals").removesuffix(" tangents")
        for word in (" prepared", " original", " back"):
            group = group.split(word + " ")[0] + (word if word + " " in group else "")
        found[group] = hashlib.sha256(found.get(group, "").encode() + array.tobytes()).hexdigest()[:8]
    assert found == FROZEN


@pytest.mark.usefixtures("restored_mode")
def test_linear_skinning_rounds_as_it_is_written() -> None:
    """Sums in order, no product fused with a sum, a quotient by a root: float32 as NumPy rounds it."""
    rig = every_stage.made_up_rig()
    mesh, rng = rig.mesh, np.random.default_rng(0)
    matrices = (rng.random((every_stage.JOINTS, 4, 4)) - 0.5).astype(np.float32)
    matrices[:, 3] = 0, 0, 0, 1
    lissom.set_deterministic(True)
    moved = lissom.skin_linear(mesh, matrices, normals=True)

    rows, weights = matrices[mesh.indices], mesh.weights.astype(np.float32)[..., None, None]
    blend = weights[:, 0] * rows[:, 0]
    for k in range(1, weights.shape[1]):
        blend = blend + weights[:, k] * rows[:, k]

    def turned(v: np.ndarray) -> np.ndarray:
        return blend[:, :3, 0] * v[:, :1] + blend[:, :3, 1] * v[:, 1:2] + blend[:, :3, 2] * v[:, 2:]

    assert mesh.normals is not None
    np.testing.assert_array_equal(moved.positions, turned(mesh.positions) + blend[:, :3, 3])
    n = turned(mesh.normals)
    square = n[:, 0] * n[:, 0] + n[:, 1] * n[:, 1] + n[:, 2] * n[:, 2]
    np.testing.assert_array_equal(moved.normals, (np.float32(1) / np.sqrt(square))[:, None] * n)


@pytest.mark.usefixtures("restored_mode")
def test_the_mode_can_be_changed_between_calls() -> None:
    rig = every_stage.made_up_rig()
    matrices = rig.skin.palette(rig.skeleton.model_matrices(rig.clip.sample(rig.clip.start))).matrices
    exact = []
    for on in (True, False, True):
        lissom.set_deterministic(on)
        exact.append(lissom.skin_linear(rig.mesh, matrices))
    np.testing.assert_array_equal(exact[0], exact[2])
    np.testing.assert_allclose(exact[1], exact[0], atol=1e-5)


def test_bakes_are_the_same_bytes(tmp_path: Path) -> None:
    files = []
    for isa in ISAS:
        out = tmp_path / f"{isa}.safetensors"
        code = (
            "import lissom; figure = lissom.samples.twisted_bar()\n"
            f"lissom.bake(figure, rate=20, method='dual_quat').save({str(out)!r})"
        )
        run = run_python(code, LISSOM_ISA=isa, LISSOM_DETERMINISTIC="1", LISSOM_THREADS=str(len(files) + 1))
        assert run.returncode == 0, run.stderr
        files.append(out.read_bytes())
    assert len(set(files)) == 1
