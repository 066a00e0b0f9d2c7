# SPDX-License-Identifier: MIT
"""Make the pictures of README and docs anew, from the built-in characters."""

import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import avatar
import bodies
import cleaning
import flip
import layers
import limbs
import live
import merging
import methods
import numpy as np
import openvat
import others
import pages
import paths
import plotting
import several
import signs
import solvers
import spaces
import texels
import timeline
import window
from numpy.typing import NDArray
from PIL import Image

import browser
import godot
import lissom
import playground
import rigging
from lissom._view.labels import Sheet
from lissom.cli import crowd_scene, ground_walk
from lissom.gpu import Camera, SkinnedModel, Stage

FOLDER = Path(__file__).resolve().parent
PEOPLE = 150
# The crowd of README, as the command line there makes it.
GALLERY = (
    "crowd humanoid humanoid child giant --count 2400 --clips idle --clips walk --clips run --clips wave"
)


def save(name: str, pixels: NDArray[np.uint8], colors: int = 256) -> None:
    """Write a small file: few colours, spread so that a heat map's rare shades have theirs."""
    spread = Image.Quantize.MAXCOVERAGE
    picture = Image.fromarray(pixels).quantize(colors, method=spread, kmeans=2, dither=Image.Dither.NONE)
    picture.save(FOLDER / name, optimize=True)


def controlled(width: int, height: int) -> NDArray[np.uint8]:
    """The controller of the how-to: from a stand into a walk, waving, and at a run through a bend."""
    page = FOLDER.parent / "howto" / "character-controller.md"
    names: dict[str, Any] = {}
    exec(page.read_text().split("```python\n")[1].split("\nhero = ")[0], names)
    hero = lissom.samples.humanoid()
    controller = names["Controller"](hero)
    shown = [15, 84, 116, 146, 172, 196, 217, 238]  # frames
    poses = []
    for frame in range(shown[-1] + 1):
        time = frame / 60
        wishes = {"speed": 0.0 if time < 0.4 else 1.3 if time < 2 else 3.0, "turning": 0.9 * (time > 2.8)}
        pose = controller.update(1 / 60, **wishes, wave=0.6 < time < 0.7)
        if frame in shown:
            poses.append(pose)
    return drawn(hero, poses, width, height, azimuth=72.0, elevation=17.0)


def fading(width: int, height: int) -> NDArray[np.uint8]:
    """A walk that fades into a run, and the run into a stop and a wave, moved by root motion."""
    hero = lissom.samples.humanoid()
    walk, run, wave = (hero.clips[name] for name in ("walk", "run", "wave"))
    fade = lissom.CrossFade(hero.skeleton)
    fade.play(walk)
    place = lissom.trs.identity(dtype=np.float64)
    shown = [0, 46, 84, 106, 126, 144, 215]  # frames
    poses = []
    for frame in range(shown[-1] + 1):
        if frame == 66:
            fade.fade_to(run, 0.4, sync=True)
        if frame == 152:
            fade.fade_to(wave, 0.5)
        pose = fade.update(1 / 60)
        if fade.root_motion is not None:
            place = lissom.trs.compose(place, fade.root_motion)
        if frame in shown:
            pose[0] = lissom.trs.compose(place, pose[0])
            poses.append(pose)
    return drawn(hero, poses, width, height, azimuth=-64.0, elevation=9.0)


def walking(width: int, height: int) -> NDArray[np.uint8]:
    """The walk over uneven ground, with its feet placed and without, several moments in one picture."""
    hero = lissom.samples.humanoid()
    ground = lissom.samples.uneven_ground()
    legs = lissom.ik.Leg.find(hero)
    walk = ground_walk.walk_over(hero, hero.clips["walk"], ground, legs, rate=60)
    moments = np.arange(0.55, walk.times[-1], 0.86)  # not in step: each shows another phase
    frames = np.searchsorted(walk.times, moments)
    angles = {"azimuth": -74.0, "elevation": 9.0, "field_of_view": 9.0}
    rows = []
    with Stage(width, height // 2) as stage, ExitStack() as stack:
        models = [stack.enter_context(SkinnedModel(hero, stage=stage)) for _ in frames]
        camera = None
        for poses, title in (
            (ground_walk.with_foot_placement(hero, legs, ground, walk), "with foot placement"),
            (walk.without_placement(), "without"),
        ):
            for model, frame in zip(models, frames, strict=True):
                model.set_pose(poses[frame])
            border = [[x, 0.0, z] for x in (-0.75, 0.75) for z in (0.6, 13.2)]  # of the ground
            points = np.concatenate([*(model.points() for model in models), border])
            camera = camera or Camera.framing(points, stage.aspect, **angles, margin=0.02)
            sheet = Sheet(stage.render(*models, camera=camera, ground=ground).array)
            sheet.text((sheet.unit, 0.6 * sheet.unit), title)
            rows.append(sheet.pixels())
    return np.concatenate(rows)


def deformers(width: int, height: int) -> NDArray[np.uint8]:
    """The tube bent by each method, from its side, with their numbers."""
    tube = lissom.samples.two_bone_tube()
    pose = tube.skeleton.rest.astype(np.float64)
    pose[1, 3:7] = lissom.quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.radians(110))
    methods = ("linear", "dual_quat", "cor")
    heat = ("dual_quat", "cor")
    view = {"azimuth": 12.0, "elevation": 10.0, "width": width, "height": height}
    return lissom.compare(tube, pose, methods, heat=heat, **view).image


