# SPDX-License-Identifier: MIT
"""`lissom.load_amass`: motion in parameters of SMPL, and archives that are broken or lie."""

import io
import struct
import zipfile

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lissom

# Of the published models, by hand: the first joints, and how many of body, SMPL, SMPL-H, SMPL-X.
ORDER = [
    *("pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2", "left_ankle"),
    *("right_ankle", "spine3", "left_foot", "right_foot", "neck", "left_collar", "right_collar", "head"),
    *("left_shoulder", "right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist"),
]
PARENTS = [-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19]
LEFT_HAND = [
    f"left_{finger}{i}" for finger in ("index", "middle", "pinky", "ring", "thumb") for i in (1, 2, 3)
]
COUNTS = (22, 24, 52, 55)


def recording(count=5, joints=22, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "poses": rng.normal(0, 0.5, (count, 3 * joints)),
        "trans": rng.normal(0, 1, (count, 3)),
        "mocap_framerate": np.array(60.0),
        "gender": np.array("neutral"),
        "betas": rng.normal(0, 1, 16),
    }


def archive(arrays, save=np.savez):
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize("joints", COUNTS)
def test_joints_are_where_smpls_kinematics_put_them(joints):
    """In the frame of AMASS, z up, composed by SciPy; then y up, which is (x, z, -y)."""
    arrays = recording(joints=joints)
    actor = lissom.load_amass(archive(arrays), name="jump")
    skeleton, clip = actor.skeleton, actor.clips["jump"]
    offsets = skeleton.rest[:, :3].astype(np.float64)
    for frame in range(5):
        turns, places = [], []
        vectors = arrays["poses"][frame].reshape(-1, 3)
        for joint, parent in enumerate(skeleton.parents.tolist()):
            own = Rotation.from_rotvec(vectors[joint])
            turns.append(own if parent < 0 else turns[parent] * own)
            places.append(
                arrays["trans"][frame] if parent < 0 else places[parent] + turns[parent].apply(offsets[joint])
            )
        x, y, z = np.array(places).T
        found = skeleton.positions(clip.sample(frame / 60))
        np.testing.assert_allclose(found, np.stack([x, z, -y], axis=1), atol=2e-6)  # float32, up to 5 m


def test_the_figure_has_smpls_joints_and_all_roles():
    for joints in COUNTS:
        actor = lissom.load_amass(archive(recording(joints=joints)))
        assert list(actor.skeleton.names[:22]) == ORDER
        assert actor.skeleton.parents[:22].tolist() == PARENTS
        assert len(actor.skeleton) == joints
        found = lissom.roles(actor)
        assert (found.kind, found.missing, found.ambiguous) == ("humanoid", {}, {})
        assert len(found.joints) == (22 if joints < 52 else 52)
        assert (found["leftHand"], found["rightToes"]) == ("left_wrist", "right_foot")
    names = list(lissom.load_amass(archive(recording(joints=52))).skeleton.names)
    assert names[22:37] == LEFT_HAND
    assert names[37:] == [name.replace("left", "right") for name in LEFT_HAND]


def test_the_figure_stands_in_a_t_pose_with_its_feet_on_the_floor():
    actor = lissom.load_amass(archive(recording()))
    places = dict(zip(actor.skeleton.names, actor.skeleton.positions(actor.skeleton.rest), strict=True))
    assert 0 <= places["left_foot"][1] < 0.03
    assert places["left_foot"][2] > 0.1
    np.testing.assert_allclose(places["left_wrist"] - places["left_shoulder"], [0.5644, 0, 0], atol=1e-6)
    # Drillis and Contini: shoulder at 0.818, hip at 0.530, knee at 0.285 of a stature of 1.7 m.
    heights = [places[name][1] for name in ("left_shoulder", "left_hip", "left_knee")]
    np.testing.assert_allclose(heights, [1.3906, 0.901, 0.4845], atol=1e-6)


