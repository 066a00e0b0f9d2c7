# SPDX-License-Identifier: MIT
"""The form "babylon": what Babylon's own player takes, or a bake with lissom's for Babylon; and a page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import ceil
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from lissom._base.numbers import check_flag
from lissom._export.axes import GLTF, Axes
from lissom._export.babylon_file import baked_texture
from lissom._export.babylon_texture import BakedTexture, Rounds, rounds_of, texture_json
from lissom._export.bind_figure import bind_figure
from lissom._export.form import check_count
from lissom._export.joint_bake import joint_bake
from lissom._export.markdown import cell, code
from lissom._export.modules import write_modules
from lissom._export.page import address, filled_page
from lissom._export.played import Played, PlayedBake
from lissom._export.subject import Subject
from lissom._export.vertex_animation import Playback
from lissom._export.vertex_clip import VertexClip
from lissom._files.load import load
from lissom._files.save_glb import save_glb
from lissom._rig.mesh import Mesh
from lissom.pose_texture import load_bake
from lissom.pose_texture._layouts import LAYOUTS
from lissom.skinning import skin_linear

__all__ = ["Babylon", "PlayedRounds"]

PLAYERS = ("babylon", "lissom")
MODULES = "lissom-babylon"
DTYPES = ("float32", "float16")

MOST_ROWS = 8192
"""Frames of all clips together: rows of a texture that graphics chips of all kinds take."""

MOST_BONES = MOST_ROWS // 4 - 1
"""Four texels a bone, and a last one for the identity."""


@dataclass(frozen=True)
class Babylon:
    """Files for one of two players, and a page.

    Attributes
    ----------
    player : {"babylon", "lissom"}
        Babylon's ``BakedVertexAnimationManager``, which shows whole frames; or ``lissom-babylon``, which is
        then in the folder, and mixes them.
    dtype : {"float32", "float16"}, optional
        Numbers of Babylon's texture, float32 when omitted.
    first_round : bool, optional
        Whether the first round of a clip in Babylon's player has to be as good as later ones, for a time that
        begins at 0, as when omitted. If not, later rounds have half the error.
    count : int
        Characters on the page, at most 100 000.
    """

    player: str = "babylon"
    dtype: str | None = None
    first_round: bool | None = None
    count: int = 1000

    name: ClassVar[str] = "babylon"
    axes: ClassVar[Axes] = GLTF
    for_whom: ClassVar[str] = "Babylon.js"

    def __post_init__(self) -> None:
        if self.player not in PLAYERS:
            raise ValueError(f"export: player must be one of {', '.join(PLAYERS)}, got {self.player!r}")
        if self.dtype not in (None, *DTYPES):
            raise ValueError(f"export: dtype must be one of {', '.join(DTYPES)}, got {self.dtype!r}")
        if self.first_round is not None:
            check_flag(self.first_round, "export: first_round")
        for option in ("dtype", "first_round"):
            if self.player == "lissom" and getattr(self, option) is not None:
                raise ValueError(
                    f"export: {option} is an option for player 'babylon', got player 'lissom', which plays "
                    "the bake as it is; leave it out"
                )
        check_count(self.count)

    def write(self, folder: Path, name: str, subject: Subject) -> None:
        """Write what the player needs, and a page."""
        if self.player == "lissom":
            joint_bake(subject, self.name).save(folder / f"{name}.safetensors")
            write_modules("babylon", folder / MODULES)
            settings: dict[str, object] = {"bake": address(f"{name}.safetensors"), "count": self.count}
        else:
            self._write_texture(folder, name, subject)
            settings = {
                "mesh": address(f"{name}.glb"),
                "texture": address(f"{name}.json"),
                "count": self.count,
            }
        page = filled_page("babylon", name, settings)
        (folder / "index.html").write_text(page, encoding="utf-8")

    def _write_texture(self, folder: Path, name: str, subject: Subject) -> None:
        bake = joint_bake(replace(subject, rate=None), self.name, tuple(LAYOUTS))
        clips = _rounds(subject)
        rows, bones = max(rounds.last for rounds in clips.values()) + 1, bake.palette_row_count
        if rows > MOST_ROWS or bones > MOST_BONES:
            raise ValueError(
                f"export: form 'babylon' holds {MOST_ROWS} frames of {MOST_BONES} joints, got {rows} of "
                f"{bones}; lower the rate, export fewer clips, or take player='lissom'"
            )
        text = texture_json(bake, clips, self.dtype or "float32", middles=self.first_round is False)
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
        save_glb(bind_figure(bake, name), folder / f"{name}.glb")

    def read(self, folder: Path, name: str, subject: Subject, clip: str) -> Played:
        """Read the bake, or texture and mesh."""
        if self.player == "lissom":
            return PlayedBake(load_bake(folder / f"{name}.safetensors"))
        return self._reader(folder, name)

    @cached_property
    def _reader(self) -> Callable[[Path, str], PlayedRounds]:
        """Reads a folder once for all of its clips; what it keeps goes with this form, after the export."""
        return lru_cache(maxsize=1)(_read)

    def readme(self, name: str, subject: Subject) -> str:
        """Say how to play the files."""
        if self.player == "lissom":
            clips = ", ".join(map(code, subject.clips))
            first = json.dumps(next(iter(subject.clips)), ensure_ascii=False)
            return OURS.format(name=name, address=address(name), count=self.count, clips=clips, first=first)
        return self._settings(name, subject)

    def _settings(self, name: str, subject: Subject) -> str:
        clips = _rounds(subject)
        rows = "\n".join(
            f"| {cell(clip)} | `{_told(rounds)}` | {rounds.duration:.6g} | "
            f"{'loops' if subject.clips[clip].loop else 'once'} |"
            for clip, rounds in clips.items()
        )
        data = "baker.loadBakedVertexDataFromObject(baked)"
        if self.dtype == "float16":  # which that function does not read
            data = "new Uint16Array(BABYLON.DecodeBase64ToBinary(baked.vertexData))"
        return README.format(
            name=name,
            address=address(name),
            count=self.count,
            rows=rows,
            data=data,
            settings=_told(next(iter(clips.values()))),
            time=ceil(max(rounds.round for rounds in clips.values())),
            first=FIRST[self.first_round is not False],
        )


OURS = """\
`index.html` shows {count} of them; browsers fetch files from a server alone:

    python -m http.server

