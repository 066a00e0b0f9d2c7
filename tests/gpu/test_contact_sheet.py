# SPDX-License-Identifier: MIT
"""Contact sheets: which moments of which clips stand where."""

import numpy as np
import pytest

import lissom
from lissom._pictures import contact_sheet as module


@pytest.fixture(scope="module")
def bar():
    return lissom.samples.twisted_bar()


def test_each_clip_has_its_moments_and_its_name(context, bar):
    told = []
    sheet = lissom.contact_sheet(bar, moments=3, size=48, columns=1, progress=lambda *step: told.append(step))
    assert told == [(1, 2, "twist"), (2, 2, "bend")]
    assert sheet.shape == (2 * (48 + module.LABEL + module.GAP), 3 * 48, 3)
    for i, name in enumerate(bar.clips):
        top = i * (48 + module.LABEL + module.GAP)
        clip = bar.clips[name]
        assert clip.loop
        film = lissom.render(bar, clip=clip, rate=3 / clip.duration, width=48, height=48)
        row = np.concatenate([picture.array for picture in film], axis=1)
        np.testing.assert_array_equal(sheet.array[top : top + 48], row)
        label = sheet.array[top + 48 : top + 48 + module.LABEL]
        assert label.min() < 90  # letters
        assert (sheet.array[top + 48 + module.LABEL] == sheet.array[-1, -1]).all()


def test_a_clip_that_ends_is_shown_to_its_end_and_one_moment_once(context, bar):
    twist = bar.clips["twist"]
    times = np.linspace(0, 1, 11)
    ends = lissom.Clip.from_poses(bar.skeleton, times, twist.sample(times), name="ends", loop=False)
    still = lissom.Clip.from_poses(bar.skeleton, [0.0], bar.skeleton.rest[None], name="still")
    sheet = lissom.contact_sheet(bar, [ends, still], moments=3, size=48, ground=False)
    film = lissom.render(bar, clip=ends, rate=2, width=48, height=48, ground=False)
    np.testing.assert_array_equal(
        sheet.array[:48, :144], np.concatenate([picture.array for picture in film], axis=1)
    )
    below = sheet.array[48 + module.LABEL + module.GAP :][:48]
    one = lissom.render(bar, bar.skeleton.rest, width=48, height=48, ground=False).array
    np.testing.assert_array_equal(below[:, :48], one)
    assert (below[:, 48:144] == sheet.array[0, 0]).all()


def test_many_clips_make_a_sheet_of_about_four_to_three(context, bar):
    clips = [bar.clips["bend"]] * 30
    sheet = lissom.contact_sheet(bar, clips, moments=2, size=32)
    assert 1.0 < sheet.width / sheet.height < 1.8
    assert lissom.contact_sheet(bar, clips, moments=2, size=32, columns=30).width > 1500


def test_misuse_of_contact_sheet_is_refused(context, bar):
    bare = lissom.Character("bare", bar.skeleton, bar.mesh, bar.skin)
    for arguments, options, error, message in (
        (("a.glb",), {}, TypeError, "contact_sheet: character must be a Character, got str"),
        ((bare,), {}, ValueError, "contact_sheet: character must have clips, got 'bare', which has none"),
        ((bar, "walk"), {}, ValueError, "contact_sheet: no clip is named 'walk'"),
        ((bar, 3), {}, TypeError, "contact_sheet: clip must be a name or a Clip, got int"),
        ((bar, []), {}, ValueError, "contact_sheet: clips must hold at least one, got none"),
        ((bar,), {"moments": 0}, ValueError, "contact_sheet: moments must be at least 1"),
        ((bar,), {"size": 8}, ValueError, "contact_sheet: size must be at least 32"),
        ((bar,), {"size": 1.5}, TypeError, "contact_sheet: size must be a whole number"),
        ((bar,), {"columns": 0}, ValueError, "contact_sheet: columns must be at least 1"),
        (
            (bar,),
            {"size": 8000, "moments": 9},
            ValueError,
            "contact_sheet: size must make a sheet of at most",
        ),
        ((bar,), {"azimuth": np.nan}, ValueError, "contact_sheet: azimuth must be finite"),
    ):
        with pytest.raises(error, match=f"^{message}"):
            lissom.contact_sheet(*arguments, **options)
