# SPDX-License-Identifier: MIT
"""The judge: whose files it reads, what it reports, and what it refuses."""

import copy
import json
import shutil
import struct
import sys
import zlib

import numpy as np
import pytest

import lissom
from lissom._export.float_images import read_image
from lissom._verify import picture_apart, read_openvat
from verify.planted import VatFolder

pytest.importorskip("OpenEXR", reason="OpenEXR is not installed")


def test_errors_are_those_of_independent_sums(hero, bake, tmp_path):
    """The largest distance at frames and between, by deform and norms at times of our own."""
    report = lissom.verify(hero, bake.save(tmp_path / "hero.safetensors"))
    for name in ("walk", "run"):
        clip = hero.clips[name]
        frames = np.arange(bake.clips[name].frame_count) / bake.clips[name].rate
        stats = {}
        for kind, times in {"at_frames": frames, "between": (frames[:-1] + frames[1:]) / 2}.items():
            wanted = hero.deform(clip.sample(times, loop=False))
            drawn = lissom.deform(bake.mesh, bake.sample(name, times, loop=False), "linear")
            stats[kind] = np.linalg.norm(wanted - drawn, axis=-1).max()
        found = report.clips[name]
        assert found.at_frames.max == pytest.approx(stats["at_frames"], rel=1e-3)
        assert found.between.max >= stats["between"] * 0.999
        assert found.between.max == pytest.approx(bake.clips[name].error.max, rel=0.02)
        times, distances = report.curves[name]
        assert (np.diff(times) >= 0).all()
        assert distances.max() == pytest.approx(found.max, rel=1e-6)


def test_whole_frames_are_judged_as_they_are_shown(hero, bake, tmp_path):
    path = bake.save(tmp_path / "hero.safetensors")
    mixed, held = lissom.verify(hero, path), lissom.verify(hero, path, playback="snap")
    assert held.playback == "snap"
    assert held.faults == ()
    # Just before a frame the one before it is shown: the largest step between two.
    step = max(
        np.linalg.norm(
            np.diff(hero.deform(hero.clips[name].sample(np.arange(0, 21) / 30)), axis=0), axis=-1
        ).max()
        for name in ("walk", "run")
    )
    assert 0.99 * step < held.error.max < 1.01 * step
    assert held.error.max > 10 * mixed.error.max


def test_a_rate_is_enough_and_the_one_before_is_not(bar, tmp_path):
    path = lissom.bake(bar, "bend", rate=5).save(tmp_path / "bar.safetensors")
    allowed = 0.001
    rate = lissom.verify(bar, path, max_error=allowed).rates["bend"]
    assert lissom.bake(bar, "bend", rate=rate).report.max_relative <= allowed
    assert lissom.bake(bar, "bend", rate=5).report.max_relative > allowed
    lissom.bake(bar, "bend", rate=5).export("vertices", tmp_path / "vertices")
    rate = lissom.verify(bar, tmp_path / "vertices", max_error=allowed).rates["bend"]
    fine = lissom.bake(bar, "bend", rate=rate, dtype="float32")
    assert fine.export("vertices", tmp_path / "fine", source=bar).error.max_relative <= allowed
    coarse = lissom.bake(bar, "bend", rate=rate / 1.5, dtype="float32")
    assert coarse.export("vertices", tmp_path / "fine", source=bar).error.max_relative > allowed
    assert not lissom.verify(bar, path, max_error=allowed).ok
    assert lissom.verify(bar, path, max_error=0.05).ok
    assert lissom.verify(bar, path, playback="snap", max_error=1e-5).rates["bend"] == np.inf


@pytest.mark.parametrize("first_round", [True, False])
def test_whole_frames_are_enough_at_a_higher_rate(bar, tmp_path, first_round):
    """Just before the next one a frame is off by a whole step, which is no fault of its numbers."""
    allowed = 0.02

    def judged(rate):
        folder = tmp_path / f"{rate:g}"
        lissom.bake(bar, "bend", rate=rate).export("babylon", folder, first_round=first_round)
        return lissom.verify(bar, folder, max_error=allowed)

    rate = judged(10).rates["bend"]
    assert 10 < rate < np.inf
    assert judged(rate).error.max_relative <= allowed < judged(rate / 1.5).error.max_relative


