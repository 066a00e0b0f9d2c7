# SPDX-License-Identifier: MIT
"""The form "three": the bake as it is, the modules of lissom-three that play it, and a page of a crowd."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from lissom._export.axes import GLTF, Axes
from lissom._export.form import check_count
from lissom._export.joint_bake import joint_bake
from lissom._export.levels_file import save_with_levels
from lissom._export.markdown import code
from lissom._export.modules import write_modules
from lissom._export.page import address, filled_page
from lissom._export.played import Played, PlayedBake
from lissom._export.subject import Subject
from lissom.pose_texture import load_bake

__all__ = ["Three"]

MODULES = "lissom-three"


@dataclass(frozen=True)
class Three:
    """A bake, its player, and a page.

    Attributes
    ----------
    count : int
        Characters on the page, at most 100 000.
    levels : bool
        Whether meshes of fewer triangles are put behind the mesh, with which characters are drawn where these
        are off by less than half a pixel: of meshes of 1 000 triangles or more, where the package of the
        extra ``lod`` is installed.
    """

    count: int = 1000
    levels: bool = True

    name: ClassVar[str] = "three"
    axes: ClassVar[Axes] = GLTF
    for_whom: ClassVar[str] = "three.js"

    def __post_init__(self) -> None:
        check_count(self.count)
        if not isinstance(self.levels, bool):
            raise TypeError(f"export: levels must be True or False, got {type(self.levels).__name__}")

    def write(self, folder: Path, name: str, subject: Subject) -> None:
        """Write the bake, the modules without comments, and the page."""
        bake = joint_bake(subject, self.name)
        path = folder / f"{name}.safetensors"
        if self.levels:
            save_with_levels(path, bake)
        else:
            bake.save(path)
        write_modules("three", folder / MODULES)
        page = filled_page("three", name, {"bake": address(f"{name}.safetensors"), "count": self.count})
        (folder / "index.html").write_text(page, encoding="utf-8")

    def read(self, folder: Path, name: str, subject: Subject, clip: str) -> Played:
        """Read the bake, which lissom-three plays as `PoseTexture.sample` does."""
        return PlayedBake(load_bake(folder / f"{name}.safetensors"))

    def readme(self, name: str, subject: Subject) -> str:
        """Say how to open the page, and how to play the bake on another."""
        clips = ", ".join(map(code, subject.clips))
        first = json.dumps(next(iter(subject.clips)), ensure_ascii=False)
        return README.format(name=name, address=address(name), count=self.count, clips=clips, first=first)


README = """\
`index.html` shows {count} of them; browsers fetch files from a server alone:

    python -m http.server

`{name}.safetensors` is the bake, `lissom-three/` the ES modules that play it, with their types, to copy into
a project. Clips: {clips}.

    import {{ loadBake, BakedCrowd }} from "./lissom-three/index.js";

    const bake = await loadBake("{address}.safetensors");
    const crowd = new BakedCrowd(bake, {count}, {{ renderer }}); // an InstancedMesh
    crowd.setMatrixAt(0, matrix);
    crowd.setClipAt(0, {first});
    scene.add(crowd);
    renderer.setAnimationLoop((time) => {{
      crowd.update(timer.update(time).getDelta()); // seconds
      renderer.render(scene, camera);
    }});
"""
