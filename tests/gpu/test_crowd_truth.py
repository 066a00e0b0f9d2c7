# SPDX-License-Identifier: MIT
"""What a crowd draws against the source: the character's own clips, its mesh as the file has it."""

import numpy as np
import pytest

import lissom
from conftest import ASSETS, asset_files, asset_id, each_asset
from doc_tables import part_of, rows_of, script_of
from gpu.crowds import POSITIONS, worst
from gpu.rigs import with_twelve_influences
from lissom.gpu import Crowd, plain_instances

FILES = [
    "khronos/Fox.glb",
    "kaykit/Knight.glb",
    "quaternius/animals_pack/Wolf.glb",
    "quaternius/cyberpunk_pack/Enemy_Large_Gun.glb",
    "raylib/greenman.glb",
]
MOMENTS = 24


def drawn_and_meant(stage, character, bake, **options):
    """Vertices of a crowd at the origin, one instance a moment, and those of the clips at these times."""
    instances = plain_instances(MOMENTS)
    clips = list(bake.clips)
    rng = np.random.default_rng(8)
    instances["clip"] = np.arange(MOMENTS) % len(clips)
    spans = np.array([[bake.clips[name].start, bake.clips[name].duration] for name in clips])
    instances["time"] = (spans[instances["clip"]] * np.c_[np.ones(MOMENTS), rng.random(MOMENTS)]).sum(axis=1)
    with Crowd(bake, MOMENTS, stage=stage, method=bake.method, instances=instances, **options) as crowd:
        drawn = crowd.deformed().astype(np.float64)
        stated = crowd.max_error
        against_cpu = worst(crowd, bake, bake.method) if not options else None
    meant = [
        character.deform(character.clips[clips[i]].sample(float(time)), bake.method)
        for i, time in zip(instances["clip"], instances["time"], strict=True)
    ]
    return np.linalg.norm(drawn - meant, axis=-1).max(), stated, against_cpu


@pytest.mark.parametrize("file", FILES)
def test_a_real_character_is_drawn_as_near_to_its_clips_as_stated(stage, asset, file):
    character = lissom.load(asset(f"characters/{file}"))
    for method in ("linear", "dual_quat"):
        bake = lissom.bake(character, list(character.clips)[:2], dtype="float32", method=method)
        away, stated, against_cpu = drawn_and_meant(stage, character, bake)
        assert against_cpu < POSITIONS
        assert stated == bake.report.crowd_max
        assert away <= stated


@pytest.mark.soak
@pytest.mark.parametrize("path", each_asset(asset_files("characters"), "characters"), ids=asset_id)
def test_every_character_is_drawn_as_near_to_its_clips_as_stated(stage, path, record_property):
    try:
        character = lissom.load(path)
    except lissom.GltfError:
        pytest.skip("compressed")
    if character.mesh is None or not character.clips:
        pytest.skip("without a mesh or clips")
    bake = lissom.bake(character, list(character.clips)[:2], dtype="float32")
    away, stated, against_cpu = drawn_and_meant(stage, character, bake)
    record_property("against_cpu", against_cpu)
    assert against_cpu < POSITIONS
    assert away <= stated


@pytest.mark.parametrize("influences", [None, 1, 2])
def test_left_out_influences_are_part_of_the_stated_error(stage, influences, caplog):
    hero = with_twelve_influences(lissom.samples.humanoid())
    bake = lissom.bake(hero, "run", dtype="float32")
    away, stated, _ = drawn_and_meant(stage, hero, bake, influences=influences)
    exact = bake.clips["run"].error.max
    assert bake.report.left_out > 0.01 * bake.size > exact
    assert 0.8 * stated < away <= stated  # frames and moments are not the same times
    if influences is None:
        assert stated == bake.report.crowd_max
        assert f"moves a vertex by up to {bake.report.left_out:.3g} model units" in caplog.text
    else:
        assert stated > bake.report.crowd_max
        assert not caplog.text
    percent, units = 100 * bake.report.crowd_max / bake.size, bake.report.crowd_max
    stated_line = f"\ndrawn by a crowd: within {percent:.4f} % of the size, {units:.3g} model units, of the "
    assert stated_line in str(bake.report)


def test_left_out_influences_are_kept_in_the_file(tmp_path):
    hero = with_twelve_influences(lissom.samples.humanoid())
    bake = lissom.bake(hero, "idle", rate=5)
    path = tmp_path / "hero.safetensors"
    bake.save(path)
    assert lissom.load_bake(path).report.left_out == bake.report.left_out > 0
    lissom.bake(lissom.samples.humanoid(), "idle", rate=5).save(path)
    assert b"left_out" not in path.read_bytes()
    assert lissom.load_bake(path).report.left_out == 0


def test_the_error_is_that_of_the_method_measured(stage):
    bar = lissom.samples.twisted_bar()
    with Crowd(lissom.bake(bar, rate=30, method="linear"), 1, stage=stage, method="dual_quat") as crowd:
        with pytest.raises(ValueError, match=r"^Crowd.max_error: .* bake with method='dual_quat'$"):
            _ = crowd.max_error
        crowd.method = "linear"
        assert crowd.max_error > 0


@pytest.mark.parametrize("file", [FILES[0], FILES[-1]])
def test_the_page_says_how_far_from_the_core_a_character_is_drawn(context, asset, file):
    """Up to the rounding of a driver; the promise is 2e-6 everywhere."""
    script = script_of("gpu_distances")
    said = {row[0]: [float(cell) for cell in row[2:]] for row in rows_of(script)}
    row = script.measured(asset(f"characters/{file}"), ASSETS / "characters")
    np.testing.assert_allclose(row.distances, said[file], rtol=0.5, atol=1e-7)
    assert max(row.distances) < POSITIONS


def test_the_page_sums_up_its_rows():
    script = script_of("gpu_distances")
    furthest = [max(float(cell) for cell in row[2:]) for row in rows_of(script)]
    assert len(furthest) >= 40
    assert max(furthest) < POSITIONS
    part = " ".join(part_of(script).split())
    assert f"Of {len(furthest)} characters the worst is off by {max(furthest):.1e} of its size" in part
    assert f"in the median by {np.median(furthest):.1e}." in part
