# SPDX-License-Identifier: MIT
"""What GLB cannot hold is refused before anything is written."""

import io
import os

import numpy as np
import pytest

import lissom
from lissom.clip import CUBICSPLINE, LINEAR, ROTATION, TRANSLATION
from saved_characters import bound, clip_of, skeleton


def character_of(mesh, skin=None, bones=None) -> lissom.Character:
    bones = bones or skeleton("a", "b")
    return lissom.Character("x", bones, mesh, skin or bound(bones))


def with_clip(*tracks, **options) -> lissom.Character:
    bones = skeleton("a", "b")
    return lissom.Character("x", bones, None, None, [clip_of("c", bones, *tracks, **options)])


def part(vertices, triangles, **options):
    return lissom.Part("p", slice(*vertices), slice(*triangles), **options)


ONE = [[0, 1, 2]]
UNSAVEABLE = {
    "no joint": (
        lambda: lissom.Character("x", lissom.Skeleton([], [], np.zeros((0, 10))), None, None),
        "skeleton must have a joint",
    ),
    "vertices in no part": (
        lambda: character_of(lissom.Mesh(np.zeros((4, 3)), ONE, parts=[part((0, 3), (0, 1))])),
        "all vertices of the mesh must be in parts, got index 3 in none",
    ),
    "triangles in no part": (
        lambda: character_of(lissom.Mesh(np.eye(3), ONE * 2, parts=[part((0, 3), (0, 1))])),
        "all triangles of the mesh must be in parts, got index 1 in none",
    ),
    "triangles of others": (
        lambda: character_of(
            lissom.Mesh(np.zeros((4, 3)), ONE, parts=[part((0, 2), (0, 1)), part((2, 4), (1, 1))])
        ),
        "triangles of a part must use its own vertices, got 0 to 2 in part 'p', which has 0 to 1",
    ),
    "texture": (
        lambda: character_of(
            lissom.Mesh(
                np.eye(3), ONE, parts=[part((0, 3), (0, 1), texture=lissom.Texture(b"?", "image/ktx2"))]
            )
        ),
        "textures must be PNG, JPEG, WebP or AVIF, got 1 bytes of image/ktx2 in part 'p'",
    ),
    "base colour": (
        lambda: character_of(
            lissom.Mesh(np.eye(3), ONE, parts=[part((0, 3), (0, 1), base_color=(2, float("nan"), 0, 1))])
        ),
        r"base_color must lie in \[0, 1\], got \(2.0, nan, 0.0, 1.0\) in part 'p'",
    ),
    "too many rows": (
        lambda: character_of(
            lissom.Mesh(np.eye(3), ONE, [[70_000]] * 3, np.ones((3, 1))),
            lissom.Skin(np.zeros(70_001, int), np.tile(np.eye(4, dtype=np.float32), (70_001, 1, 1))),
        ),
        "must use at most 65536 palette rows, as glTF does, got 70001",
    ),
    "huge bind matrix": (
        lambda: character_of(None, lissom.Skin([0], np.diag([1e39, 1, 1, 1.0])[None])),
        "joint_from_bind must fit single precision, got 1e\\+39 in row 0",
    ),
    "huge key": (
        lambda: with_clip((0, TRANSLATION, LINEAR, [0], [[0, 1e39, 0]]), dtype=np.float64),
        "keys must fit single precision, got 1e\\+39 in the translation of 'a' in clip 'c'",
    ),
    "times too close": (
        lambda: with_clip((1, TRANSLATION, LINEAR, [1, 1 + 1e-9], np.eye(3)[:2]), dtype=np.float64),
        "key times must differ in single precision, .* in clip 'c'",
    ),
    "times too late": (
        lambda: with_clip((1, TRANSLATION, LINEAR, [1e39, 2e39], np.eye(3)[:2]), dtype=np.float64),
        "key times must differ in single precision, .* in clip 'c'",
    ),
    "not a number": (
        lambda: with_clip((1, TRANSLATION, LINEAR, [0], [[0, np.nan, 0]])),
        "finite",
    ),
    "times that fall": (
        lambda: with_clip((1, TRANSLATION, LINEAR, [1, 0], np.eye(3)[:2])),
        "increase",
    ),
    "cubic rotation through zero": (
        # (s - 1/2, (s - 1/2)^2, 0, 0) times 4
        lambda: with_clip(
            (
                1,
                ROTATION,
                CUBICSPLINE,
                [0, 1],
                [[[4, 4 * v, 0, 0], [2 * v, 1, 0, 0], [4, 4 * v, 0, 0]] for v in (-1, 1)],
            )
        ),
        "pass through zero or close to it where keys are not unit, got length 2.23607 at key 0 of the "
        "rotation of 'b' in clip 'c'; resample the clip",
    ),
    "surrogate": (
        lambda: lissom.Character("x", skeleton("a\ud800"), None, None),
        "names must be text that UTF-8 can hold",
    ),
}


@pytest.mark.parametrize("name", UNSAVEABLE)
def test_what_glb_cannot_hold_is_refused_before_anything_is_written(name, tmp_path):
    make, message = UNSAVEABLE[name]
    target = tmp_path / "x.glb"
    target.write_bytes(b"old")
    with pytest.raises(ValueError, match=message):
        lissom.save_glb(make(), target)
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x.glb"]
    file = io.BytesIO()
    with pytest.raises(ValueError, match=message):
        lissom.save_glb(make(), file)
    assert not file.getvalue()


def test_clips_must_fit():
    hero = lissom.samples.humanoid()
    other = lissom.samples.twisted_bar()
    with pytest.raises(ValueError, match=r"no clip is named 'wlak'.*walk"):
        lissom.save_glb(hero, clips=["wlak"])
    with pytest.raises(ValueError, match="different names, got 'walk' twice"):
        lissom.save_glb(hero, clips=["walk", hero.clips["walk"]])
    with pytest.raises(ValueError, match="clip 'twist' must be of the same skeleton, but joint 0 is"):
        lissom.save_glb(hero, clips=[next(iter(other.clips.values()))])
    with pytest.raises(TypeError, match="clips must be several clips or their names, got 'walk'"):
        lissom.save_glb(hero, clips="walk")
    with pytest.raises(TypeError, match="clips must be clips or their names, got int"):
        lissom.save_glb(hero, clips=[3])
    with pytest.raises(TypeError, match="character must be a Character, got str"):
        lissom.save_glb("hero.glb", "x.glb")
