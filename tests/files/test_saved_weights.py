# SPDX-License-Identifier: MIT
"""Animated weights in saved files: what comes back, and what the validator and three.js say."""

import json
import shutil

import numpy as np
import pytest

import lissom
from conftest import ASSETS
from lissom import Character, Clip, save_glb
from lissom.clip import CUBICSPLINE, LINEAR, STEP, WEIGHT
from lissom.clip._tracks import Track, packed
from morphed_characters import faced
from random_rigs import random_clip
from test_save_glb_outside import NODE, REMARKS, run
from test_saved_morphs import contents

HERO = faced()
T = np.arange(5) / 4.0


def with_clips(*clips: Clip, hero: Character = HERO) -> Character:
    named = {f"{number} {clip.name}": clip for number, clip in enumerate(clips)}
    return Character("hero", hero.skeleton, hero.mesh, hero.skin, named)


def face(*tracks: tuple[int, int, object], dtype: type = np.float32, **options) -> Clip:
    """A clip of tracks of weights: morph target, interpolation, times; random values."""
    rng = np.random.default_rng(len(tracks))
    entries = []
    for morph, interpolation, times in tracks:
        shape = (len(times), 3, 1) if interpolation == CUBICSPLINE else (len(times), 1)
        entries.append(Track(morph, WEIGHT, interpolation, np.asarray(times, float), rng.normal(size=shape)))
    options = {"morph_names": HERO.mesh.morphs.names, "morph_defaults": HERO.mesh.morphs.defaults} | options
    return Clip("face", HERO.skeleton, *packed(entries, np.dtype(dtype)), **options)


def inner_times(clip: Clip, count: int) -> np.ndarray:
    """Times away from keys: what a step shows at a key hangs on the rounding of its time."""
    times = np.random.default_rng(0).uniform(clip.start, clip.end, 4 * count)
    tracks = np.concatenate([clip.tracks, clip.weight_tracks])
    keys = np.concatenate([clip.keys[t["times"] : t["times"] + t["key_count"]] for t in tracks])
    return times[np.abs(times[:, None] - keys.astype(float)).min(axis=1) > 1e-5][:count]


def saved(character: Character) -> list[Clip]:
    return list(lissom.load(save_glb(character), strict=True).clips.values())


FACES = {
    "one timeline": face((0, LINEAR, T), (1, LINEAR, T)),
    "one of several": face((1, LINEAR, T)),
    "splines": face((0, CUBICSPLINE, T), (1, CUBICSPLINE, T)),
    "steps": face((0, STEP, T), (1, STEP, T)),
    "steps at other times": face((0, STEP, T), (1, STEP, T + 0.1)),
    "lines at other times": face((0, LINEAR, T), (1, LINEAR, T[:3] + 0.3)),
    "splines at other times": face((0, CUBICSPLINE, T), (1, CUBICSPLINE, T * 0.7 + 0.5)),
    "all kinds": face((0, STEP, T), (1, LINEAR, T + 0.05), (2, CUBICSPLINE, T * 1.3)),
    "one key": face((0, LINEAR, [0.5])),
    "one cubic key beside others": face((0, CUBICSPLINE, [0.5]), (1, STEP, T)),
    "float64": face((0, LINEAR, T), (2, CUBICSPLINE, T + 0.1), dtype=np.float64),
    "additive": face((0, LINEAR, T), additive=True),
    "uniform": face((0, LINEAR, T), (2, LINEAR, T))._edited(uniform=True),
}


@pytest.mark.parametrize("name", FACES)
def test_weights_come_back(name: str) -> None:
    clip = FACES[name]
    (again,) = saved(with_clips(clip))
    assert again.morph_names == clip.morph_names
    assert (again.start, again.end) == pytest.approx((clip.start, clip.end), abs=1e-6)
    assert (again.additive, again.uniform) == (clip.additive, clip.uniform)
    times = inner_times(clip, 40) if clip.duration else np.array([clip.start])
    np.testing.assert_allclose(again.morphs(times, loop=False), clip.morphs(times, loop=False), atol=3e-6)
    kinds = {track[2] for track in clip.weight_tracks.tolist()}
    if len(kinds) == 1 and clip.duration:  # splines stay splines, steps steps
        assert {track[2] for track in again.weight_tracks.tolist()} == kinds
    if name in ("one timeline", "splines", "steps", "uniform"):
        np.testing.assert_array_equal(again.morphs(T, loop=False), clip.morphs(T, loop=False))


