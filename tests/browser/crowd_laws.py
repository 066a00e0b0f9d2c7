# SPDX-License-Identifier: MIT
"""What holds of crowds in any engine of browsers: `tab` is one of its tabs, whose scenes are alike."""

import numpy as np

import lissom
from browser.three_pages import ADDRESS, served_here
from reference import bake as twin

EXACT = 2e-6  # of the size


def numbers(bake):
    """The texels as numbers, float64."""
    texels = bake.texels.astype(np.float64)
    if bake.ranges is None:
        return texels
    for clip, ranges in zip(bake.clips.values(), bake.ranges.astype(np.float64), strict=True):
        part = slice(clip.first_frame, clip.first_frame + clip.frame_count)
        texels[part] = (ranges[..., 0, :] + ranges[..., 1, :] * texels[part]).astype(np.float32)
    return texels


def frames(bake, clip, time):
    coordinate = float(bake.frame_coordinate(clip, time))
    last = bake.clips[clip].first_frame + bake.clips[clip].frame_count - 1
    before = min(int(coordinate), last)
    return before, min(before + 1, last), coordinate - before


def expected(bake, method, clip, time, next_clip=None, next_time=None, fade=0.0):
    """Vertices of a moment in float64."""
    texels = numbers(bake)
    row = twin.row_floats(texels, *frames(bake, clip, time))
    if next_clip is not None:
        row = twin.mixed(row, twin.row_floats(texels, *frames(bake, next_clip, next_time)), fade)
    return twin.skinned(bake.mesh, *twin.rows(row[None], 0, 0, 0.0), method)


def check_moment(tab, bake, name, moment, method):
    """Vertices of an instance are those of the twin, mixed on the GPU or not; how far they are, for each."""
    wanted = expected(
        bake,
        method,
        moment["clip"],
        moment["time"],
        moment.get("next"),
        moment.get("nextTime"),
        moment.get("fade", 0.0),
    )
    file, instances, far = f"{name}.safetensors", [{"clip": next(iter(bake.clips))}, moment], {}
    for gpu in (True, False):
        got = tab.floats("vertices", file, instances, {"method": method, "gpu": gpu}).reshape(2, -1, 4)
        far[gpu] = float(np.abs(got[1, :, :3] - wanted).max() / bake.size)
        print(f"{name} {method} gpu={gpu}: {far[gpu]:.1e} of the size")
        assert far[gpu] < EXACT
    some = [0, len(wanted) // 3, len(wanted) - 1]
    on_cpu = tab.call("verticesOnCpu", file, instances, 1, some, {"method": method})
    np.testing.assert_allclose(np.reshape(on_cpu, (-1, 3)), wanted[some], atol=1e-6 * bake.size)
    return far


def check_every_frame(tab, bake, file, method):
    """So are those of all frames of the only clip."""
    (name,) = bake.clips
    clip = bake.clips[name]
    times = [clip.start + i / clip.rate for i in range(clip.frame_count)]
    got = tab.floats("vertices", file, [{"clip": name, "time": t} for t in times], {"method": method})
    wanted = np.array([expected(bake, method, name, time) for time in times])
    assert np.abs(got.reshape(len(times), -1, 4)[..., :3] - wanted).max() < EXACT * bake.size


def check_stated_error(tab, form, folder, **options):
    """Vertices of an exported file are as far from the clip as it says, between frames too."""
    hero = lissom.samples.humanoid()
    report = lissom.bake(hero, "run", rate=30).export(form, folder, name="hero", source=hero, **options)
    tab.files["export.safetensors"] = (folder / "hero.safetensors").read_bytes()
    clip = hero.clips["run"]
    times = np.linspace(0, clip.duration, 61)[:-1]
    moments = [{"clip": "run", "time": t} for t in times.tolist()]
    got = tab.floats("vertices", "export.safetensors", moments, {}).reshape(len(times), -1, 4)[..., :3]
    wanted = hero.deform(clip.sample(times), "linear")
    largest = np.linalg.norm(got - wanted, axis=-1).max() / hero.size
    print(f"drawn {largest:.3%}, stated {report.error.max_relative:.3%}")
    assert 0.7 * report.error.max_relative < largest < 1.1 * report.error.max_relative


def check_page(browser, kind, form, folder, shown, **options):
    """The page of an export draws its crowd: the folder as it is, except for where it finds the engine."""
    hero = lissom.samples.humanoid()
    bake = lissom.bake(hero, ["walk", "run"], rate=10)
    report = bake.export(form, folder, name="hero", count=30, **options)
    files = {name: (folder / name).read_bytes() for name in report.files}
    files["index.html"] = served_here(files["index.html"].decode()).encode()
    page = browser.new_page(viewport={"width": 480, "height": 300})
    tab = kind(page, files)
    page.goto(f"{ADDRESS}/index.html")
    page.wait_for_function("() => /frames a second/.test(document.body.innerText)", timeout=60_000)
    assert page.inner_text("#panel").startswith(f"30 of {shown}")
    assert page.title() == "hero"
    shot = lissom.Texture(page.screenshot(), "image/png").decode()[..., :3].astype(int)
    page.close()
    assert tab.errors == []
    assert (np.abs(shot - shot[5, -5]).max(axis=-1) > 40).mean() > 0.1  # they are there
