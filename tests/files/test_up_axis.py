# SPDX-License-Identifier: MIT
"""`load_bvh` turns recordings so that y is up."""

import numpy as np
import pytest

import bvh_files
import lissom
from conftest import asset

# Where an axis points up, what a vector (right, up, forwards) of the y-up figure reads in the file, by hand.
INTO = {
    "y": lambda v: (v[0], v[1], v[2]),
    "z": lambda v: (v[0], -v[2], v[1]),
    "x": lambda v: (v[1], -v[0], v[2]),
    "-y": lambda v: (v[0], -v[1], -v[2]),
    "-z": lambda v: (v[0], v[2], -v[1]),
    "-x": lambda v: (-v[1], v[0], v[2]),
}


def recorded(up, root=(0.5, 0.9, 2.0)):
    """The figure, moved and turned by 40 degrees about its vertical, in a file where an axis is up."""
    axis = np.array(INTO[up]((0, 1, 0)))
    turn = 40 * axis  # about one of the file's axes: the channels are Z, X, Y
    return bvh_files.figure(INTO[up], INTO[up](root), (turn[2], turn[0], turn[1])).encode()


@pytest.mark.parametrize("up", INTO)
def test_every_axis_becomes_y(up):
    expected = lissom.load_bvh(recorded("y"), up="y")
    for options in ({"up": up}, {}):
        found = lissom.load_bvh(recorded(up), **options)
        assert (found.skeleton.rest == expected.skeleton.rest).all()
        poses = [actor.clips["character"].sample(0.0) for actor in (found, expected)]
        np.testing.assert_allclose(*map(found.skeleton.positions, poses), atol=1e-6)
        codes = [(repair.code, repair.pointer) for repair in found.repairs]
        assert codes == ([("BVH_UP_AXIS", "")] if up != "y" and not options else [])
    if up != "y":
        (repair,) = found.repairs
        assert repair.message.startswith(f"{up} is up, from the feet to the head: turned to y up")


@pytest.mark.parametrize("name", ["wave_hello", "walk1", "zombieWalk1", "tpose"])
def test_recordings_with_z_up_stand(name):
    path = asset(f"wild/retarget/bvh/{name}.bvh")
    as_stored, turned = lissom.load_bvh(path, up="y"), lissom.load(path, strict=True)
    x, y, z = as_stored.skeleton.rest[:, :3].T
    assert (turned.skeleton.rest[:, :3] == np.stack([x, z, -y], axis=1)).all()
    clips = [actor.clips[actor.name] for actor in (as_stored, turned)]
    times = np.linspace(0, clips[0].end, 5)
    x, y, z = np.moveaxis(as_stored.skeleton.positions(clips[0].sample(times)), -1, 0)
    found = turned.skeleton.positions(clips[1].sample(times))
    np.testing.assert_allclose(found, np.stack([x, z, -y], axis=-1), atol=1e-5 * turned.size)


def test_doubt_keeps_the_file_as_it_is():
    """Names that say nothing; a first frame that lies, where the offsets stand; an axis askew."""
    nameless = {f"j{i}": (parent and f"j{list(bvh_files.BODY).index(parent)}", offset)
                for i, (parent, offset) in enumerate(bvh_files.BODY.values())}  # fmt: skip
    askew = np.array([[1, 0, 0], [0, 0.8, -0.6], [0, 0.6, 0.8]])
    for text in (
        bvh_files.figure(INTO["z"], body=nameless),
        bvh_files.figure(INTO["z"], turn=(0, -90, 0)),
        bvh_files.figure(lambda offset: askew @ INTO["z"](offset)),
    ):
        found, stored = lissom.load_bvh(text.encode()), lissom.load_bvh(text.encode(), up="y")
        assert not found.repairs
        assert (found.skeleton.rest == stored.skeleton.rest).all()


@pytest.mark.parametrize(
    ("up", "error", "sentence"),
    [
        ("Z", ValueError, r"load_bvh: no axis is named 'Z'; did you mean 'z'\?"),
        (2, TypeError, "load_bvh: up must be the name of an axis or None, got int"),
    ],
)
def test_other_axes_are_refused(up, error, sentence):
    with pytest.raises(error, match=rf"^{sentence}$"):
        lissom.load_bvh(recorded("y"), up=up)