def test_random_clips_come_back_with_their_joints() -> None:
    rng = np.random.default_rng(4)
    morphs = HERO.mesh.morphs
    clips = []
    for shared in (False, True):
        clip = random_clip(rng, HERO.skeleton, np.float32, False, shared, morphs.names)
        clips.append(clip.shifted(-clip.start)._edited(morph_defaults=morphs.defaults))
    for clip, again in zip(clips, saved(with_clips(*clips)), strict=True):
        times = inner_times(clip, 40)
        np.testing.assert_allclose(again.morphs(times, loop=False), clip.morphs(times, loop=False), atol=2e-5)
        got, want = again.sample(times, loop=False), clip.sample(times, loop=False)
        np.testing.assert_allclose(got[..., :3], want[..., :3], atol=2e-5)


def test_weights_go_by_name_and_lost_ones_are_named() -> None:
    clip = face((0, LINEAR, T), (1, LINEAR, T))
    names = list(HERO.mesh.morphs.names)
    swapped = clip._edited(morph_names=[names[1], names[0], *names[2:]])
    (again,) = saved(with_clips(swapped))
    np.testing.assert_array_equal(again.morphs(T, loop=False)[:, [1, 0]], clip.morphs(T, loop=False)[:, :2])
    other = clip._edited(morph_names=["nose/long", *names[1:]])
    with pytest.warns(
        UserWarning, match=r"save_glb: weights of 1 morph target in clip '0 face' are left out"
    ):
        (again,) = saved(with_clips(other))
    rest = HERO.mesh.morphs.defaults
    want = np.concatenate(
        [[[rest[0]]] * 5, clip.morphs(T, loop=False)[:, 1:2], np.tile(rest[2:], (5, 1))], axis=1
    )
    np.testing.assert_array_equal(again.morphs(T, loop=False), want)
    body = Character("body", HERO.skeleton, None, None, {"face": clip})
    with pytest.warns(UserWarning, match=r"weights of 2 morph targets in clip 'face' are left out"):
        save_glb(body)


def test_key_times_that_single_precision_cannot_tell_are_refused() -> None:
    clip = face((0, LINEAR, [1.0, 1.0 + 1e-9, 2.0]), (1, STEP, T), dtype=np.float64)
    with pytest.raises(ValueError, match=r"save_glb: key times must differ in single precision"):
        save_glb(with_clips(clip))


@pytest.mark.parametrize("name", ["quaternius/RobotExpressive.glb", "khronos/MorphStressTest.gltf"])
def test_weights_of_others_come_back(name: str) -> None:
    path = ASSETS / "wild" / "morph" / name
    if not path.is_file():
        pytest.skip("the assets of others are not here")
    hero = lissom.load(path)
    for clip, again in zip(hero.clips.values(), saved(hero), strict=True):
        times = np.linspace(clip.start, clip.end, 57)
        np.testing.assert_array_equal(again.morphs(times, loop=False), clip.morphs(times, loop=False))


needs_node = pytest.mark.skipif(
    shutil.which("node") is None or not (NODE / "node_modules").is_dir(),
    reason="node, or tests/node/node_modules, is not there; run: make test",
)


@pytest.mark.tree
@needs_node
def test_three_js_plays_the_same_faces(tmp_path) -> None:
    hero = with_clips(
        *(clip for name, clip in FACES.items() if "additive" not in name and "one key" not in name)
    )
    tasks, expected = [], {}
    for name, clip in hero.clips.items():
        path = tmp_path / f"{name}.glb"
        save_glb(hero, path, clips=[name])
        time = clip.start + 0.437 * clip.duration
        tasks.append({"file": str(path), "weights": {}, "clip": name, "time": time})
        nodes = contents(path.read_bytes())["nodes"]
        parts = [number for number, node in enumerate(nodes) if "mesh" in node]
        pose = clip.sample(time, loop=False).astype(np.float64)
        expected[str(path)] = parts, hero.deform(pose, "linear", morphs=clip.morphs(time, loop=False))
    answers = run("morph.js", json.dumps(tasks))
    for path, (parts, vertices) in expected.items():
        for number, part in zip(parts, hero.mesh.parts, strict=True):
            got = np.array(answers[path][str(number)]).reshape(-1, 3)
            np.testing.assert_allclose(
                got, vertices[part.vertices], rtol=0, atol=2e-5 * hero.size, err_msg=path
            )


@pytest.mark.tree
@needs_node
def test_the_validator_finds_no_fault_in_weights(tmp_path) -> None:
    names = {}
    for name, clip in FACES.items():
        path = tmp_path / f"{len(names)}.glb"
        save_glb(with_clips(clip), path)
        names[str(path)] = name
    reports = run("validate.js", "\n".join(names))
    faults = {
        names[path]: [issue for issue in issues if issue["code"] not in REMARKS or issue["severity"] < 2]
        for path, issues in reports.items()
    }
    assert len(faults) == len(FACES)
    assert {name: issues for name, issues in faults.items() if issues} == {}