def commanded(line: str) -> NDArray[np.uint8]:
    """What a command of lissom draws."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "picture.png"
        subprocess.run([sys.executable, "-m", "lissom", *line.split(), "-o", str(out)], check=True)
        return np.asarray(Image.open(out).convert("RGB"))


def drawn(
    hero: lissom.Character, poses: list[NDArray[Any]], width: int, height: int, **angles: float
) -> NDArray[np.uint8]:
    """Poses of one character, in one picture."""
    with Stage(width, height) as stage, ExitStack() as stack:
        models = [stack.enter_context(SkinnedModel(hero, stage=stage)) for _ in poses]
        for model, pose in zip(models, poses, strict=True):
            model.set_pose(pose)
        return stage.render(*models, camera=stage.camera(*models, **angles)).array


def main() -> None:
    hero = lissom.samples.humanoid()
    bar = lissom.samples.twisted_bar()
    size = {"width": 1200, "height": 400}
    save("twisted_bar.png", lissom.compare(bar, clip="twist", time=2.0, **size).image)
    save("deformers.png", deformers(900, 760))
    save("flip.png", flip.flip(1100, 330))
    save("wave.png", lissom.compare(hero, clip="wave", **size).image)
    save("controller.png", controlled(1200, 400))
    save("fading.png", fading(1200, 320))
    save("walking.png", walking(1200, 480))
    save("reach.png", solvers.reach(960, 384))
    save("convergence.png", solvers.convergence(1200, 360))
    save("rigged.png", rigging.rigged(1200, 700))
    save("starfish.png", rigging.starfish(1200, 520))
    for name, pixels in plotting.plots():
        save(f"plot_{name}.png", pixels)
    save("bake_report.png", lissom.bake(hero, max_error=2e-3).report.picture(width=1200).array)
    save("spaces.png", spaces.spaces(900, 460))
    save("binding.png", spaces.binding(1200, 300))
    save("avatar.png", avatar.avatar(1100, 320))
    save("merging.png", merging.merging(1200, 320))
    save("blending.png", layers.blending(1200, 420))
    save("retargeting.png", bodies.retargeting(1200, 380))
    save("additive.png", layers.additive(1200, 400))
    save("loops.png", timeline.loops(1100, 240), colors=64)
    save("keys_and_frames.png", timeline.frames(1100, 300), colors=64)
    save("signs.png", signs.signs(1100, 300))
    save("layouts.png", texels.layouts(1100, 330))
    save("limits.png", limbs.limits(1200, 360))
    save("feet.png", limbs.feet(1000, 440))
    save("ik_playground.png", playground.playground(1100, 520))
    lissom.roles(hero).save_svg(FOLDER / "roles.svg")
    save("cleaning.png", cleaning.cleaning(1100, 300), colors=64)
    save("weights_along.png", methods.methods(1200, 300), colors=64)
    for reader in (paths.artist, paths.student, paths.developer, paths.gameplay):
        save(f"path_{reader.__name__}.png", reader())
    save("player.png", browser.side_by_side(1100, 560))
    save("three.png", pages.crowd("three", 1100, 480, count=120))
    save("babylon.png", pages.crowd("babylon", 1100, 480, player="lissom", count=120))
    in_godot = godot.crowd(1200, 480)
    if in_godot is not None:  # else the one that is here stays
        save("godot.png", in_godot)
    by_openvat = openvat.walkers(1200, 420)
    if by_openvat is not None:
        save("openvat.png", by_openvat)
    in_window = window.screenshot()
    if in_window is not None:
        save("window.png", in_window, colors=128)
    people = crowd_scene.Options(PEOPLE, width=1200, height=400)
    save("several.png", several.several(1000, 440))
    save("taken.png", several.taken(1000, 400))
    save("others.png", others.beside(1200, 400))
    save("people.png", crowd_scene.draw(crowd_scene.people(), people).array)
    save("live.png", live.picture(1200, 420), colors=96)
    live.film(560, 240).save(FOLDER / "live.webp")
    save("crowd.png", commanded(f"{GALLERY} --width 1200 --height 480"), colors=96)


if __name__ == "__main__":
    main()