def test_the_report_as_text_and_json(hero, bake, tmp_path):
    report = lissom.verify(hero, bake.save(tmp_path / "hero.safetensors"), max_error=0.01)
    told = json.loads(report.to_json())
    assert told["ok"] is True
    assert told["clips"]["run"]["max"] == report.clips["run"].max
    assert told["rates"] == dict(report.rates)
    assert set(report.seams) == {"walk", "run"}
    assert report.seam < 1e-4 * hero.size
    lines = str(report).splitlines()
    assert lines[0] == "bake, 2 clips, error 0.23% of size, no fault"
    assert repr(report) == f"<VerifyReport: {lines[0]}>"
    assert lines[1].startswith("  walk: 0.181% of the size (")
    assert "at frames), seam 0.0" in lines[1]


def test_the_picture_shows_where_it_is_wrong(hero, bake, tmp_path):
    path = bake.save(tmp_path / "hero.safetensors")
    sound = lissom.verify(hero, path).picture(width=700)
    held = lissom.verify(hero, path, playback="snap", max_error=0.01)
    drawn = held.picture(width=700)
    assert sound.width == drawn.width == 700
    curve = np.array([178, 68, 38])
    assert (np.abs(drawn.array.astype(int) - curve).max(axis=-1) < 3).mean() > 0.02  # there is a curve
    assert len(np.unique(drawn.array.reshape(-1, 3), axis=0)) > 60  # and a map with its colours
    with pytest.raises(ValueError, match="width must be at least 480, got 100"):
        held.picture(width=100)


def test_split_and_shuffled_vertices_are_found_again(bar, tmp_path):
    """As exporters leave a mesh: in another order, and twice along seams."""
    bake = lissom.bake(bar, "bend", rate=30)
    whole = lissom.VertexAnimation.of_bake(bake)
    rng = np.random.default_rng(2)
    order = np.concatenate(
        [rng.permutation(bar.mesh.vertex_count), rng.integers(0, bar.mesh.vertex_count, 99)]
    )
    place = np.empty(bar.mesh.vertex_count, int)
    place[order[: bar.mesh.vertex_count]] = np.arange(bar.mesh.vertex_count)
    mesh = lissom.Mesh(bar.mesh.positions[order], place[bar.mesh.triangles])
    other = lissom.VertexAnimation(mesh, whole.positions[:, order], dict(whole.clips))
    other.export("vertices", tmp_path / "bar")
    report = lissom.verify(bar, tmp_path / "bar")
    assert report.faults == ()
    assert report.error.max == pytest.approx(
        lissom.verify(bar, whole.export("vertices", tmp_path / "plain").folder).error.max
    )


def test_a_mesh_without_a_skin(tmp_path):
    corners = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    mesh = lissom.Mesh(corners, [[0, 1, 2]])
    swing = np.linspace(0, 1, 31)[:, None, None] ** 2 * np.float32([[[0, 0, 0], [0, 0, 1], [0, 1, 0]]])
    frames = corners + swing
    lifted = lissom.VertexAnimation(mesh, frames, {"up": lissom.VertexClip(0, 31)})
    lifted.export("openvat", tmp_path / "out")
    assert lissom.verify(lifted, tmp_path / "out").faults == ()
    lissom.VertexAnimation(mesh, frames[::-1], {"up": lissom.VertexClip(0, 31)}).export(
        "openvat", tmp_path / "out"
    )
    assert [fault.name for fault in lissom.verify(lifted, tmp_path / "out").faults] == ["flipped_v"]


def strangers(vat):
    """What OpenVAT writes: no word of lissom's."""
    del vat.told["lissom"]
    vat.write()