def test_what_does_not_move_costs_no_keys():
    arrays = recording(joints=52)
    arrays["poses"][:, 66:] = 0  # the hands
    arrays["poses"][:, 3:6] = 0.1  # the left hip
    clip = lissom.load_amass(archive(arrays)).clips["character"]
    assert len(clip.tracks) == 23
    assert clip.tracks[clip.tracks["joint"] == 1]["key_count"].tolist() == [1]
    still = dict(recording(), poses=np.zeros((5, 66)))
    clip = lissom.load_amass(archive(still)).clips["character"]
    assert (clip.duration, clip.key_rate) == (pytest.approx(4 / 60), 60)


def test_other_writers_are_read(tmp_path):
    """Compressed, float32, in columns, with the rate's other name; from a path, a file and bytes."""
    arrays = recording()
    plain = lissom.load_amass(archive(arrays)).clips["character"].keys
    rate = arrays.pop("mocap_framerate")
    arrays |= {
        "mocap_frame_rate": rate.astype(np.int64).reshape(1),
        "poses": np.asfortranarray(arrays["poses"]),
    }
    data = archive(arrays, np.savez_compressed)
    path = tmp_path / "jump.npz"
    path.write_bytes(data)
    actor = lissom.load_amass(path)
    assert list(actor.clips) == [actor.name] == ["jump"]
    assert (actor.clips["jump"].keys == plain).all()
    with path.open("rb") as file:
        assert (lissom.load_amass(file).clips["jump"].keys == plain).all()
    arrays["poses"] = arrays["poses"].astype(np.float32)
    np.testing.assert_allclose(lissom.load_amass(archive(arrays)).clips["character"].keys, plain, atol=1e-6)


def changed(**arrays):
    return archive({name: value for name, value in (recording() | arrays).items() if value is not None})


def with_member(name, content, compression=zipfile.ZIP_STORED):
    arrays = recording()
    del arrays["poses"]
    file = io.BytesIO(archive(arrays))
    with zipfile.ZipFile(file, "a", compression) as members:
        members.writestr(name, content)
    return file.getvalue()


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def far():
    poses = recording()["poses"]
    poses[3, 7] = np.nan
    return poses


POSES = npy(recording()["poses"])
BAD = {
    b"": "is empty, and must be a NumPy archive (.npz)",
    b"HIERARCHY\n": "must be a NumPy archive (.npz), which is a ZIP file, got another kind of file or part",
    npy(
        np.zeros((2, 66))
    ): "must be a NumPy archive (.npz), which is a ZIP file, got another kind of file or",
    changed(poses=None): "must hold the arrays poses, trans and mocap_framerate, got none named poses",
    changed(
        trans=None, mocap_framerate=None
    ): "must hold the arrays poses, trans and mocap_framerate, got none "
    "named trans, mocap_framerate or mocap_frame_rate",
    changed(poses=np.zeros((5, 70))): "poses must have shape (T, 66, 72, 156 or 165), got (5, 70)",
    changed(poses=np.zeros(66)): "poses must have shape (T, 66, 72, 156 or 165), got (66,)",
    changed(poses=np.zeros((0, 66)), trans=np.zeros((0, 3))): "poses must have a frame or more, got none",
    changed(trans=np.zeros((4, 3))): "trans must have shape (5, 3) for the frames of poses, got (4, 3)",
    changed(
        mocap_framerate=np.array(0.0)
    ): "mocap_framerate must be one number of frames a second, above 0 and up to 1e6, got 0.0",
    changed(
        mocap_framerate=np.array(-30)
    ): "mocap_framerate must be one number of frames a second, above 0 and up to 1e6, got -30",
    changed(
        mocap_framerate=np.array(np.nan)
    ): "mocap_framerate must be one number of frames a second, above 0 and up to 1e6, got nan",
    changed(
        mocap_framerate=np.zeros(2)
    ): "mocap_framerate must be one number of frames a second, above 0 and up to 1e6, got shape (2,)",
    changed(poses=far()): "poses must be finite and at most 1e9, got another number in frame 3",
    changed(
        trans=np.full((5, 3), 1e10)
    ): "trans must be finite and at most 1e9, got another number in frame 0",
    changed(
        poses=np.full((5, 66), None)
    ): "poses must hold numbers, got pickled Python objects, which are never",
    changed(poses=np.full((5, 66), "a")): "poses must hold numbers, got <U1",
    with_member("poses.npy", b"cos\nsystem\n"): "poses must be an array as numpy.save writes it, got another",
    with_member(
        "poses.npy", POSES[:-8]
    ): "poses must hold the bytes of shape (5, 66), got 2632 bytes of float64",
    with_member(
        "poses.npy", POSES.replace(b"(5, 66)", b"(9**9,)")
    ): "poses must be an array as numpy.save writes",
    with_member(
        "poses.npy", POSES.replace(b"(5, 66)", b"(-5,66)")
    ): "poses must hold the bytes of shape (-5, 66)",
    with_member(
        "poses.npy", POSES, zipfile.ZIP_LZMA
    ): "poses must be stored or deflated, as numpy.savez does it,",
}


