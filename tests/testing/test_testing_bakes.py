# SPDX-License-Identifier: MIT
"""The assert for bakes: each table that may differ, what they show, and the bytes of their files."""

import re
from dataclasses import replace

import numpy as np
import pytest

import lissom
from lissom.pose_texture._copies import _made, _options
from lissom.testing import assert_bakes_close


@pytest.fixture(scope="module")
def hero() -> lissom.Character:
    return lissom.samples.humanoid()


@pytest.fixture(scope="module")
def bake(hero) -> lissom.PoseTexture:
    return lissom.bake(hero, ["walk", "run"], rate=20)


def message(*bakes, **options) -> str:
    with pytest.raises(AssertionError) as caught:
        assert_bakes_close(*bakes, **options)
    return str(caught.value)


def changed(bake, **options) -> lissom.PoseTexture:
    """The same bake except for what is given."""
    return _made(np.array(bake.texels), {**_options(bake), **options}, False)


def with_clip(bake, name, **changes) -> lissom.PoseTexture:
    clips = {**bake.clips, name: replace(bake.clips[name], **changes)}
    return changed(bake, clips=clips)


def moved(bake, frame, row, amount) -> lissom.PoseTexture:
    """With one number of one texel changed, and a report that still says what it said."""
    texels = np.array(bake.texels)
    texels[frame, row, 1, 0] += amount
    return _made(texels, _options(bake), False)


@pytest.mark.parametrize("level", ["shown", "tables", "bytes"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "uint8"])
@pytest.mark.parametrize("layout", ["dual_quat", "matrix", "trs", "rotations"])
def test_the_same_bake_passes(hero, tmp_path, level, dtype, layout) -> None:
    bake = lissom.bake(hero, ["walk"], rate=20, dtype=dtype, layout=layout)
    assert_bakes_close(bake, bake, level=level)
    bake.save(tmp_path / "walk.safetensors")
    assert_bakes_close(lissom.load_bake(tmp_path / "walk.safetensors"), bake, level=level)


@pytest.mark.parametrize("dtype", ["float16", "float32", "uint8"])
@pytest.mark.parametrize("layout", ["dual_quat", "matrix", "quat_trans", "trs"])
def test_one_step_of_the_texels_type_passes(hero, dtype, layout) -> None:
    bake = lissom.bake(hero, ["walk"], rate=20, dtype=dtype, layout=layout)
    up = np.random.default_rng(0).integers(0, 2, bake.texels.shape) * 2 - 1
    if dtype == "uint8":
        texels = np.clip(bake.texels + up, 0, 255).astype(np.uint8)
    else:
        texels = np.nextafter(bake.texels, (up * np.inf).astype(bake.texels.dtype))
    other = _made(texels, _options(bake), False)
    assert_bakes_close(other, bake)
    assert "array 'texels': " in message(other, bake, level="bytes")
    assert "the palettes differ" in message(other, bake, rotation=1e-9, share=1e-9, scale=1e-9)


def test_the_worst_moment_and_joint_are_named(hero, bake) -> None:
    hand = [hero.skeleton.names[joint] for joint in hero.skin.joints].index("Hand.L")
    run = bake.clips["run"]
    other = moved(moved(bake, run.first_frame + 4, hand, 0.25), 2, 5, 0.02)
    first, *lines = message(other, bake).splitlines()
    assert re.fullmatch(
        r"assert_bakes_close: the palettes differ by more than the tolerance: "
        r"clip 'walk' at 3 of \d+ times, 'run' at 3 of \d+ times",
        first,
    )
    seconds = run.start + 4 / run.rate
    assert f"    worst   row {hand} (joint 'Hand.L') of clip 'run' at {seconds:.4g} s (frame 4)" in lines
    assert re.search(
        r"  translation: 0\.\d+ units \(\d+(\.\d+)? % of the size 2\.19\) apart, tolerance ", lines[0]
    )
    assert re.fullmatch(r"  the skinned vertices are up to 0\.\d+ units \(.*\) apart there", lines[-1])
    apart = lissom.metrics.distance(
        *(lissom.deform(bake.mesh, b.sample("run", seconds), "dual_quat") for b in (other, bake)), bake.size
    )
    assert f"{apart.max:.4g} units ({100 * apart.max_relative:.3g} %" in lines[-1]