def test_files_of_strangers_are_of_the_clip_that_is_said(hero, tmp_path, monkeypatch):
    monkeypatch.setattr(read_openvat, "read_apart", read_image)  # ours need no process of their own
    lissom.bake(hero, "run", rate=30).export("openvat", tmp_path / "out")
    vat = VatFolder(tmp_path / "out")
    strangers(vat)
    renamed = tmp_path / "theirs"
    shutil.copytree(vat.folder, renamed)
    for path in renamed.iterdir():
        path.rename(path.with_name(path.name.replace("out_run", "theirs")))
    with pytest.raises(ValueError, match=r"must say which clip it holds, by the end of its name or clip="):
        lissom.verify(hero, renamed)
    assert list(lissom.verify(hero, renamed, clip="run").clips) == ["run"]
    assert lissom.verify(hero, renamed, clip="run").faults == ()
    (wrong,) = lissom.verify(hero, renamed, clip="walk").faults
    assert wrong.name == "unexplained"
    (slow,) = lissom.verify(hero, renamed, clip="run", rate=24).faults
    assert slow.name == "frame_count"


def test_pictures_tagged_as_colours_are_a_fault(bar, tmp_path):
    lissom.bake(bar, "bend", rate=10).export("openvat", tmp_path / "out", texture="png16")
    assert lissom.verify(bar, tmp_path / "out").faults == ()
    (picture,) = (tmp_path / "out").rglob("*_vat.png")
    data = picture.read_bytes()
    chunk = b"sRGB\0"
    tag = struct.pack(">I", 1) + chunk + struct.pack(">I", zlib.crc32(chunk))
    picture.write_bytes(data[:33] + tag + data[33:])  # behind the header
    (fault,) = lissom.verify(bar, tmp_path / "out").faults
    assert fault.name == "gamma"
    assert "tagged" in fault.sentence


def test_broken_files_are_refused_in_a_sentence(bar, tmp_path):
    lissom.bake(bar, "bend", rate=10).export("openvat", tmp_path / "sound")

    def broken(change):
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        shutil.copytree(tmp_path / "sound", tmp_path / "out")
        change(VatFolder(tmp_path / "out"))
        return tmp_path / "out"

    def nan(vat):
        vat.pixels[3, 7, 1] = np.nan
        vat.write()

    def other_table(vat):
        vat.table.write_text('{"frames": 7}')

    def no_mesh(vat):
        vat.model.unlink()

    def many_frames(vat):
        vat.told["os-remap"]["Frames"] = 1_000_000_000
        vat.write()

    def text_frames(vat):
        vat.told["os-remap"]["Frames"] = "33"
        vat.write()

    def no_rate(vat):
        vat.told["lissom"]["rate"] = 0
        vat.write()

    def no_picture(vat):
        vat.texture.write_bytes(b"v/1\x01 not really")

    def of_another(vat):
        other = lissom.samples.two_bone_tube()
        lissom.bake(other, next(iter(other.clips)), rate=10).export("openvat", tmp_path / "other")
        shutil.copy(VatFolder(tmp_path / "other").model, vat.model)

    for change, words in {
        nan: "must hold finite numbers, got another at row 3, column 7",
        other_table: "must be a table of OpenVAT",
        many_frames: r"must have at most \d+ frames, the rows of its picture, got 1000000000",
        text_frames: "must have a whole number of frames",
        no_rate: r"must have another lissom.rate, got 0; export it again",
        no_mesh: r"must hold a mesh with VAT_UV as GLB, one file \*.glb, got none",
        no_picture: "must be an EXR or PNG picture|cannot be decoded",
        of_another: r"must be a bake of the source's mesh, of \d+ vertices, got one of \d+, of which",
    }.items():
        with pytest.raises(ValueError, match=words):
            lissom.verify(bar, broken(change))