@pytest.mark.parametrize(("data", "sentence"), BAD.items(), ids=range(len(BAD)))
def test_bad_files_are_refused(data, sentence):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the sentence is compared below
        lissom.load_amass(data)
    assert str(caught.value).startswith(f"load_amass: the source: {sentence}")


def test_the_path_is_named(tmp_path):
    path = tmp_path / "jump.npz"
    path.write_bytes(b"")
    with pytest.raises(ValueError, match=r"^load_amass: .*jump\.npz: is empty"):
        lissom.load_amass(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_array_that_stands_twice_is_refused():
    file = io.BytesIO(archive(recording()))
    with zipfile.ZipFile(file, "a") as members:
        members.writestr("poses.npy", POSES)
    with pytest.raises(
        ValueError, match=r"^load_amass: the source: poses must be in the archive once, got it"
    ):
        lissom.load_amass(file.getvalue())


def test_files_cut_off_or_changed_anywhere_are_read_or_refused():
    data = archive(recording(count=2), np.savez_compressed)
    for end in range(0, len(data), 7):
        with pytest.raises(ValueError, match=r"^load_amass: the source: "):
            lissom.load_amass(data[:end])
    rng = np.random.default_rng(5)
    outcomes = set()
    for _ in range(1500):
        broken = bytearray(data)
        for at in rng.integers(0, len(data), 3):
            broken[at] = rng.integers(0, 256)
        try:
            lissom.load_amass(bytes(broken))
            outcomes.add("read")
        except ValueError as error:
            outcomes.add(str(error)[:24])
    assert outcomes == {"read", "load_amass: the source: "}


def test_what_is_compressed_too_much_is_refused_before_it_is_decoded():
    """Both by what the directory declares, and where that lies."""
    poses = npy(np.zeros((200_000, 66)))
    data = with_member("poses.npy", poses, zipfile.ZIP_DEFLATED)
    assert len(data) < len(poses) / 100
    with pytest.raises(
        ValueError, match=r"^load_amass: the source: poses needs \d+ MiB decoded, at most \d+ MiB"
    ):
        lissom.load_amass(data)
    declared = struct.pack("<I", len(poses))
    with pytest.raises(ValueError, match=r"^load_amass: the source: poses "):
        lissom.load_amass(data.replace(declared, struct.pack("<I", 1000)))


def test_archives_of_thousands_of_arrays_are_refused():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as members:
        for number in range(1025):
            members.writestr(str(number), b"")
    with pytest.raises(
        ValueError, match=r"^load_amass: the source: must have at most 1024 arrays, got more$"
    ):
        lissom.load_amass(file.getvalue())
