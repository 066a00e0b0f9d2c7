# SPDX-License-Identifier: MIT
"""All that take the name of one clip take it alike: without its prefix, in any case, never a guess."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom
import morph_faces
from lissom import gpu, plots, samples

SHORT, FULL = "bend", "Rig|bend"
BOTH = ("Rig|twist", "Alt|twist")  # what "twist" may mean


def bar() -> lissom.Character:
    """A bar whose clips are named as Blender's exporter names them, two of them alike."""
    source = samples.twisted_bar()
    clips = [
        lissom.Clip(name, source.skeleton, source.clips[kind].keys, source.clips[kind].tracks)
        for name, kind in ((FULL, "bend"), (BOTH[0], "twist"), (BOTH[1], "bend"))
    ]
    return lissom.Character("bar", source.skeleton, source.mesh, source.skin, clips)


def face() -> lissom.Character:
    head = morph_faces.character()
    clips = [morph_faces.clip(head.skeleton, head.mesh.morphs, name=name) for name in (FULL, *BOTH)]
    return lissom.Character("face", head.skeleton, head.mesh, head.skin, clips)


BAR = bar()
BAKE = lissom.bake(BAR, rate=10.0)
FACE = lissom.bake(face(), rate=10.0)
VERTICES = lissom.VertexAnimation.of_bake(BAKE)
TIMES = np.linspace(0, 1, 3)
Call = Callable[[str, Path], Any]


def saved(folder: Path, name: str) -> list[str]:
    path = lissom.save_glb(BAR, folder / "bar.glb", clips=[name])
    return list(lissom.load(path).clips)


def faded(name: str) -> list[Any]:
    with gpu.Crowd(BAKE, 2, instances=gpu.plain_instances(2)) as crowd:
        crowd.fade_to(name, 0.5)
        return crowd.instances["next_clip"].tolist()


def judged(folder: Path, name: str) -> list[str]:
    path = BAKE.save(folder / "bar.safetensors")
    return list(lissom.verify(BAR, path, clip=name).clips)


def rewritten(edit: Callable[[Any, Any], Any]) -> bytes:
    copy = BAKE.edited()
    edit(copy, BAKE.row(FULL, 1, 0.0).values)
    return copy.texels.tobytes()


LIBRARY: dict[str, Call] = {
    "Character.clips": lambda name, _: BAR.clips[name].name,
    "Character.show": lambda name, _: list(BAR.show(name).state.items()),
    "Character.show, clip to begin with": lambda name, _: BAR.show(clip=name).state["clip"],
    "bake": lambda name, _: list(lissom.bake(BAR, [name], rate=10.0).clips),
    "bake, rates": lambda name, _: [
        clip.rate for clip in lissom.bake(BAR, rate={name: 20.0}, max_error=None).clips.values()
    ],
    "PoseTexture.clips": lambda name, _: BAKE.clips[name].first_frame,
    "PoseTexture.sample": lambda name, _: BAKE.sample(name, TIMES).matrices.tolist(),
    "PoseTexture.sample_frames": lambda name, _: BAKE.sample_frames(
        BAKE.frame_coordinate(name, 0.3)
    ).matrices.tolist(),
    "PoseTexture.row": lambda name, _: BAKE.row(name, 0, 0.5).values.tolist(),
    "PoseTexture.texel": lambda name, _: BAKE.texel(name, 0, 2).tolist(),
    "PoseTexture.sample_morphs": lambda name, _: FACE.sample_morphs(name, TIMES).tolist(),
    "PoseTexture.set_morphs": lambda name, _: FACE.edited().set_morphs(name, 0.0, np.ones(6)),
    "PoseTexture.set_row": lambda name, _: rewritten(lambda bake, row: bake.set_row(name, 0, 0.5, row)),
    "PoseTexture.set_texel": lambda name, _: rewritten(
        lambda bake, _: bake.set_texel(name, 0, 2, BAKE.texel(FULL, 0, 3))
    ),
    "PoseTexture.frame_coordinate": lambda name, _: BAKE.frame_coordinate(name, TIMES).tolist(),
    "PoseTexture.show": lambda name, _: BAKE.show(clip=name).state["clip"],
    "BakeReport.clips": lambda name, _: BAKE.report.clips[name].rate,
    "VertexAnimation.clips": lambda name, _: VERTICES.clips[name].first_frame,
    "VertexAnimation.clip": lambda name, _: list(VERTICES.clip(name).clips),
    "VertexAnimation.sample": lambda name, _: VERTICES.sample(name, TIMES).tolist(),
    "gpu.Crowd.fade_to": lambda name, _: faded(name),
    "merge": lambda name, _: (
        lissom.merge([BAR, BAR], names=["a", "b"], clips={"both": [name, name]})
        .clips["both"]
        .sample(TIMES)
        .tolist()
    ),
    "plots.error_over_time": lambda name, _: plots.error_over_time(BAR, name).get_title(loc="left"),
    "render": lambda name, _: lissom.render(BAR, clip=name, time=0.5, width=32, height=32).array.tobytes(),
    "compare": lambda name, _: lissom.compare(BAR, clip=name, time=0.5, width=64, height=64).clip,
    "save_glb": lambda name, folder: saved(folder, name),
    "verify": lambda name, folder: judged(folder, name),
}
"""What takes a name, each by the result of a call with it."""