def test_what_lies_between_frames_counts(hero) -> None:
    # Frames agree, signs do not: between frames the path goes elsewhere, had the shader not looked at signs.
    fine = lissom.bake(hero, ["run"], rate=40, dtype="float32")
    coarse = lissom.bake(hero, ["run"], rate=4, dtype="float32")
    text = message(coarse, fine, level="shown", rotation=1e-2, share=1e-3)
    assert "the palettes differ" in text
    place = re.search(r"of clip 'run' at ([\d.]+) s \(frame ([\d.]+)\)", text)
    interval = coarse.clips["run"].duration / (coarse.clips["run"].frame_count - 1)
    assert 0.2 < float(place[1]) / interval % 1 < 0.8
    assert_bakes_close(coarse, fine, level="shown", rotation=2.0, share=1.0)


def test_frames_that_only_one_of_them_has_count(hero) -> None:
    fine, coarse = (lissom.bake(hero, ["walk"], rate=rate, dtype="float32") for rate in (80, 10))
    tolerances = {"level": "shown", "rotation": 0.3, "share": 0.05, "scale": 0.05}
    assert_bakes_close(fine, coarse, **tolerances)
    other = moved(fine, 1, 3, 0.5)  # which no moment of the other one meets
    assert " at 0.0125 s (" in message(other, coarse, **tolerances)
    assert " at 0.0125 s (frame 1)" in message(coarse, other, **tolerances)


def test_shown_lets_rate_layout_and_type_differ(hero, bake) -> None:
    other = lissom.bake(hero, ["run", "walk"], rate=20, layout="matrix", dtype="float32", include_mesh=False)
    # A lerp of matrices shrinks what it turns.
    assert_bakes_close(other, bake, level="shown", rotation=0.02, share=0.01, scale=0.05)
    lines = message(other, bake).splitlines()
    assert lines[0] == "assert_bakes_close: the tables differ"
    assert "  layout: actual matrix, desired dual_quat" in lines
    assert "  texels.dtype: actual float32, desired float16" in lines
    assert "  order of clips: actual ['run', 'walk'], desired ['walk', 'run']" in lines
    assert lines[-1] == "  mesh: actual none, desired some"
    other = lissom.bake(hero, ["walk", "run"], rate=30, layout="matrix", dtype="float32", include_mesh=False)
    assert message(other, bake).splitlines()[-1] == "  and 2 more"


def test_each_table_is_compared(hero, bake) -> None:
    walk = bake.clips["walk"]
    named = {
        r"clips: actual \['walk'\], desired \['walk', 'run'\]": lissom.bake(hero, ["walk"], rate=20),
        r"clips\['walk'\]\.frame_count: actual \d+, desired \d+": lissom.bake(hero, ["walk", "run"], rate=30),
        r"clips\['walk'\]\.loop: actual False, desired True": with_clip(bake, "walk", loop=False),
        r"clips\['walk'\]\.start: actual 0\.5, desired 0": with_clip(bake, "walk", start=0.5),
        r"clips\['walk'\]\.markers: actual \(.*\), desired \(.*\)": with_clip(
            bake, "walk", markers=(lissom.Marker(0.1, "x"),)
        ),
        r"clips\['walk'\]\.bounds: 1 units": with_clip(
            bake, "walk", bounds=walk.bounds + np.float32([1, 0, 0])
        ),
        r"mesh: actual none, desired some": changed(bake, mesh=None),
        r"mesh\.parts: actual \d+, desired \d+|mesh\.parts": changed(
            bake, mesh=hero.only(hero.mesh.parts[0].name).mesh
        ),
        r"joints\[3\]: actual 'x', desired 'UpperChest'": changed(
            bake, joints=[*bake.joints[:3], "x", *bake.joints[4:]]
        ),
        r"method: actual dual_quat, desired linear": changed(
            bake, report=replace(bake.report, method="dual_quat")
        ),
    }
    for pattern, other in named.items():
        assert re.search(rf"^  {pattern}", message(other, bake), flags=re.MULTILINE), pattern
    assert "joints of palette rows[3]: actual 'x'" in message(
        changed(bake, joints=[*bake.joints[:3], "x", *bake.joints[4:]]), bake, level="shown"
    )


