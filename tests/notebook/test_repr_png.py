# SPDX-License-Identifier: MIT
"""What front ends without HTML show: small pictures of what is drawn, and none where the text says more."""

import io
import subprocess
import sys

import numpy as np
import pytest

import lissom
from conftest import asset_files, asset_id
from lissom._notebook import png, small_png

images = pytest.importorskip("PIL.Image", reason="Pillow reads the files back")


def shown(thing, most=png.PICTURE_BYTES):
    """Return the pixels of an object's picture, whose file is small."""
    file = thing._repr_png_()
    assert isinstance(file, bytes)
    assert len(file) <= most
    with images.open(io.BytesIO(file)) as image:
        return np.asarray(image.convert("RGB"))


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


def test_characters_and_what_they_are_made_of_are_drawn(hero):
    bake = lissom.bake(hero, ["wave"])
    for thing in (hero, hero.skeleton, hero.mesh, bake):
        pixels = shown(thing)
        assert pixels.shape == (160, 160, 3)
        # The same as the sketch, except for the few colours.
        if thing is not bake:
            sketch = lissom.sketch(thing, width=160, height=160).array
            assert np.abs(pixels.astype(int) - sketch).mean() < 0.4  # of 255
    lifted = np.asarray(bake.mesh.positions)
    rest = lissom.sketch(bake.mesh, lifted, width=160, height=160).array
    assert np.abs(shown(bake).astype(int) - rest).mean() > 2  # in the middle of its clip


def test_a_clip_is_a_strip_of_moments(hero):
    assert shown(hero.clips["walk"]).shape == (106, 5 * 77, 3)
    still = lissom.Clip.from_poses(hero.skeleton, [0.0], hero.skeleton.rest[None], name="still")
    assert shown(still).shape == (106, 77, 3)


def test_contacts_are_the_curves_of_feet(hero):
    found = lissom.ik.find_contacts(hero.clips["walk"], lissom.ik.Leg.find(hero), character=hero)
    pixels = shown(found)
    assert pixels.shape == (98, 320, 3)
    # At half height of each foot's curve: the share of the clip with at least half contact.
    for i, curve in enumerate(found.curves.T):
        row = pixels[8 + 36 * (i + 1) - 3 - 8, 8:-8].astype(int)
        assert (row.sum(axis=1) < 600).mean() == pytest.approx((curve >= 0.5).mean(), abs=0.02)


@pytest.mark.gl
def test_a_comparison_is_its_own_picture_smaller():
    found = lissom.compare(lissom.samples.twisted_bar())
    pixels = shown(found, png.COMPARISON_BYTES)
    assert pixels.shape == (270, 720, 3)
    exact = found.picture.array[::2, ::2].astype(int)
    assert np.abs(pixels - exact).mean() < 4
    small = lissom.compare(lissom.samples.twisted_bar(), width=300, height=120)
    assert shown(small, png.COMPARISON_BYTES).shape == (120, 300, 3)


def test_where_nothing_is_drawn_there_is_none(hero):
    empty = lissom.Skeleton([], [], np.zeros((0, 10), np.float32))
    nothing = lissom.Mesh(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.uint32))
    bare = lissom.bake(lissom.samples.twisted_bar(), include_mesh=False)
    difference = lissom.make_additive(hero.clips["walk"], hero.skeleton.rest)
    for thing in (empty, nothing, bare, difference, lissom.Character("empty", empty, None, None)):
        assert thing._repr_png_() is None
    for thing in (hero.skin, hero.clips, bare.report):
        assert not hasattr(thing, "_repr_png_")


def test_what_cannot_be_drawn_is_none():
    for kind in (lissom.Character, lissom.Skeleton, lissom.Clip, lissom.Mesh, lissom.PoseTexture):
        assert object.__new__(kind)._repr_png_() is None


def test_names_of_a_file_cannot_keep_contacts_from_being_shown(hero):
    found = lissom.ik.find_contacts(hero.clips["walk"], lissom.ik.Leg.find(hero), character=hero)
    assert len(shown(lissom.ik.Contacts(**{**vars(found), "names": ("n" * 500, "\u202ea\nb")})))


def test_any_picture_becomes_small():
    random = np.random.default_rng(0)
    noise = lissom.Picture(random.integers(0, 256, (300, 301, 3), np.uint8))
    line = lissom.Picture(random.integers(0, 256, (1, 30_001, 3), np.uint8))
    for picture in (noise, line):
        assert len(small_png.small_png(picture, 8000)) <= 8000


def test_few_colours_stay_and_rare_ones_are_not_lost():
    plain = np.tile(np.uint8([0, 128, 255]), (40, 40, 1))
    plain[3, 4] = 255, 0, 0
    with images.open(io.BytesIO(small_png.small_png(lissom.Picture(plain), 8000))) as image:
        np.testing.assert_array_equal(np.asarray(image.convert("RGB")), plain)
    # A background of many shades, and a few pixels of red.
    shades = np.random.default_rng(0).integers(200, 256, (160, 160, 3), np.uint8)
    shades[70:74, 70:74] = 200, 20, 20
    with images.open(io.BytesIO(small_png.small_png(lissom.Picture(shades), 24_000))) as image:
        assert image.size == (160, 160)
        assert (np.asarray(image.convert("RGB"))[71:73, 71:73] == (200, 20, 20)).all()


def test_a_picture_is_made_smaller_by_means():
    pixels = np.arange(2 * 3 * 5 * 3, dtype=np.uint8).reshape(6, 5, 3)
    small = small_png.smaller(lissom.Picture(pixels), 2).array
    assert small.shape == (3, 2, 3)
    np.testing.assert_array_equal(small[0, 0], np.rint(pixels[:2, :2].mean(axis=(0, 1))))
    np.testing.assert_array_equal(small_png.smaller(lissom.Picture(pixels), 1).array, pixels)
    assert small_png.smaller(lissom.Picture(pixels[:1]), 2).shape == (1, 2, 3)


def test_numpy_is_enough():
    program = """
import sys
for name in ("moderngl", "glcontext", "matplotlib", "PIL", "IPython"):
    sys.modules[name] = None
import lissom
hero = lissom.samples.humanoid()
walk = hero.clips["walk"]
for thing in (hero, hero.skeleton, hero.mesh, walk, lissom.bake(hero, ["wave"])):
    assert thing._repr_png_().startswith(b"\\x89PNG"), thing
# Without Pillow feet would have no names: then the text has them.
assert lissom.ik.find_contacts(walk, lissom.ik.Leg.find(hero), character=hero)._repr_png_() is None
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("path", asset_files("characters", "features")[::9], ids=asset_id)
def test_every_file_is_small(path):
    try:
        character = lissom.load(path)
    except lissom.GltfError as error:
        pytest.skip(str(error))
    if len(character.skeleton) and (character.mesh is None or len(character.mesh.triangles)):
        assert shown(character).shape == (160, 160, 3)
        shown(character.skeleton)
    for clip in list(character.clips.values())[:1]:
        shown(clip)
