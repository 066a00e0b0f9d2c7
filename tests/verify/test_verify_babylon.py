# SPDX-License-Identifier: MIT
"""The judge of Babylon's own texture of baked animation."""

import base64
import json

import numpy as np
import pytest

import lissom


def test_what_babylons_own_baker_writes_is_judged_on_the_source_mesh(hero, tmp_path):
    """A matrix of each bone at each frame, and nothing else: rows by hand, from poses of the clip."""
    clip = hero.clips["walk"]
    times = np.linspace(0, clip.duration, 33)
    matrices = hero.skin.palette(hero.skeleton.model_matrices(clip.sample(times, loop=False))).matrices

    def write(matrices):
        rows = np.concatenate(
            [np.swapaxes(matrices, -1, -2), np.tile(np.eye(4), (len(matrices), 1, 1, 1))], axis=1
        )
        height, bones = rows.shape[:2]
        data = base64.b64encode(rows.astype("<f4").tobytes()).decode()
        told = {"vertexData": data, "width": 4 * bones, "height": height}
        (tmp_path / "walk.json").write_text(json.dumps(told))
        return tmp_path / "walk.json"

    report = lissom.verify(hero, write(matrices), clip="walk")
    assert report.faults == ()
    assert 0.03 < report.error.max_relative < 0.12  # whole frames
    (fault,) = lissom.verify(hero, write(np.roll(matrices, 1, axis=0)), clip="walk").faults
    assert fault.name == "row_off_by_one"
    lost = np.array(matrices)
    lost[:, list(hero.skin.joints).index(hero.skeleton.names.index("UpperLeg.L"))] = np.eye(4)
    (fault,) = lissom.verify(hero, write(lost), clip="walk").faults
    assert fault.name == "lost_joint"
    assert "UpperLeg.L" in fault.sentence
    with pytest.raises(ValueError, match=r"must hold the 34 bones of the mesh, got 33; is it of another"):
        lissom.verify(hero, write(matrices[:, 1:]), clip="walk")


def edited_babylon(folder, change):
    (path,) = (file for file in folder.glob("*.json") if "export" not in file.name)
    told = json.loads(path.read_text())
    change(told)
    path.write_text(json.dumps(told))
    return folder


def test_broken_babylon_tables_are_refused(bar, tmp_path):
    def setting(index, value):
        def change(told):
            told["lissom"]["clips"]["bend"]["settings"][index] = value

        return change

    for change in (
        setting(1, 400), setting(3, 0), setting(3, float("nan")), setting(0, -3), setting(0, "x"),
        lambda told: told["lissom"].update(clips=[]), lambda told: told["lissom"]["clips"].update(bend={}),
        lambda told: told.update(vertexData="!!"), lambda told: told.update(width=7),
    ):  # fmt: skip
        lissom.bake(bar, "bend", rate=10).export("babylon", tmp_path / "out")
        with pytest.raises(ValueError, match=r"^verify: .*out\.json"):
            lissom.verify(bar, edited_babylon(tmp_path / "out", change))


def test_a_round_that_takes_half_the_time_is_a_fault(bar, tmp_path):
    lissom.bake(bar, "bend", rate=10).export("babylon", tmp_path / "out")

    def faster(told):
        told["lissom"]["clips"]["bend"]["settings"][3] *= 2

    (fault,) = lissom.verify(bar, edited_babylon(tmp_path / "out", faster)).faults
    assert fault.name == "frame_count"
    assert "takes 2 s for 4 s" in fault.sentence


def test_a_whole_texture_of_babylon_upside_down(hero, bake, tmp_path):
    """Frames run backwards, and each of two clips shows those of the other."""

    def flip(told):
        texels = np.frombuffer(base64.b64decode(told["vertexData"]), np.float32).reshape(told["height"], -1)
        told["vertexData"] = base64.b64encode(texels[::-1].tobytes()).decode()

    bake.export("babylon", tmp_path / "out")
    faults = lissom.verify(hero, edited_babylon(tmp_path / "out", flip)).faults
    assert [fault.name for fault in faults] == ["flipped_v", "flipped_v"]
    assert "whole texture is upside down" in faults[0].sentence


def test_settings_of_clips_that_overlap(bar, tmp_path):
    def overlap(told):
        told["lissom"]["clips"]["bend"]["settings"][0] -= 11

    lissom.bake(bar, rate=10).export("babylon", tmp_path / "out")
    (fault,) = lissom.verify(bar, edited_babylon(tmp_path / "out", overlap)).faults
    assert (fault.name, fault.clip) == ("shared_rows", "bend")
    assert (
        "it says it is in rows 30 to 81, some of which are also those of 'twist', 0 to 40" in fault.sentence
    )


def test_babylons_own_texture_is_not_judged_as_mixed(bar, tmp_path):
    lissom.bake(bar, "bend", rate=10).export("babylon", tmp_path / "out")
    with pytest.raises(
        ValueError, match="must be 'snap', since its shader shows whole frames, got 'interpolate'"
    ):
        lissom.verify(bar, tmp_path / "out", playback="interpolate")
    lissom.bake(bar, "bend", rate=10).export("babylon", tmp_path / "ours", player="lissom")
    assert lissom.verify(bar, tmp_path / "ours", playback="interpolate").playback == "interpolate"


def edited_matrices(folder, change):
    def edit(told):
        shape = (told["height"], told["width"] // 4, 4, 4)
        columns = np.frombuffer(base64.b64decode(told["vertexData"]), np.float32).reshape(shape)
        told["vertexData"] = base64.b64encode(np.ascontiguousarray(change(columns)).tobytes()).decode()

    return edited_babylon(folder, edit)


def brighter(values):
    high = 1.055 * np.maximum(values, 0) ** (1 / 2.4) - 0.055
    return np.where(values <= 0.0031308, 12.92 * values, high).astype(np.float32)


@pytest.mark.parametrize(
    ("fault", "change"),
    [
        ("transposed", lambda columns: np.swapaxes(columns, -1, -2)),
        ("gamma", brighter),
        ("clamped_range", lambda columns: np.clip(columns, -0.9, 0.9)),
    ],
)
def test_numbers_of_babylons_matrices(hero, bake, tmp_path, fault, change):
    bake.export("babylon", tmp_path / "out")
    faults = lissom.verify(hero, edited_matrices(tmp_path / "out", change), clip="run").faults
    assert [found.name for found in faults] == [fault]


def test_a_clip_of_one_frame_has_no_length_to_be_wrong(hero, tmp_path):
    """Babylon's shader goes round two rows for it, and takes a second."""
    still = lissom.Clip.from_poses(hero.skeleton, [0.0], hero.skeleton.rest[None], name="still")
    character = lissom.Character("hero", hero.skeleton, hero.mesh, hero.skin, [still])
    lissom.bake(character).export("babylon", tmp_path / "hero")
    assert lissom.verify(character, tmp_path / "hero").faults == ()


def test_a_very_short_clip_is_written_and_judged(bar, tmp_path):
    poses = bar.clips["bend"].sample([0.0, 1.0])
    short = lissom.Clip.from_poses(bar.skeleton, [0.0, 1e-6], poses, name="short", loop=False)
    character = lissom.Character("bar", bar.skeleton, bar.mesh, bar.skin, [short])
    lissom.bake(character).export("babylon", tmp_path / "bar", source=character)
    assert lissom.verify(character, tmp_path / "bar").faults == ()
