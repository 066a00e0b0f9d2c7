# SPDX-License-Identifier: MIT
"""The form "vertices": read back with NumPy alone, against the source clips."""

import json

import numpy as np
import pytest

import lissom

# Rounding of float32 vertices, and of offsets of float16, of a figure of 2 m.
HELD = {"float32": 2e-6, "float16": 1e-3}


@pytest.fixture(scope="module")
def bar():
    return lissom.samples.twisted_bar()


@pytest.fixture(scope="module")
def bake(bar):
    return lissom.bake(bar, rate=30, dtype="float32")


def arrays_of(path):
    """By the README of the form, with no code of lissom."""
    if path.suffix == ".npz":
        with np.load(path) as file:
            return {name: file[name] for name in file.files}, json.loads(str(file["clips"]))
    data = path.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    types = {"F16": "<f2", "F32": "<f4", "U32": "<u4"}
    clips = json.loads(header.pop("__metadata__")["clips"])

    def array(entry):
        first, last = entry["data_offsets"]
        return np.frombuffer(data[end + first : end + last], types[entry["dtype"]]).reshape(entry["shape"])

    return {name: array(entry) for name, entry in header.items()}, clips


@pytest.mark.parametrize("file", ["safetensors", "npz"])
@pytest.mark.parametrize("dtype", list(HELD))
def test_frames_are_those_of_the_source(bar, bake, tmp_path, file, dtype):
    report = bake.export("vertices", tmp_path / "bar", file=file, dtype=dtype)
    assert list(report.files) == [f"bar.{file}"]
    arrays, clips = arrays_of(tmp_path / "bar" / f"bar.{file}")
    assert arrays["offsets"].dtype == dtype
    assert arrays["offsets"].shape == arrays["normals"].shape
    np.testing.assert_array_equal(arrays["triangles"], bar.mesh.triangles)
    for name, clip in clips.items():
        times = clip["start"] + np.arange(clip["frame_count"]) / clip["rate"]
        frames = slice(clip["first_frame"], clip["first_frame"] + clip["frame_count"])
        expected = bar.deform(bar.clips[name].sample(times, loop=False), bake.method)
        found = arrays["rest"] + arrays["offsets"][frames].astype(float)
        np.testing.assert_allclose(found, expected, atol=HELD[dtype])
    assert report.error.at_frames.max <= 2 * HELD[dtype]


def test_another_rate_spreads_frames_over_each_clip(bar, bake, tmp_path):
    bake.export("vertices", tmp_path / "bar", rate=7)
    arrays, clips = arrays_of(tmp_path / "bar" / "bar.safetensors")
    for name, clip in clips.items():
        source = bar.clips[name]
        assert clip["frame_count"] == int(np.ceil(source.duration * 7)) + 1
        assert (clip["frame_count"] - 1) / clip["rate"] == pytest.approx(source.duration)
        last = clip["first_frame"] + clip["frame_count"] - 1
        expected = bar.deform(source.sample(source.end, loop=False), bake.method)
        np.testing.assert_allclose(arrays["rest"] + arrays["offsets"][last], expected, atol=1e-4)


def test_without_normals(bake, tmp_path):
    bake.export("vertices", tmp_path / "bar", normals=False)
    assert "normals" not in arrays_of(tmp_path / "bar" / "bar.safetensors")[0]


def test_morphs_are_baked_in(tmp_path):
    bar = lissom.samples.twisted_bar()
    taller = np.where(bar.mesh.positions[:, 1:2] > 0.4, [0, 0.2, 0], 0)
    targets = lissom.Morphs.from_dense(["bar/taller"], taller[None], defaults=[0.5])
    shape = lissom.Mesh(
        bar.mesh.positions, bar.mesh.triangles, bar.mesh.indices, bar.mesh.weights, morphs=targets
    )
    tall = lissom.Character("tall", bar.skeleton, shape, bar.skin, bar.clips)
    report = lissom.bake(tall, "bend", rate=30).export("vertices", tmp_path / "tall", source=tall)
    arrays, _ = arrays_of(tmp_path / "tall" / "tall.safetensors")
    top = (arrays["rest"] + arrays["offsets"][0])[:, 1].max()
    assert top == pytest.approx(bar.mesh.positions[:, 1].max() + 0.1, abs=1e-3)
    assert report.error.max_relative < 0.002


def test_root_motion_that_was_taken_out_is_taken_out_of_the_source(tmp_path):
    hero = lissom.samples.humanoid()
    walk = hero.clips["walk"]
    away = np.zeros((2, len(hero.skeleton), 10), np.float32)
    away[...] = walk.sample(walk.start)
    away[1, 0, 2] += 3.0
    going = lissom.Clip.from_poses(hero.skeleton, [0.0, 1.0], away, name="going", loop=False)
    hero = lissom.Character("hero", hero.skeleton, hero.mesh, hero.skin, [going])
    bake = lissom.bake(hero, rate=30, root_motion=True)
    assert bake.clips["going"].root_motion is not None
    report = bake.export("vertices", tmp_path / "hero", source=hero)
    assert report.error.max_relative < 0.002
