# SPDX-License-Identifier: MIT
"""Clips written as BVH: read back, and by the twin, they are in the same places."""

from pathlib import Path

import numpy as np
import pytest

import lissom
from bvh_files import GOOD, random_bvh
from lissom import Clip, Skeleton, quat
from reference import bvh

FILES = ["01_01", "dab", "jumping", "jumping_jacks", "zombie"]
ANGLE = 1e-6  # radians: angles are written to 1e-6 degrees, poses of GLB files are float32
PLACE = 1e-6  # of the size
# In these files scale is 1, and rotations are unit, to some 1e-6 only: it adds up along a chain of matrices.
FILE_ANGLE = 5e-6


def read(text: str, **options: object) -> tuple[Skeleton, Clip]:
    character = lissom.load_bvh(text.encode(), dtype=np.float64, **{"units": 1, **options})
    return character.skeleton, character.clips["character"]


def assert_same_motion(
    clip: Clip, text: str, phases: np.ndarray | None = None, angle: float = ANGLE, **options: object
) -> None:
    """Compare in model space, joint by joint of the same name."""
    skeleton, again = read(text, **options)
    assert again.duration == pytest.approx(clip.duration, rel=1e-9, abs=1e-12)
    phases = np.linspace(0, 1, 23) if phases is None else phases
    old, new = (
        c.skeleton.model_matrices(c.sample(c.start + phases * c.duration, loop=False).astype(np.float64))
        for c in (clip, again)
    )
    new = new[:, [skeleton.index(name) for name in clip.skeleton.names]]
    size = max(clip.skeleton.size, np.abs(old[..., :3, 3]).max())
    np.testing.assert_allclose(new[..., :3, 3], old[..., :3, 3], rtol=0, atol=PLACE * size)
    scale = np.cbrt(np.linalg.det(old[..., :3, :3]))[..., None, None]
    np.testing.assert_allclose(new[..., :3, :3], old[..., :3, :3] / scale, rtol=0, atol=angle)


@pytest.mark.parametrize("sequence", ["ZXY", "XYZ", "ZYX"])
@pytest.mark.parametrize("name", FILES)
def test_motion_capture_survives(asset, name: str, sequence: str) -> None:
    character = lissom.load_bvh(asset(f"bvh/{name}.bvh"), dtype=np.float64)
    clip = character.clips[name]
    text = clip.to_bvh(sequence=sequence)
    assert_same_motion(clip, text)
    skeleton, again = read(text)
    assert (skeleton.names, skeleton.parents.tolist()) == (
        character.skeleton.names,
        character.skeleton.parents.tolist(),
    )
    np.testing.assert_array_equal(skeleton.rest, character.skeleton.rest)
    assert again.key_rate == pytest.approx(clip.key_rate, rel=1e-9)


@pytest.mark.parametrize("name", FILES)
def test_the_twin_reads_what_is_written(asset, name: str) -> None:
    character = lissom.load_bvh(asset(f"bvh/{name}.bvh"), dtype=np.float64)
    clip = character.clips[name]
    nodes, frame_time, frames = bvh.read(clip.to_bvh())
    for frame in np.linspace(0, len(frames) - 1, 7).astype(int):
        want = character.skeleton.model_matrices(clip.sample(frame * frame_time, loop=False))
        got = bvh.model_matrices(nodes, frames[frame])
        np.testing.assert_allclose(got[:, :3, :3], want[:, :3, :3], rtol=0, atol=ANGLE)
        np.testing.assert_allclose(got[:, :3, 3], want[:, :3, 3], rtol=0, atol=PLACE * character.size)


@pytest.mark.parametrize("name", ["idle", "walk", "run", "wave"])
def test_the_sample_humanoid_survives(name: str) -> None:
    clip = lissom.samples.humanoid().clips[name]
    assert_same_motion(clip, clip.to_bvh())
    assert_same_motion(clip, clip.to_bvh(units="cm"), units="cm")
    assert_same_motion(clip.reversed(), clip.reversed().to_bvh())