def test_wrong_arguments(bar, tmp_path):
    path = lissom.bake(bar, "bend", rate=10).save(tmp_path / "bar.safetensors")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.json").write_text("[]")
    cases = [
        ({"source": 7}, TypeError, "source must be a Character or a VertexAnimation, got int"),
        ({"path": tmp_path / "none"}, FileNotFoundError, "there is no such file or folder"),
        ({"path": tmp_path / "notes"}, ValueError, "must be a bake of a known form"),
        ({"form": "vat"}, ValueError, "form: no form is named 'vat'"),
        ({"clip": "jump"}, ValueError, "clip: no clip is named 'jump'"),
        ({"clip": 3}, TypeError, "clip must be a str, got int"),
        ({"playback": "hold"}, ValueError, "playback must be one of interpolate, snap, got 'hold'"),
        ({"rate": 0}, ValueError, "rate must be above zero"),
        ({"loop": 1}, TypeError, "loop must be True or False"),
        ({"method": "lbs"}, ValueError, "verify: method must be one of"),
        ({"max_error": -1}, ValueError, "max_error must be finite and at least 0, got -1"),
        (
            {"source": lissom.samples.humanoid()},
            ValueError,
            "holds a clip that source has not: no clip is named 'bend'",
        ),
    ]
    for change, error, words in cases:
        with pytest.raises(error, match=words):
            lissom.verify(**({"source": bar, "path": path} | change))


@pytest.mark.parametrize("rate", [24, 30, 60])
def test_whole_frames_are_right_at_the_frames_themselves(hero, tmp_path, rate):
    """However a time divides by the rate: the frame that begins is shown, not the one before."""
    path = lissom.bake(hero, "run", rate=rate, dtype="float32").save(tmp_path / "hero.safetensors")
    mixed = lissom.verify(hero, path).clips["run"].at_frames.max
    assert lissom.verify(hero, path, playback="snap").clips["run"].at_frames.max == pytest.approx(
        mixed, abs=1e-6
    )


def test_a_strangers_clip_that_plays_once_is_no_loop(bar, tmp_path):
    clip = copy.copy(bar.clips["bend"])
    clip.loop = False
    once = lissom.Character("bar", bar.skeleton, bar.mesh, bar.skin, [clip])
    lissom.bake(once, "bend", rate=10).export("openvat", tmp_path / "out")
    strangers(VatFolder(tmp_path / "out"))
    assert lissom.verify(once, tmp_path / "out", clip="bend").faults == ()
    assert lissom.verify(once, tmp_path / "out", clip="bend", loop=True).faults != ()


def test_one_vertex_out_of_place_is_seen(bar, tmp_path):
    whole = lissom.VertexAnimation.of_bake(lissom.bake(bar, "bend", rate=10))
    positions = whole.positions.copy()
    positions[:, 1234] += np.float32([0, 1, 0])
    lissom.VertexAnimation(whole.mesh, positions, dict(whole.clips)).export("vertices", tmp_path / "out")
    (fault,) = lissom.verify(bar, tmp_path / "out").faults
    assert fault.name == "wrong_bind"


def test_arrays_of_others_are_refused(bar, tmp_path):
    np.savez(tmp_path / "theirs.npz", rest=np.zeros((3, 3)), offsets=np.zeros((2, 3, 3)))
    with pytest.raises(ValueError, match=r'theirs\.npz: must hold the arrays of the form "vertices"'):
        lissom.verify(bar, tmp_path / "theirs.npz")


def test_other_json_beside_a_bake_does_no_harm(bar, tmp_path):
    lissom.bake(bar, "bend", rate=10).export("openvat", tmp_path / "out")
    (tmp_path / "out" / "lissom-export.json").unlink()
    (tmp_path / "out" / "list.json").write_text("[1, 2]")
    assert lissom.verify(bar, tmp_path / "out").form == "openvat"


