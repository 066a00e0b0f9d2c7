# SPDX-License-Identifier: MIT
"""`lissom crowd`: who is in it, where they stand, and what a film shows."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import lissom
from cli.files import BAR, TUBE, is_png, words
from lissom.cli import crowd_scene

pytestmark = pytest.mark.gl

SMALL = ("--width", 96, "--height", 64)


@pytest.mark.parametrize("count", [1, 7, 300])
def test_a_crowd_fills_the_picture_and_is_inside(count: int) -> None:
    bake = lissom.bake(lissom.samples.humanoid(), "walk", rate=5)
    aspect = 2.0
    options = crowd_scene.Options(count, width=400, height=200)
    picture = crowd_scene.draw([crowd_scene.Group(bake)], options).array.astype(int)
    # Clothes and skin are dark in some colour; ground, sky and shadows are not.
    drawn = picture.min(axis=2) < 150
    rows, columns = drawn.any(axis=1), drawn.any(axis=0)
    assert not rows[[0, -1]].any()
    assert not columns[[0, -1]].any()
    assert np.ptp(np.flatnonzero(rows)) > 0.65 * 200
    if count > 1:
        assert np.ptp(np.flatnonzero(columns)) > 0.75 * 200 * aspect


def test_crowd_plays_the_clips_that_are_named(run, tmp_path: Path) -> None:
    size = ("--count", 9, "--width", 96, "--height", 64)
    bend = tmp_path / "bend.safetensors"
    assert run("bake", BAR, "-o", bend, "--clips", "bend").code == 0
    assert run("crowd", BAR, "-o", tmp_path / "a.png", "--clips", "Bend", *size).code == 0
    assert run("crowd", bend, "-o", tmp_path / "b.png", "--clips", "bend", *size).code == 0
    assert run("crowd", BAR, "-o", tmp_path / "c.png", *size).code == 0
    named, alone, all_of_them = ((tmp_path / f"{name}.png").read_bytes() for name in "abc")
    assert named == alone
    assert named != all_of_them
    assert run("crowd", bend, "-o", tmp_path / "d.png", "--without", "bar").code == 2


def test_crowd_draws_a_model_and_its_bake_alike(run, tmp_path: Path) -> None:
    size = ("--count", 20, "--width", 96, "--height", 64, "--seed", 3)
    assert run("crowd", TUBE, "-o", tmp_path / "a.png", *size).code == 0
    assert run("bake", TUBE, "-o", tmp_path / "tube.safetensors").code == 0
    assert run("crowd", tmp_path / "tube.safetensors", "-o", tmp_path / "b.png", *size).code == 0
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def pictures(path: Path) -> list[np.ndarray]:
    """Every picture of a film."""
    with Image.open(path) as film:
        frames = []
        for i in range(film.n_frames):
            film.seek(i)
            frames.append(np.asarray(film.convert("RGB")).astype(int))
    return frames


def test_several_characters_share_the_crowd(run, tmp_path: Path) -> None:
    one, both = tmp_path / "one.png", tmp_path / "both.png"
    assert run("crowd", TUBE, "-o", one, "--count", 20, *SMALL).code == 0
    assert run("crowd", TUBE, BAR, "-o", both, "--count", 20, *SMALL).code == 0
    assert is_png(both)
    assert one.read_bytes() != both.read_bytes()


def test_shares_follow_how_often_a_source_is_named(monkeypatch, run, tmp_path: Path) -> None:
    seen = []

    def draw(groups, options):
        seen.append(groups)
        return lissom.Picture(np.full((4, 4, 3), 128, np.uint8))

    monkeypatch.setattr(crowd_scene, "draw", draw)
    assert run("crowd", TUBE, BAR, "two_bone_tube", "-o", tmp_path / "x.png").code == 0
    assert [group.share for group in seen[0]] == [2, 1]


def test_groups_are_as_large_as_their_shares() -> None:
    bake = lissom.bake(lissom.samples.two_bone_tube(), rate=5)
    groups = [crowd_scene.Group(bake, 3.0), crowd_scene.Group(bake, 1.0)]
    with crowd_scene._scene(groups, crowd_scene.Options(400, width=64, height=64)) as (_, crowds, _camera):
        counts = [len(crowd) for crowd in crowds]
    assert sum(counts) == 400
    assert counts[0] == pytest.approx(300, abs=30)


def test_spread_moves_neighbours_apart() -> None:
    bake = lissom.bake(lissom.samples.two_bone_tube(), rate=5)
    places = []
    for spread in (1.0, 3.0):
        options = crowd_scene.Options(50, spread, width=64, height=64)
        with crowd_scene._scene([crowd_scene.Group(bake)], options) as (_, crowds, _camera):
            places.append(crowds[0].instances["position"])
    nearest = [np.sort(np.linalg.norm(p[:, None] - p, axis=2), axis=1)[:, 1].mean() for p in places]
    assert nearest[1] > 2 * nearest[0]


def test_neighbours_keep_clear_of_the_widest_clip() -> None:
    """Most clips of robots are narrow; the few that spread arms reached through the neighbours."""
    tube = lissom.samples.two_bone_tube()
    narrow = [tube.clips["twist"].renamed(f"twist {i}") for i in range(4)]
    grown = np.stack([tube.skeleton.rest] * 2)
    grown[:, 0, 7:] = 3.0
    wide = lissom.Clip.from_poses(tube.skeleton, [0.0, 1.0], grown, name="wide")
    bake = lissom.bake(tube, [*narrow, wide], rate=5)
    widths = np.array([np.ptp(clip.bounds, axis=0)[[0, 2]].max() for clip in bake.clips.values()])
    assert widths.max() > 2 * np.median(widths)
    options = crowd_scene.Options(60, width=64, height=64)
    with crowd_scene._scene([crowd_scene.Group(bake)], options) as (_, crowds, _camera):
        p = crowds[0].instances["position"]
    nearest = np.sort(np.linalg.norm(p[:, None] - p, axis=2), axis=1)[:, 1]
    assert nearest.min() > (crowd_scene.DEPTH - 2 * crowd_scene.JITTER) * widths.max()
    narrow_only = crowd_scene.Options(60, clips=("twist 0",), width=64, height=64)
    with crowd_scene._scene([crowd_scene.Group(bake)], narrow_only) as (_, crowds, _camera):
        q = crowds[0].instances["position"]
    assert np.ptp(q, axis=0).max() < 0.6 * np.ptp(p, axis=0).max()  # by what is played


def test_another_seed_is_another_crowd(run, tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        assert (
            run("crowd", TUBE, "-o", tmp_path / f"{name}.png", "--seed", seed, "--count", 9, *SMALL).code == 0
        )
    first, same, other = ((tmp_path / f"{name}.png").read_bytes() for name in "abc")
    assert first == same
    assert first != other


@pytest.mark.parametrize("name", ["film.png", "film.webp"])
def test_a_film_moves(run, tmp_path: Path, name: str) -> None:
    out = tmp_path / "new" / name
    arguments = ("--seconds", 0.4, "--rate", 10, "--count", 6, *SMALL)
    assert run("crowd", BAR, "-o", out, *arguments).code == 0
    frames = pictures(out)
    assert len(frames) == 4
    assert all(np.abs(a - b).max() > 20 for a, b in pairwise(frames))


def test_a_file_of_one_picture_is_no_film(run, tmp_path: Path) -> None:
    result = run("crowd", BAR, "-o", tmp_path / "new" / "x.jpg", "--seconds", 1)
    assert result.code == 2
    words = " ".join(result.err.replace("│", "").split())
    assert "'--seconds': makes a film, and 'x.jpg' holds one picture: leave it out for that" in words
    assert not (tmp_path / "new").exists()


def test_a_film_is_a_video(run, tmp_path: Path) -> None:
    av = pytest.importorskip("av", reason="PyAV writes and reads videos")
    out = tmp_path / "film.mp4"
    arguments = ("--seconds", 0.4, "--rate", 10, "--count", 6, "--width", 96)
    assert run("crowd", BAR, "-o", out, *arguments, "--height", 63).code == 0  # an odd one is made even
    with av.open(str(out)) as container:
        shown = [frame.to_ndarray(format="rgb24").astype(int) for frame in container.decode(video=0)]
    assert [frame.shape for frame in shown] == [(64, 96, 3)] * 4
    assert all(np.abs(a - b).max() > 20 for a, b in pairwise(shown))
    gif = out.with_suffix(".gif")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lissom.gpu.Stage, "render", None)  # refused before the work
        result = run("crowd", BAR, "-o", gif, "--seconds", 0.4, "--rate", 60, *SMALL)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("lissom: -o: path: a GIF shows at most 50 pictures ")
    assert not gif.exists()


def test_in_a_film_people_walk_and_go_over_to_other_clips(tmp_path: Path) -> None:
    hero = lissom.samples.humanoid()
    bake = lissom.bake(hero, ["walk", "idle"], rate=5)
    options = crowd_scene.Options(24, width=48, height=32)
    told = []
    placed = {}
    seen = []
    render = lissom.gpu.Stage.render

    def watched(stage, crowd, camera):
        placed[len(placed)] = crowd.instances.copy()
        seen.append((camera.clip_from_world(1.5, 0.1, 1e3), crowd.points()))
        return render(stage, crowd, camera=camera)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lissom.gpu.Stage, "render", watched)
        film = crowd_scene.film([crowd_scene.Group(bake)], options, 2.0, 3)
        assert not placed  # nothing is drawn until it is saved
        film.save(tmp_path / "film.png", progress=lambda *step: told.append(step))
    assert len(film) == 6
    assert told == [(done, 6, "pictures") for done in range(1, 7)]
    first, last = placed[0], placed[5]
    walking = (first["clip"] == 0) & (last["clip"] == 0) & (first["next_clip"] == last["next_clip"])
    travel = np.linalg.norm(last["position"] - first["position"], axis=1)
    assert walking.any()
    assert np.all(travel[walking] > 1.0)  # metres: 5/3 s at about 1.3 m/s, whatever its own speed
    assert (first["clip"] != last["clip"]).any()
    assert any((now["next_clip"] >= 0).any() for now in placed.values())
    clip_from_world, points = seen[-1]
    assert np.array_equal(clip_from_world, seen[0][0])
    corners = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ clip_from_world.T
    assert np.all(np.abs(corners[:, :2]) <= corners[:, 3:] * 1.02)  # no one has walked out of the picture


def test_far_ones_are_drawn_with_fewer_triangles_unless_told() -> None:
    pytest.importorskip("fast_simplification")
    group = crowd_scene.Group(lissom.bake(lissom.samples.humanoid(), "walk", rate=5))
    counts = []
    for levels in (False, True):
        with crowd_scene._scene(
            [group], crowd_scene.Options(12, width=160, height=90, levels=levels)
        ) as scene:
            stage, crowds, camera = scene
            stage.render(*crowds, camera=camera)
            counts.append({drawn.mesh.triangle_count for drawn in crowds[0]._drawn})
    whole = group.bake.mesh.triangle_count
    assert counts[0] == {whole}
    assert max(counts[1]) < whole / 2


@pytest.fixture
def filmed(monkeypatch) -> list:
    """The groups of each requested film; nothing is drawn."""
    seen = []

    def film(groups, *_):
        seen.append(groups)
        return lissom.Animation([np.full((4, 4, 3), 128, np.uint8)], 10)

    monkeypatch.setattr(crowd_scene, "film", film)
    return seen


def test_a_clip_is_let_go_round_on_request(run, tmp_path: Path, filmed: list) -> None:
    arguments = ("crowd", "humanoid", "--clips", "wave", "--seconds", 4, "-o", tmp_path / "film.png")
    result = run(*arguments)
    assert result.out.splitlines()[1] == "hint: 'wave': ends before the film does; --loop makes a clip loop"
    assert len(run(*arguments[:-3], 2, *arguments[-2:]).out.splitlines()) == 1  # it lasts 3 s
    assert len(run(*arguments, "--loop", "Wave").out.splitlines()) == 1
    assert [groups[0].bake.clips["wave"].loop for groups in filmed] == [False, False, True]
    assert lissom.samples.humanoid().clips["wave"].loop is False


def test_root_motion_is_taken_out_on_request(run, tmp_path: Path, filmed: list) -> None:
    tube = lissom.samples.two_bone_tube()
    poses = np.repeat(tube.skeleton.rest[None], 3, axis=0)
    poses[:, 0, 2] = [0, 1, 2]  # it walks along z
    away = lissom.Clip.from_poses(tube.skeleton, [0, 0.5, 1], poses, name="away")
    path = tmp_path / "tube.glb"
    lissom.save_glb(tube, path, clips=[away])
    arguments = ("crowd", path, "--seconds", 1, "-o", tmp_path / "film.png")
    assert run(*arguments).code == 0
    assert run(*arguments, "--root-motion").code == 0
    before, after = (groups[0].bake.clips["away"].root_motion for groups in filmed)
    assert before is None
    assert after.distance == pytest.approx(2, rel=1e-3)


def test_what_a_bake_is_already_cannot_be_asked_of_it(run, tmp_path: Path) -> None:
    bake = tmp_path / "tube.safetensors"
    lissom.bake(lissom.samples.two_bone_tube(), rate=5).save(bake)
    for option in (("--loop", "bend"), ("--root-motion",), ("--without", "tube")):
        result = run("crowd", bake, "-o", tmp_path / "x.png", *option)
        assert result.code == 2
        assert "must be left out for a bake, got" in words(result.err)


def test_bad_usage(run, tmp_path: Path) -> None:
    result = run("crowd", TUBE, "-o", tmp_path / "x.bmp")
    assert result.code == 2
    assert "must end in .png, .jpg, .jpeg, .mp4, .webm, .gif, .apng or .webp, got" in words(result.err)
    result = run("crowd", TUBE, BAR, "-o", tmp_path / "x.png", "--clips", "dance")
    assert result.code == 1
    assert f"{TUBE}: no clip is named 'dance'" in result.err
    assert not list(tmp_path.iterdir())