@pytest.mark.parametrize(
    "file",
    [
        "khronos/CesiumMan.glb",
        "khronos/Fox.glb",
        "kaykit/Med_MovementBasic.glb",
        "quaternius/animals_pack/Wolf.glb",
    ],
)
def test_rigs_of_files_survive(asset, file: str) -> None:
    """Turned rest poses, roots scaled by 100, joints that stretch."""
    clips = lissom.load(asset(f"characters/{file}")).clips
    for clip in list(clips.values())[:3]:
        # Between keys rotations slerp here and there; only keys that lie on frames are compared.
        rate = clip.key_rate or 60
        count = max(1, int(np.ceil(clip.duration * rate - 1e-3)))
        phases = np.arange(count + 1)[:: max(1, count // 9)] / count
        assert_same_motion(clip, clip.to_bvh(), phases, FILE_ANGLE)


@pytest.mark.parametrize("seed", range(4))
def test_random_rigs_survive(seed: int) -> None:
    text = random_bvh(np.random.default_rng(seed), joint_count=9, frame_count=5)
    _, clip = read(text)
    assert_same_motion(clip, clip.to_bvh(), np.arange(5) / 4)


def test_the_text() -> None:
    _, clip = read(GOOD)
    text = clip.to_bvh(sequence="YXZ")
    assert text.splitlines() == [
        "HIERARCHY",
        "ROOT Hips",
        "{",
        "\tOFFSET 1 2 3",
        "\tCHANNELS 6 Xposition Yposition Zposition Yrotation Xrotation Zrotation",
        "\tJOINT Leg",
        "\t{",
        "\t\tOFFSET 0 -4 0.5",
        "\t\tCHANNELS 3 Yrotation Xrotation Zrotation",
        "\t\tEnd Site",
        "\t\t{",
        "\t\t\tOFFSET 0 -3 0",
        "\t\t}",
        "\t}",
        "}",
        "MOTION",
        "Frames: 3",
        "Frame Time: 0.25",
        "0 0 0 0.000000 0.000000 0.000000 0.000000 0.000000 0.000000",
        "1 5 -2 0.000000 0.000000 90.000000 10.000000 20.000000 30.000000",
        "2 6 -3 -45.000000 0.000000 180.000000 10.000000 20.000000 -30.000000",
    ]


def test_joints_are_nested_whatever_their_order() -> None:
    rest = np.tile([1.0, 0, 0, 0, 0, 0, 1, 1, 1, 1], (5, 1))
    rig = Skeleton(["root", "a", "b", "a1", "other"], [-1, 0, 0, 1, -1], rest)
    poses = np.tile(rest, (3, 1, 1))
    poses[:, :, 3:7] = quat.normalize(np.random.default_rng(2).normal(size=(3, 5, 4)))
    clip = Clip.from_poses(rig, [0.0, 0.5, 1.0], poses)
    skeleton, _ = read(clip.to_bvh())
    assert skeleton.names == ("root", "a", "a1", "b", "other")
    assert_same_motion(clip, clip.to_bvh(), np.array([0, 0.5, 1]))


def test_only_joints_that_leave_their_rest_have_position_channels() -> None:
    clip = lissom.samples.humanoid().clips["walk"]
    nodes, _, _ = bvh.read(clip.to_bvh())
    assert [node.name for node in nodes if "Xposition" in node.channels] == ["Pelvis"]


def test_uniform_scale_goes_into_lengths() -> None:
    clip = growing([2.0, 2.0, 2.0], [3.0, 3.0, 3.0])
    assert_same_motion(clip, clip.to_bvh(), np.array([0.0, 1.0]))
    nodes, _, frames = bvh.read(clip.to_bvh())
    assert nodes[1].channels[:3] == ["Xposition", "Yposition", "Zposition"]
    np.testing.assert_allclose(frames[:, 7], [2, 3], rtol=1e-9)


def growing(first: list[float], last: list[float]) -> Clip:
    rest = np.tile([0.0, 1, 0, 0, 0, 0, 1, 1, 1, 1], (2, 1))
    poses = np.tile(rest, (2, 1, 1))
    poses[:, 0, 7:] = [first, last]
    return Clip.from_poses(Skeleton(["a", "b"], [-1, 0], rest), [0.0, 1.0], poses)


def test_angles_go_on_from_frame_to_frame() -> None:
    rest = np.array([[0.0, 0, 0, 0, 0, 0, 1, 1, 1, 1]])
    poses = np.tile(rest, (60, 1, 1))
    poses[:, 0, 3:7] = quat.from_euler("ZXY", np.linspace([0, 0, 0], [9, 4, -7], 60))
    clip = Clip.from_poses(Skeleton(["a"], [-1], rest), np.arange(60) / 30, poses)
    _, _, frames = bvh.read(clip.to_bvh())
    assert np.abs(np.diff(frames[:, 3:], axis=0)).max() < 12
    np.testing.assert_allclose(frames[-1, 3:], np.degrees([9, 4, -7]), rtol=0, atol=2e-6)


def test_rate_and_duration() -> None:
    clip = lissom.samples.humanoid().clips["walk"]
    _, again = read(clip.to_bvh(rate=50))
    assert again.key_rate == pytest.approx(np.ceil(clip.duration * 50 - 1e-3) / clip.duration, rel=1e-7)
    assert again.start == 0
    still = Clip.from_poses(clip.skeleton, [1.0], clip.sample([0.3]))
    _, again = read(still.to_bvh(rate=10))
    assert again.duration == 0
    assert "Frames: 1\nFrame Time: 0.1\n" in still.to_bvh(rate=10)


def test_names_become_one_word_each() -> None:
    rest = np.tile([0.0, 1, 0, 0, 0, 0, 1, 1, 1, 1], (4, 1))
    rig = Skeleton(["my hips", "my_hips", "", "a{b}"], [-1, 0, 1, 2], rest)
    clip = Clip.from_poses(rig, [0.0], rest[None])
    with pytest.warns(
        UserWarning, match=r"Clip\.to_bvh: names of one word .* 'my hips' as 'my_hips_2'"
    ) as caught:
        text = clip.to_bvh()
    assert Path(caught[0].filename) == Path(__file__)
    assert read(text)[0].names == ("my_hips_2", "my_hips", "joint", "a_b_")


def test_a_path_is_written_whole(tmp_path: Path) -> None:
    clip = lissom.samples.humanoid().clips["walk"]
    path = tmp_path / "walk.bvh"
    assert clip.to_bvh(path) == path
    assert path.read_text() == clip.to_bvh()
    assert [entry.name for entry in tmp_path.iterdir()] == ["walk.bvh"]
    with pytest.raises(FileNotFoundError, match="does not exist"):
        clip.to_bvh(tmp_path / "none" / "walk.bvh")


def test_refusals() -> None:
    clip = lissom.samples.humanoid().clips["walk"]
    for sequence in ("zxy", "ZXZ", "XY", 3):
        with pytest.raises(ValueError, match=r"Clip\.to_bvh: sequence must be one of XYZ, XZY, .*, got"):
            clip.to_bvh(sequence=sequence)
    for rate in (0, -1, np.nan, np.inf):
        with pytest.raises(ValueError, match=r"Clip\.to_bvh: rate must be above zero and finite, got"):
            clip.to_bvh(rate=rate)
    with pytest.raises(ValueError, match=r"Clip\.to_bvh: units must be above zero"):
        clip.to_bvh(units=0)
    with pytest.raises(ValueError, match="'a' is scaled by 1, 2, 1"):
        growing([1, 1, 1], [1, 2, 1]).to_bvh()
    with pytest.raises(ValueError, match="'a' is scaled by 0, 0, 0"):
        growing([0, 0, 0], [1, 1, 1]).to_bvh()
    with pytest.raises(ValueError, match="'a' is scaled by -1, -1, -1"):
        growing([-1, -1, -1], [1, 1, 1]).to_bvh()
    with pytest.raises(ValueError, match=r"Clip.to_bvh: the clip must hold poses, got .*, which is additive"):
        lissom.make_additive(clip).to_bvh()
    nothing = Skeleton([], [], np.zeros((0, 10)))
    with pytest.raises(ValueError, match=r"Clip.to_bvh: the skeleton must have a joint, got none"):
        Clip.from_poses(nothing, [0.0], np.zeros((1, 0, 10))).to_bvh()