def test_the_decoder_imports_nothing_from_where_it_is_started(bar, tmp_path, monkeypatch):
    lissom.bake(bar, "bend", rate=10).export("openvat", tmp_path / "out")
    for name in ("resource", "json", "pathlib"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    assert lissom.verify(bar, tmp_path / "out").faults == ()
    assert not (tmp_path / "ran").exists()


def test_a_decoder_that_takes_too_long_or_dies_is_told(bar, tmp_path, monkeypatch):
    lissom.bake(bar, "bend", rate=10).export("openvat", tmp_path / "out")
    monkeypatch.setattr(picture_apart, "MOST_SECONDS", 0.001)
    with pytest.raises(ValueError, match=r"takes more than 0\.001 s to decode"):
        lissom.verify(bar, tmp_path / "out")
    monkeypatch.setattr(picture_apart, "MOST_SECONDS", 100)
    monkeypatch.setattr(picture_apart, "DECODER", "this")  # a module that ends without an answer
    with pytest.raises(ValueError, match="cannot be decoded: its decoder ended with code 0"):
        lissom.verify(bar, tmp_path / "out")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux alone")
def test_a_picture_that_takes_too_much_memory_is_refused(bar, tmp_path, monkeypatch):
    lissom.bake(bar, "bend", rate=10).export("openvat", tmp_path / "out")
    monkeypatch.setattr(picture_apart, "MOST_BYTES", 1 << 20)
    with pytest.raises(ValueError, match=r"takes too much memory; is it a texture\?|cannot be decoded"):
        lissom.verify(bar, tmp_path / "out")


def test_halves_far_away_that_are_stored_as_floats(bar, tmp_path):
    """As positions of vertices, and as dual quaternions: float32 whose numbers are those of halves."""
    whole = lissom.VertexAnimation.of_bake(lissom.bake(bar, "bend", rate=10))
    away = np.float32([150 * bar.size, 0, 0])
    there = lissom.VertexAnimation(whole.mesh, whole.positions + away, dict(whole.clips))
    rounded = there.positions.astype(np.float16).astype(np.float32)
    stored = lissom.VertexAnimation(whole.mesh, rounded, dict(whole.clips))
    stored.export("vertices", tmp_path / "out", dtype="float32")
    (fault,) = lissom.verify(there, tmp_path / "out").faults
    assert fault.name == "far_from_origin"

    poses = bar.clips["bend"].sample(np.linspace(0, 4, 41))
    poses[:, 0, 0] += 150 * bar.size
    clip = lissom.Clip.from_poses(bar.skeleton, np.linspace(0, 4, 41), poses, name="bend", loop=False)
    far = lissom.Character("bar", bar.skeleton, bar.mesh, bar.skin, [clip])
    copy = lissom.bake(far, "bend", rate=10, dtype="float32").edited()
    copy.texels[...] = copy.texels.astype(np.float16)
    copy.export("godot", tmp_path / "godot", dtype="float32")
    report = lissom.verify(far, tmp_path / "godot")
    assert [fault.name for fault in report.faults] == ["far_from_origin"]
    assert report.steps["bend"] > 0.01 * far.size


@pytest.mark.parametrize("form", ["godot", "unity"])
def test_bytes_that_engines_get_as_halves_are_no_fault(hero, tmp_path, form):
    bake = lissom.bake(hero, "run", rate=30, dtype="uint8")
    bake.export(form, tmp_path / "out", source=hero)
    report = lissom.verify(hero, tmp_path / "out")
    assert report.faults == ()
    assert report.error.max == pytest.approx(bake.clips["run"].error.max, rel=0.05)


def test_what_no_rate_mends_is_said_so(bar, tmp_path):
    path = lissom.bake(bar, "bend", rate=5).save(tmp_path / "bar.safetensors")
    text = str(lissom.verify(bar, path, playback="snap", max_error=1e-5))
    assert "no rate is enough" in text
    assert "inf" not in text


def test_the_same_fault_of_clips_is_told_once(hero, bake, tmp_path):
    """And no rate is asked for where a fault is in the way."""
    copy = bake.edited()
    copy.texels[...] = np.roll(copy.texels, 1, axis=0)
    report = lissom.verify(hero, copy.save(tmp_path / "hero.safetensors"), max_error=0.01)
    assert [fault.name for fault in report.faults] == ["row_off_by_one", "row_off_by_one"]
    lines = str(report).splitlines()
    assert len(lines) == 4
    assert lines[3].startswith("  row_off_by_one in walk, run: its frames are 1 too late")
    assert "rate" not in str(report)


def test_folders_of_openvat_that_lack_a_table_or_share_a_clip_are_named(hero, bake, tmp_path, monkeypatch):
    monkeypatch.setattr(read_openvat, "read_apart", read_image)
    bake.export("openvat", tmp_path / "out")
    (table,) = (tmp_path / "out").rglob("*_walk-remap_info.json")
    told = json.loads(table.read_text())
    told["lissom"]["clip"] = "run"
    table.write_text(json.dumps(told))
    with pytest.raises(ValueError, match="two folders say they hold 'run': out_run_vat, out_walk_vat; mend"):
        lissom.verify(hero, tmp_path / "out")
    table.unlink()
    with pytest.raises(
        ValueError, match=r"out_walk_vat must hold a table of OpenVAT, out_walk-remap_info\.js"
    ):
        lissom.verify(hero, tmp_path / "out")
    with pytest.raises(ValueError, match="out_walk_vat must hold a table of OpenVAT"):
        lissom.verify(hero, tmp_path / "out", clip="walk")
    assert list(lissom.verify(hero, tmp_path / "out", clip="run").clips) == ["run"]


def test_an_error_above_what_is_allowed_says_so(bar, tmp_path):
    path = lissom.bake(bar, "bend", rate=5).save(tmp_path / "bar.safetensors")
    strict = lissom.verify(bar, path, max_error=0.001)
    assert str(strict).splitlines()[0].endswith("of size, above the 0.1% allowed, no fault")
    assert "allowed" in repr(strict)
    assert "allowed" not in str(lissom.verify(bar, path, max_error=0.1))


def test_a_lower_rate_than_the_files_says_why(tmp_path):
    """Frames on the keys of a clip are better than more of them beside the keys."""
    corners = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    mesh = lissom.Mesh(corners, [[0, 1, 2]])
    lifts = np.float32([0, 1, 0, 1, 0, 1, 0, 1, 0])[:, None, None] * np.float32(
        [[[0, 0, 0], [0, 0, 1], [0, 1, 0]]]
    )
    keyed = lissom.VertexAnimation(mesh, corners + lifts, {"up": lissom.VertexClip(0, 9, 24)})
    places = np.linspace(0, 8, 21)
    first = np.minimum(places.astype(int), 7)
    share = np.float32(places - first)[:, None, None]
    mixed = corners + (1 - share) * lifts[first] + share * lifts[first + 1]
    other = lissom.VertexAnimation(mesh, mixed, {"up": lissom.VertexClip(0, 21, 60)})
    other.export("vertices", tmp_path / "out")
    report = lissom.verify(keyed, tmp_path / "out", max_error=0.01)
    assert report.faults == ()
    assert report.rates["up"] == 24
    assert "needs 24 frames a second, fewer than its 60, which miss keys of the clip" in str(report)


def test_broken_arrays_name_their_file(bar, tmp_path):
    lissom.bake(bar, "bend", rate=10).export("vertices", tmp_path / "out", file="npz")
    (path,) = (tmp_path / "out").glob("*.npz")
    with np.load(path) as file:
        arrays = dict(file)
    arrays["offsets"] = arrays["offsets"][:-1]
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=r"out\.npz"):
        lissom.verify(bar, tmp_path / "out")


def test_a_folder_with_one_bake_is_read_and_of_two_one_is_to_be_named(bar, tmp_path):
    bake = lissom.bake(bar, "bend", rate=10)
    bake.save(tmp_path / "bar.safetensors")
    assert lissom.verify(bar, tmp_path).form == "bake"
    bake.save(tmp_path / "tube.safetensors")
    with pytest.raises(ValueError, match=r"one bake, got 2: bar\.safetensors, tube\.safetensors; name one"):
        lissom.verify(bar, tmp_path)
