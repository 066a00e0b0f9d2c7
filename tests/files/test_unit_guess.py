# SPDX-License-Identifier: MIT
"""`load_bvh` reads lengths in the unit in which the body is a person."""

import numpy as np
import pytest

import bvh_files
import lissom
from conftest import asset

METRES = {"cmu": 0.0254 / 0.45, "inch": 0.0254, "cm": 0.01, "mm": 0.001}  # in one unit
LENGTH = 0.45 + 0.15 + np.hypot(0.1, 0.05) + 2 * 0.42  # of the figure, from head to foot: 1.55 m


def figure(scale, **options):
    """The figure, `scale` units to the metre, moved by its root as far as it is tall."""
    return bvh_files.figure(lambda offset: scale * np.array(offset), (scale, 0, 0), **options).encode()


@pytest.mark.parametrize("unit", METRES)
@pytest.mark.parametrize("load", [lissom.load, lissom.load_bvh])
def test_a_grown_body_is_read_in_its_unit(unit, load):
    scale = 1 / METRES[unit]
    found, expected = load(figure(scale)), lissom.load_bvh(figure(scale), units=unit)
    assert (found.skeleton.rest == expected.skeleton.rest).all()
    assert found.skeleton.rest[2, 1] == pytest.approx(0.45, rel=1e-6)  # metres from spine to head
    clips = [actor.clips[actor.name] for actor in (found, expected)]
    assert (clips[0].sample(0.0) == clips[1].sample(0.0)).all()
    assert clips[0].sample(0.0)[0, 0] == pytest.approx(1.0, rel=1e-6)
    (repair,) = found.repairs
    assert (repair.code, repair.pointer) == ("BVH_UNITS", "")
    assert f"the body has {scale * LENGTH:.3g} of them; units=1 keeps them" in repair.message
    assert not expected.repairs


@pytest.mark.parametrize(
    "length",
    [0.4, 0.8, 1.2, 1.6, 2.5, 6, 15, 20.5, 34, 36, 42.4, 46, 74, 78, 225, 400, 780, 2300, 1e5],
)
def test_a_length_that_is_in_no_band_is_kept(length):
    data = figure(length / LENGTH)
    found = lissom.load_bvh(data)
    assert not found.repairs
    assert (found.skeleton.rest == lissom.load_bvh(data, units=1).skeleton.rest).all()


@pytest.mark.parametrize(
    ("length", "unit"),
    [
        (22, "cmu"),
        (32, "cmu"),
        (48, "inch"),
        (72, "inch"),
        (85, "cm"),
        (215, "cm"),
        (850, "mm"),
        (2150, "mm"),
    ],
)
def test_bands_end_where_people_do(length, unit):
    found = lissom.load_bvh(figure(length / LENGTH))
    assert found.skeleton.rest[2, 1] == pytest.approx(METRES[unit] * length * 0.45 / LENGTH, rel=1e-6)


def test_doubt_keeps_the_lengths():
    """Names that say nothing; a first frame that lies elsewhere than the offsets do."""
    nameless = {f"j{i}": (parent and f"j{list(bvh_files.BODY).index(parent)}", offset)
                for i, (parent, offset) in enumerate(bvh_files.BODY.values())}  # fmt: skip
    smaller = figure(100).replace(b"CHANNELS 3", b"CHANNELS 6 Xposition Yposition Zposition")
    head, _, numbers = smaller.rpartition(b"Frame Time: 0.1\n")
    offsets = [0.01 * np.array(offset) for _, offset in bvh_files.BODY.values()]
    frame = " ".join(f"{x:g} {y:g} {z:g} 0 0 0" for x, y, z in offsets).encode()
    for data in (figure(100, body=nameless), head + b"Frame Time: 0.1\n" + frame + b"\n"):
        found = lissom.load_bvh(data)
        assert not found.repairs
        assert (found.skeleton.rest == lissom.load_bvh(data, units=1).skeleton.rest).all()
    assert numbers  # of the frame that was replaced


def test_axes_and_units_are_guessed_of_the_same_file():
    data = bvh_files.figure(lambda v: (100 * v[0], -100 * v[2], 100 * v[1])).encode()  # z up, centimetres
    found = lissom.load(data)
    assert [repair.code for repair in found.repairs] == ["BVH_UNITS", "BVH_UP_AXIS"]
    np.testing.assert_allclose(found.skeleton.rest[2, :3], (0, 0.45, 0), rtol=1e-6)


@pytest.mark.parametrize("build", ["adult", "child", "giant"])
def test_what_lissom_writes_is_read_as_it_was(build):
    hero = lissom.samples.humanoid(build)
    text = hero.clips["walk"].to_bvh()
    in_metres = lissom.load_bvh(text.encode())
    assert not in_metres.repairs
    assert (in_metres.skeleton.rest == lissom.load_bvh(text.encode(), units=1).skeleton.rest).all()
    in_centimetres = lissom.load_bvh(hero.clips["walk"].to_bvh(units="cm").encode())
    if build != "giant":  # who is 2.29 m from foot to head
        np.testing.assert_allclose(in_centimetres.skeleton.rest, in_metres.skeleton.rest, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("bvh/01_01.bvh", "cmu"),
        ("bvh/jumping_jacks.bvh", "cmu"),
        ("bvh/dab.bvh", None),  # 42 from foot to head: 1.08 m in inches, 2.39 in Carnegie Mellon's unit
        ("wild/retarget/bvh/10_03.bvh", "cm"),
        ("wild/retarget/bvh/11_01.bvh", "cm"),
        ("wild/retarget/bvh/AV_8Walk_Meredith_HVHA_Rep1.bvh", "inch"),
        ("wild/retarget/bvh/walk1.bvh", None),  # 16: 1.64 m in decimetres, which nobody counts in
        ("wild/retarget/bvh/wave_hello.bvh", None),
        ("wild/retarget/bvh/tpose.bvh", None),  # whose first frame is a tenth of its offsets
    ],
)
def test_recordings_at_hand(name, unit):
    found, kept = lissom.load(asset(name)), lissom.load_bvh(asset(name), units=1)
    assert ("BVH_UNITS" in [repair.code for repair in found.repairs]) == (unit is not None)
    expected = kept.size * METRES[unit] if unit else kept.size
    assert found.size == pytest.approx(expected, rel=1e-6)
    if unit:
        assert 1.5 < found.size < 2.3  # metres, of a person whose arms are spread


def with_positions(scale):
    """A figure whose joints all have positions: `scale` times their offsets, in both frames."""
    text = figure(1.0).replace(b"CHANNELS 3", b"CHANNELS 6 Xposition Yposition Zposition")
    head, _, _ = text.rpartition(b"Frame Time: 0.1\n")
    numbers = " ".join(
        " ".join(f"{scale * number:g}" for number in offset) + " 0 0 30"
        for _, offset in bvh_files.BODY.values()
    )
    return head + b"Frame Time: 0.1\n" + f"{numbers}\n".encode()


def test_positions_that_are_zero_are_added_to_offsets():
    """MakeHuman writes what is added; as replacements zeros collapse the body into its root."""
    whole = lissom.load_bvh(with_positions(1.0))
    added = lissom.load_bvh(with_positions(0.0))
    assert [repair.code for repair in whole.repairs] == []
    assert [repair.code for repair in added.repairs] == ["BVH_POSITIONS_ADDED"]
    (first,), (second,) = whole.clips.values(), added.clips.values()
    np.testing.assert_allclose(first.sample(0.0)[1:], second.sample(0.0)[1:], atol=1e-5)
