# SPDX-License-Identifier: MIT
"""Two skinning methods beside each other: pictures from one camera, and how far apart they are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._render import check_character, pose_of, stage_of
from lissom.picture import Picture

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom.character import Character
    from lissom.clip import Clip
    from lissom.gpu import Camera

__all__ = ["Comparison", "compare"]

PANEL_MARGIN = (0.1, 0.27)  # above and below: room for the titles and the scale
TITLES = {"linear": "linear blend", "dual_quat": "dual quaternion"}


@dataclass(frozen=True, eq=False)
class Comparison:
    """How two skinning methods differ in one pose.

    Attributes
    ----------
    picture : Picture
        The first method, the second, and the distance between them as a heat map, from one camera.
    numbers : dict
        ``max``, ``mean``, ``p99``, ``rms``: distance between the two results over all vertices, model units;
        the same with ``_relative``: as a fraction of the character's size (where that is 0, as they are);
        ``vertex``: where the maximum is; ``size``: the character's; ``methods``: the two names.
    distances : ndarray, shape (V,)
        Distance of each vertex, model units.
    """

    picture: Picture
    numbers: dict[str, Any]
    distances: NDArray[np.float64]

    @property
    def image(self) -> NDArray[np.uint8]:
        """The pixels of the picture, ``(height, width, 3)``."""
        return self.picture.array

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture as a PNG file; as `Picture.save`."""
        return self.picture.save(path)

    def _repr_png_(self) -> bytes:
        return self.picture._repr_png_()

    def __repr__(self) -> str:
        first, second = self.numbers["methods"]
        return (
            f"Comparison({first} against {second}: max {self.numbers['max_relative']:.3%}, "
            f"rms {self.numbers['rms_relative']:.3%} of size, vertex {self.numbers['vertex']})"
        )


def compare(
    character: Character,
    pose: ArrayLike | None = None,
    methods: tuple[str, str] = ("linear", "dual_quat"),
    *,
    clip: str | Clip | None = None,
    time: float | None = None,
    width: int = 1440,
    height: int = 540,
    camera: Camera | None = None,
    azimuth: float = 35.0,
    elevation: float = 15.0,
    ground: bool = True,
) -> Comparison:
    """Skin one pose by two methods: three pictures in one, and the distances.

    Parameters
    ----------
    character : Character
        What to look at.
    pose : array_like, shape (J, 10), optional
        Local transforms; the rest pose when neither this nor `clip` is given.
    methods : tuple of str
        Two of ``"linear"`` and ``"dual_quat"``, in the order of the picture.
    clip : str or Clip, optional
        What to take the pose from: the name of a clip, or a clip of the same joints, such as an edited one.
    time : float, optional
        When in the clip, its own seconds, wrapped where it loops; the middle of the clip when omitted: it
        shows more than the start.
    width, height : int
        Pixels of the whole picture; the width is rounded down to three equal panels.
    camera : lissom.gpu.Camera, optional
        Where from; otherwise both results are framed whole from `azimuth` and `elevation`.
    azimuth, elevation : float
        Degrees, as in `render`.
    ground : bool
        Draw the ground, at the same height in every panel.

    Returns
    -------
    Comparison
        ``.picture``, ``.numbers``, ``.distances``. The distances are computed on the CPU in float32.

    Raises
    ------
    TypeError
        If `character` is none.
    ValueError
        If `methods` are not two known ones, or the pose or clip does not fit.
    GpuError, ImportError
        As `render`.
    """
    from lissom.gpu import Camera, SkinnedModel
    from lissom.gpu.palettes import METHODS

    if len(methods) != 2 or any(method not in METHODS for method in methods):
        raise ValueError(f"compare: methods: expected two of {', '.join(METHODS)}, got {methods!r}")
    check_character("compare", character)
    if character.mesh is None or not character.mesh.vertex_count:
        raise ValueError(f"compare: character: expected one with a mesh, {character.name!r} has none")
    posed = pose_of("compare", character, pose, clip, time)
    results = [np.asarray(character.deform(posed, method=method), np.float64) for method in methods]
    distances = np.linalg.norm(results[1] - results[0], axis=-1)
    numbers = _numbers(distances, character.size, methods)

    stage = stage_of(max(1, width // 3), height)
    both = np.concatenate(results)
    camera = camera or Camera.framing(
        both, stage.aspect, azimuth=azimuth, elevation=elevation, margin=PANEL_MARGIN
    )
    panels = []
    with SkinnedModel(character, stage=stage) as model:
        model.set_pose(posed)
        for method, heat in ((methods[0], None), (methods[1], None), (methods[1], distances)):
            model.method = method
            model.set_heat(heat, numbers["max"])
            panels.append(
                stage.render(model, camera=camera, ground=ground, ground_height=float(both[:, 1].min()))
            )
    picture = _labelled(panels, methods, numbers)
    return Comparison(Picture(picture), numbers, distances)


def _numbers(distances: NDArray[np.float64], size: float, methods: tuple[str, str]) -> dict[str, Any]:
    values = {
        "max": float(distances.max()),
        "mean": float(distances.mean()),
        "p99": float(np.quantile(distances, 0.99)),
        "rms": float(np.sqrt(np.mean(distances**2))),
    }
    unit = size or 1.0  # a mesh may be a single point
    relative = {f"{name}_relative": value / unit for name, value in values.items()}
    return {
        **values,
        **relative,
        "vertex": int(distances.argmax()),
        "size": float(size),
        "methods": tuple(methods),
    }


def _labelled(panels: list[Picture], methods: tuple[str, str], numbers: dict[str, Any]) -> NDArray[np.uint8]:
    """Put the panels side by side, with titles, a colour bar and its scale."""
    from lissom.gpu.labels import Sheet

    sheet = Sheet(np.concatenate([panel.array for panel in panels], axis=1))
    panel_width = panels[0].width
    inset = sheet.unit
    for i, method in enumerate(methods):
        sheet.text((i * panel_width + inset, inset), TITLES[method])
    left = 2 * panel_width + inset
    sheet.text((left, inset), "distance between them")
    sheet.text(
        (left, inset * 2.4),
        f"max {numbers['max_relative']:.2%}   rms {numbers['rms_relative']:.2%} of size",
        faint=True,
    )
    sheet.color_bar(
        (left, sheet.height - 2.6 * inset, panel_width - 2 * inset, 0.5 * inset),
        ("0", f"{numbers['max']:.3g}"),
    )
    for i in (1, 2):
        sheet.rule(i * panel_width)
    return sheet.pixels()