@pytest.mark.gl
@pytest.mark.parametrize("call", LIBRARY.values(), ids=LIBRARY)
def test_functions_take_names_without_their_prefix(call: Call, tmp_path: Path) -> None:
    full = call(FULL, tmp_path)
    assert call(SHORT, tmp_path) == full
    assert call("BEND", tmp_path) == full
    for unknown, candidates in (("twist", BOTH), ("benk", (FULL,))):
        with pytest.raises(
            (KeyError, ValueError), match=r"no (baked )?clip is named .* did you mean"
        ) as refused:
            call(unknown, tmp_path)
        for candidate in candidates:
            assert candidate in str(refused.value)


def test_an_exact_name_wins_and_keys_stay_those_of_the_file() -> None:
    source = samples.twisted_bar()
    both = [
        lissom.Clip(name, source.skeleton, source.clips[kind].keys, source.clips[kind].tracks)
        for name, kind in (("Rig|bend", "twist"), ("bend", "bend"))
    ]
    character = lissom.Character("bar", source.skeleton, source.mesh, source.skin, both)
    assert character.clips["bend"].name == "bend"
    assert character.clips["Bend"].name == "bend"
    assert character.clips["rig|bend"].name == "Rig|bend"
    assert SHORT in BAR.clips  # as its index says; iteration gives names in full
    assert BAR.clips.get(SHORT) is BAR.clips[FULL]
    assert list(BAR.clips) == [FULL, *BOTH]


COMMANDS: dict[str, Callable[[str], list[Any]]] = {
    "render": lambda name: [
        "render",
        "bar.glb",
        "--clip",
        name,
        "--width",
        32,
        "--height",
        32,
        "-o",
        "a.png",
    ],
    "compare": lambda name: ["compare", "bar.glb", "--clip", name, "-o", "a.png"],
    "show": lambda name: ["show", "bar.glb", "--clips", name, "-o", "a.html"],
    "bake": lambda name: ["bake", "bar.glb", "--clips", name, "-o", "out"],
    "bake --loop": lambda name: ["bake", "bar.glb", "--loop", name, "-o", "out"],
    "bake --no-loop": lambda name: ["bake", "bar.glb", "--no-loop", name, "-o", "out"],
    "bake --rate": lambda name: ["bake", "bar.glb", "--rate", f"{name}=12", "-o", "out"],
    "export": lambda name: ["export", "bar.glb", "--form", "three", "--clips", name, "-o", "three"],
    "crowd": lambda name: ["crowd", "bar.glb", "--count", 2, "--clips", name, "--width", 32, "-o", "a.png"],
    "crowd --loop": lambda name: [
        "crowd",
        "bar.glb",
        "--count",
        2,
        "--loop",
        name,
        "--width",
        32,
        "-o",
        "a.png",
    ],
    "retarget": lambda name: ["retarget", "hero.glb", "hero.glb", "--clips", name, "-o", "moved.glb"],
    "verify": lambda name: ["verify", "bar.glb", "bar.safetensors", "--clip", name],
    "a job file": lambda name: ["bake", f"{name}.toml", "-o", "out"],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    lissom.save_glb(BAR, folder / "bar.glb")
    BAKE.save(folder / "bar.safetensors")
    hero = samples.humanoid()
    clips = [
        lissom.Clip(name, hero.skeleton, hero.clips[kind].keys, hero.clips[kind].tracks)
        for name, kind in ((FULL, "wave"), (BOTH[0], "idle"), (BOTH[1], "idle"))
    ]
    lissom.save_glb(lissom.Character("hero", hero.skeleton, None, None, clips), folder / "hero.glb")
    for name in (SHORT, "BEND", FULL, "twist"):
        job = f'[[job]]\nsource = "bar.glb"\nclips = ["{name}"]\n'
        (folder / f"{name}.toml").write_text(job)
    return folder


@pytest.mark.gl
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_options_take_names_without_their_prefix(
    command: Callable[[str], list[Any]], run: Any, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    for name in (SHORT, FULL):
        result = run(*command(name))
        assert result.code == 0, result.err
    refused = run(*command("twist"))
    assert refused.code == 1
    assert "no clip is named 'twist'; did you mean" in refused.err
    assert all(candidate in refused.err for candidate in BOTH)
