# SPDX-License-Identifier: MIT
"""Crowds that load their clips page by page draw what crowds of the bakes draw, within their memory."""

import numpy as np
import pytest

import lissom
import morph_faces
from lissom import gpu
from lissom.errors import GpuError
from lissom.gpu._pose_pages import PosePages

SIDE = 4
PAGE = SIDE * 2048 * 8

# Both crowds compute the same numbers, from frame coordinates that are rounded to float32 apart: one of 256
# frames is off by a 65536th of a frame, in which no vertex of the samples moves by as much.
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def bakes():
    hero = lissom.samples.humanoid()
    made = {layout: lissom.bake(hero, rate=15, layout=layout) for layout in ("trs", "rotations")}
    made["dual_quat"] = lissom.bake(hero, rate=25)
    made["bar"] = lissom.bake(lissom.samples.twisted_bar(), rate=30, layout="matrix")
    mesh, skeleton = morph_faces.mesh(), morph_faces.skeleton()
    blink = morph_faces.clip(skeleton, mesh.morphs, [morph_faces.BLINK], name="blink")
    made["face"] = lissom.bake(morph_faces.character(more_clips=[blink]), rate=30)
    assert made["face"].weights is not None
    return made


@pytest.fixture(scope="module")
def pages(bakes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, bake in bakes.items():
        bake.save(folder / f"{name}.safetensors")
    return lissom.Catalog.build(folder, folder / "bakes.parquet").pack(folder / "pages", side=SIDE)


def assert_alike(first, second):
    """Compare pictures: where an edge passes by a sample, a millionth of a metre decides on which side."""
    off = np.abs(first - second).max(axis=-1) > 1
    assert off.mean() < 1e-3


def both(bakes, library, name, count=30):
    """Return a crowd of a bake and one of its pages, in the same state, some instances fading."""
    instances = gpu.scattered(bakes[name], count, seed=5)
    crowds = (
        gpu.Crowd(bakes[name], count, instances=instances),
        library.crowd(name, count, instances=instances),
    )
    for crowd in crowds:
        crowd.fade_to(1, 0.4, which=slice(0, None, 3))
        crowd.update(0.13)
    return crowds


@pytest.mark.parametrize("name", ["dual_quat", "trs", "rotations", "bar", "face"])
@pytest.mark.parametrize("page_count", [2, 64])
def test_vertices_and_pictures_are_those_of_the_bake(bakes, pages, name, page_count):
    with gpu.CrowdLibrary(pages, memory=page_count * PAGE) as library:
        plain, paged = both(bakes, library, name)
        with plain, paged, gpu.Stage(240, 135) as stage:
            np.testing.assert_allclose(paged.deformed(), plain.deformed(), atol=TOLERANCE, rtol=0)
            drawn = [np.asarray(stage.render(crowd)).astype(int) for crowd in (plain, paged)]
            assert np.ptp(drawn[0]) > 100  # there is something to see
            assert_alike(*drawn)
            for crowd in (plain, paged):
                crowd.interpolate = False
            np.testing.assert_allclose(paged.deformed(), plain.deformed(), atol=TOLERANCE, rtol=0)
        assert library.nbytes <= page_count * PAGE


def test_more_clips_than_fit_are_played_in_turn_within_the_memory(bakes, pages):
    """One clip after another, each as the bake has it; the page unused for longest makes room."""
    name = "dual_quat"
    used = [pages._place("test", name, clip).page for clip in pages.clips(name)]
    assert len(set(used)) > 2
    with gpu.CrowdLibrary(pages, memory=2 * PAGE) as library:
        crowd = library.crowd(name, 2, instances=gpu.plain_instances(2))
        plain = gpu.Crowd(bakes[name], 2, instances=gpu.plain_instances(2))
        recent: list[int] = []
        loads = 0
        with crowd, plain:
            for clip in [*range(len(used)), 0, 1, 0]:
                for each in (crowd, plain):
                    each.instances["clip"] = clip
                    each.instances["time"] = 0.31
                np.testing.assert_allclose(crowd.deformed(), plain.deformed(), atol=TOLERANCE, rtol=0)
                page = used[clip]
                loads += page not in recent
                recent = [*(other for other in recent if other != page), page][-2:]
                assert library.resident == tuple(recent)
                assert library.loads == loads
                assert library.nbytes == 2 * PAGE


def test_pages_are_loaded_when_their_clips_are_in_the_picture(bakes, pages):
    with (
        gpu.CrowdLibrary(pages) as library,
        library.crowd("dual_quat", 2, instances=gpu.plain_instances(2)) as crowd,
    ):
        assert library.loads == 0
        crowd.instances["tint"][1, 3] = 0  # hidden
        crowd.instances["clip"] = [0, len(bakes["dual_quat"].clips) - 1]
        crowd.deformed()
        assert library.resident == (pages._place("test", "dual_quat", pages.clips("dual_quat")[0]).page,)


def test_crowds_share_the_memory_of_their_library(bakes, pages):
    with gpu.CrowdLibrary(pages, memory=3 * PAGE) as library, gpu.Stage(160, 90) as stage:
        with library.crowd("trs", 20, seed=1) as first, library.crowd("bar", 20, seed=1) as second:
            together = np.asarray(stage.render(first, second))
        with gpu.Crowd(bakes["trs"], 20, seed=1) as first, gpu.Crowd(bakes["bar"], 20, seed=1) as second:
            apart = np.asarray(stage.render(first, second))
        assert_alike(together.astype(int), apart)
        assert len(library.resident) <= 3


def test_wrong_arguments_are_told(bakes, pages, tmp_path):
    with pytest.raises(
        TypeError, match=r"CrowdLibrary: pages must be Pages, got str; Catalog.pack makes them"
    ):
        gpu.CrowdLibrary("pages")
    with pytest.raises(
        ValueError, match=rf"memory must hold two pages of {PAGE} bytes, {2 * PAGE}, got {PAGE}"
    ):
        gpu.CrowdLibrary(pages, memory=PAGE)
    for memory in (1e308, "much"):
        with pytest.raises(TypeError, match=r"CrowdLibrary: memory must be "):
            gpu.CrowdLibrary(pages, memory=memory)
    with gpu.CrowdLibrary(pages, memory=1 << 99) as library:
        assert library.nbytes == len(pages.files) * PAGE
    fresh = lissom.Pages(pages.folder)  # files that are mapped stay readable
    with gpu.CrowdLibrary(fresh) as library:
        with pytest.raises(ValueError, match=r"Pages.bake: no bake is named 'baar'; did you mean 'bar'"):
            library.crowd("baar", 1)
        with pytest.raises(ValueError, match=r"CrowdLibrary.crowd: direct must be omitted"):
            library.crowd("bar", 1, direct=True)
        page = pages.files[pages._place("test", "bar", "bend").page]
        page.rename(tmp_path / "away")
        try:
            with (
                pytest.raises(FileNotFoundError, match=page.name),
                library.crowd("bar", 9) as crowd,
            ):
                crowd.deformed()
        finally:
            (tmp_path / "away").rename(page)


def test_pages_that_could_not_be_written_leave_the_others_alone(bakes, pages, monkeypatch):
    """A layer whose page failed is the next one to be used, not that of a page in use."""
    name = "dual_quat"
    used = [pages._place("test", name, clip).page for clip in pages.clips(name)]
    first, second, third = (used.index(page) for page in sorted(set(used))[:3])
    with gpu.CrowdLibrary(pages, memory=2 * PAGE) as library:
        crowd = library.crowd(name, 2, instances=gpu.plain_instances(2))
        plain = gpu.Crowd(bakes[name], 2, instances=gpu.plain_instances(2))
        written = PosePages.write

        def unwritten(self, texels, first=0):
            raise GpuError("out of memory")

        with crowd, plain:
            for clips, fails in (
                ([first, second], False),
                ([third, third], True),
                ([third, third], False),
                ([third, second], False),
            ):
                monkeypatch.setattr(PosePages, "write", unwritten if fails else written)
                for each in (crowd, plain):
                    each.instances["clip"] = clips
                    each.instances["time"] = 0.31
                if fails:
                    with pytest.raises(GpuError, match="out of memory"):
                        crowd.deformed()
                else:
                    np.testing.assert_allclose(crowd.deformed(), plain.deformed(), atol=TOLERANCE, rtol=0)
                assert len(set(library._cache._slots.values())) == len(library.resident) <= 2


def test_a_crowd_of_a_released_library_is_refused(pages):
    library = gpu.CrowdLibrary(pages)
    with library.crowd("bar", 3, seed=1) as crowd, gpu.Stage(64, 36) as stage:
        stage.render(crowd)
        library.release()
        for draw in (crowd.deformed, lambda: stage.render(crowd)):
            with pytest.raises(GpuError, match=r"the library of this crowd was released; make new ones"):
                draw()


def test_a_clip_that_was_not_packed_is_told(bakes, tmp_path):
    bakes["bar"].save(tmp_path / "bar.safetensors")
    catalog = lissom.Catalog.build(tmp_path, tmp_path / "bakes.parquet").filter([("clip", "==", "bend")])
    with (
        gpu.CrowdLibrary(catalog.pack(tmp_path / "pages", side=SIDE)) as library,
        pytest.raises(ValueError, match=r"all clips of 'bar' must be in the pages, which lack 'twist'"),
    ):
        library.crowd("bar", 1)
