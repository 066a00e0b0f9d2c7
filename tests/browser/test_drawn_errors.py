# SPDX-License-Identifier: MIT
"""Ten characters in three.js and Babylon.js, by our modules: what is drawn is as wrong as is stated."""

import pytest

from browser.babylon_pages import BabylonTab, needs_babylon
from browser.three_pages import ThreeTab, needs_three
from drawn_characters import DRAWN, MOST, drawn_error, drawn_subject, drawn_times, drawn_told

pytestmark = [pytest.mark.gl, pytest.mark.tree, needs_three, needs_babylon]

ROUNDING = 2e-6  # of the size


@pytest.fixture(scope="module")
def tabs(browser):
    pages = [browser.new_page(viewport={"width": 500, "height": 400}) for _ in range(2)]
    yield [kind(page, {}) for kind, page in zip((ThreeTab, BabylonTab), pages, strict=True)]
    for page in pages:
        page.close()


@pytest.mark.parametrize("name", DRAWN)
def test_it_is_as_wrong_as_stated(tabs, tmp_path, name, record_property):
    subject = drawn_subject(name)
    if subject is None:
        pytest.skip("this character is not among the assets here")
    hero, clip, bake = subject
    # The same texels and the same rule in both; the file of one has levels of detail, which both leave alone.
    report = bake.export("three", tmp_path / "it", source=hero)
    file = f"{name}.safetensors"
    data = (tmp_path / "it" / "it.safetensors").read_bytes()
    times = drawn_times(report, bake, clip)
    instances = [{"clip": clip, "time": time} for time in times]
    for tab in tabs:
        tab.files[file] = data
        read = tab.floats("vertices", file, instances, {}).reshape(len(times), -1, 4)[..., :3]
        worst = drawn_error(hero, clip, times, read.astype(float))
        told = drawn_told(type(tab).__name__.removesuffix("Tab"), name, worst, report, bake)
        record_property("drawn", told)
        assert tab.errors == []
        assert 0.95 * report.error.max - ROUNDING * bake.size <= worst
        assert worst <= MOST * report.error.max + ROUNDING * bake.size