`{name}.safetensors` is the bake, `lissom-babylon/` the ES modules that play it, with their types, to copy
into a project. Clips: {clips}. The modules import `@babylonjs/core`; where a page loads `babylon.js` by a
script tag, an import map says `"@babylonjs/core": "./lissom-babylon/global.js"`, as that of `index.html`.

    import {{ loadBake, BakedCrowd }} from "./lissom-babylon/index.js";

    scene.useRightHandedSystem = true; // else x is mirrored, as by Babylon's loader of glTF
    const bake = await loadBake("{address}.safetensors");
    const crowd = new BakedCrowd(bake, {count}, scene); // a Mesh with thin instances
    crowd.setMatrixAt(0, matrix).setClipAt(0, {first});
    scene.onBeforeRenderObservable.add(() => crowd.update(engine.getDeltaTime() / 1000));
"""

FIRST = {
    True: "its first round is as good while its offset is 0, and up to twice as wrong with another",
    False: "its first round is up to three times as wrong, and passes by where time begins later",
}

README = """\
`index.html` shows {count} of them; browsers fetch files from a server alone:

    python -m http.server

`{name}.json` is what Babylon's `VertexAnimationBaker` serialises: a matrix of each bone at each frame.
`{name}.glb` is the mesh with its bones, which stand at bind, in the order of the texture.

    const scene = new BABYLON.Scene(engine);
    scene.useRightHandedSystem = true; // the axes of the files
    const {{ meshes }} = await BABYLON.ImportMeshAsync("{address}.glb", scene);
    const baked = await (await fetch("{address}.json")).json();
    const manager = new BABYLON.BakedVertexAnimationManager(scene);
    manager.time = {time};
    for (const mesh of meshes.filter((mesh) => mesh.skeleton)) {{
      const baker = new BABYLON.VertexAnimationBaker(scene, mesh);
      manager.texture ??= baker.textureFromBakedVertexData({data});
      mesh.bakedVertexAnimationManager = manager;
      mesh.alwaysSelectAsActiveMesh = true; // its box is that of the bind pose
      mesh.thinInstanceSetBuffer("matrix", matrices, 16); // Float32Arrays, of all instances
      mesh.thinInstanceSetBuffer("bakedVertexAnimationSettingsInstanced", settings, 4); // {settings}, ...
    }}
    scene.onBeforeRenderObservable.add(() => (manager.time += engine.getDeltaTime() / 1000));

Settings of an instance: first frame, last frame, offset in frames, frames a second. For another speed,
multiply the last; for another moment, choose an offset from 0 to last - first. In a left-handed scene the
root that Babylon's loader makes mirrors x.

| clip | settings | seconds a round | |
| --- | --- | --- | --- |
{rows}

Babylon shows whole frames and goes round: a clip that is played once starts again. To hold its last
frame set the offset to last - first and the speed to 0. From its second round on it leaves out the first
frame. The numbers below are those of these rounds; where whole frames cost more than about 1 %, export with
the option `player=lissom`, whose player mixes frames, or bake at a higher rate. Start `manager.time` at
{time}, and no clip of usual speed is in its first: {first}. Vertices are skinned linearly.
"""


def _told(rounds: Rounds) -> str:
    return ", ".join(f"{number:.9g}" for number in rounds.settings)


def _rounds(subject: Subject) -> dict[str, Rounds]:
    """Return the rounds of all clips, one after another in the texture."""
    rounds: dict[str, Rounds] = {}
    first = 0
    for name, clip in subject.clips.items():
        rounds[name] = rounds_of(clip.start, clip.duration, subject.frame_count(name), first)
        first = rounds[name].last + 1
    return rounds


def _read(folder: Path, name: str) -> PlayedRounds:
    mesh = load(folder / f"{name}.glb").mesh
    assert mesh is not None
    return PlayedRounds(mesh, baked_texture(folder / f"{name}.json", "export").cut())


@dataclass(frozen=True)
class PlayedRounds:
    """A mesh skinned by the rows of a texture, in the second round of a clip: later ones repeat it."""

    mesh: Mesh
    texture: BakedTexture
    playback: Playback = "snap"

    @property
    def clips(self) -> Mapping[str, VertexClip]:
        found = {}
        for name, rounds in self.texture.clips.items():
            rate = rounds.intervals / rounds.duration if rounds.duration > 0 else 30.0
            count = rounds.intervals + 1 if rounds.duration > 0 else 1
            found[name] = VertexClip(rounds.first, count, rate, self.texture.loops[name], rounds.start)
        return found

    @property
    def vertex_count(self) -> int:
        return self.mesh.vertex_count

    def vertices(self, clip: str, seconds: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        rounds = self.texture.clips[clip]
        # At the edge between two frames the later one, at the end of the clip the last: sides of a jump.
        slack = 1e-6 * rounds.duration / rounds.intervals
        local = np.clip(seconds - rounds.start + slack, 0.0, rounds.duration - slack)
        rows = rounds.shown(rounds.round + local)
        return skin_linear(self.mesh, self.texture.matrices[rows])