def test_the_mesh_is_compared(bake) -> None:
    mesh = bake.mesh
    fields = {"normals": mesh.normals, "uvs": mesh.uvs, "parts": mesh.parts}

    def other(**changes) -> str:
        arrays = {name: getattr(mesh, name) for name in ("positions", "triangles", "indices", "weights")}
        return message(changed(bake, mesh=lissom.Mesh(**{**arrays, **fields, **changes})), bake)

    positions = np.array(mesh.positions)
    positions[17, 0] += 0.5
    assert re.search(r"mesh\.positions: 0\.5 units \(.*\) apart at vertex 17", other(positions=positions))
    assert "mesh.triangles: other vertices" in other(triangles=mesh.triangles[:, ::-1])
    indices = np.array(mesh.indices)
    indices[3, 0] = (indices[3, 0] + 1) % 3
    assert re.search(r"mesh\.(indices|weights)", other(indices=indices))
    assert "mesh.normals: differ at" in other(normals=-mesh.normals)
    assert "mesh.normals: only in desired" in other(normals=None)
    assert "mesh.uvs: only in actual" in other(uvs=mesh.positions[:, :2])
    assert "mesh.colors: only in actual" in other(colors=np.ones((mesh.vertex_count, 4)))
    first, second, *rest = mesh.parts
    middle = first.vertices.stop - 1
    parts = [
        replace(first, vertices=slice(0, middle)),
        replace(second, vertices=slice(middle, second.vertices.stop)),
        *rest,
    ]
    assert "mesh.parts[0]: actual ('" in other(parts=parts)


def test_texels_that_are_not_finite_never_pass(bake) -> None:
    texels = np.array(bake.texels)
    texels[3, 2] = np.nan
    broken = _made(texels, _options(bake), False)
    for pair in ((broken, bake), (bake, broken), (broken, broken)):
        assert "is not finite in" in message(*pair)


def test_root_motion_is_compared(hero, bake) -> None:
    assert bake.clips["walk"].root_motion is not None
    text = r"  clips\['walk'\]\.root_motion: "
    other = with_clip(bake, "walk", root_motion=None)
    assert re.search(text + "actual none, desired some", message(other, bake))
    other = with_clip(bake, "walk", root_motion=bake.clips["run"].root_motion)
    assert re.search(text + r"up to \d\.\d+ units \(.*\) and .* degrees apart", message(other, bake))


def test_bytes_name_what_differs(hero, bake) -> None:
    other = changed(bake, source_hash="0" * 64)
    assert_bakes_close(other, bake)
    text = message(other, bake, level="bytes", err_msg="walk and run")
    assert text.startswith(
        "assert_bakes_close: the files differ\nwalk and run\n  metadata 'tables': actual '"
    )
    text = message(moved(bake, 3, 4, 0.001), bake, level="bytes")
    assert "  array 'texels': 1 of " in text


def test_wrong_arguments(bake) -> None:
    with pytest.raises(TypeError, match="assert_bakes_close: desired must be a PoseTexture, got str"):
        assert_bakes_close(bake, "walk.safetensors")
    with pytest.raises(ValueError, match="level must be 'shown', 'tables' or 'bytes', got 'all'"):
        assert_bakes_close(bake, bake, level="all")
    with pytest.raises(TypeError, match=r"must be a length .* or a share .*, got both"):
        assert_bakes_close(bake, bake, length=1, share=1)
    for option in ("rotation", "share", "length", "scale"):
        with pytest.raises(ValueError, match=f"assert_bakes_close: {option} must be finite and at least 0"):
            assert_bakes_close(bake, bake, **{option: -1.0})
