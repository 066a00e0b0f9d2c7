# SPDX-License-Identifier: MIT
"""Skinning methods beside each other: pictures from one camera, how far apart they are, and in numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._compare_numbers import numbers_of
from lissom._render import check_character, pose_of, stage_of
from lissom.mesh import Mesh
from lissom.picture import Picture
from lissom.skin import Skin
from lissom.skinning import METHODS, Deformed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom.character import Character
    from lissom.clip import Clip
    from lissom.gpu import Camera, Stage

__all__ = ["Comparison", "compare"]

DEFAULT_BLEND = 0.5  # of "blended", where nothing else is said: half of each


@dataclass(frozen=True, eq=False)
class Comparison:
    """How skinning methods differ in one pose.

    Attributes
    ----------
    picture : Picture
        The result of each method, and the distance between two of them as a heat map, from one camera; the
        numbers of each method beneath it.
    numbers : dict
        ``methods``: all of them; ``between``: the two whose distance is meant. ``max``, ``mean``, ``p99``,
        ``rms``: distance between those two over all vertices, model units; the same with ``_relative``: as a
        fraction of the character's size (where that is 0, as they are); ``vertex``: where the maximum is;
        ``size``: the character's. ``pieces``, ``closed_pieces``, ``open_edges``: counts of the surface.
        ``bend``: the joint that bends most and its angle in radians, or None.

        ``by_method``: for each method, against bind: ``volume_change`` (a fraction, of the closed pieces),
        ``edge_length_change`` and ``edge_length_rms`` (fractions), ``corner_angle_change`` (radians),
        ``smallest_area`` (of a triangle, posed over bind), ``smallest_determinant`` (of the map at a vertex),
        ``bulge`` (at the bend, a fraction of the radius). None where there is nothing to measure. What each
        one is exactly stands at `lissom.metrics`.
    distances : ndarray, shape (V,)
        Distance of each vertex between the two, model units.
    vertices : dict of str to ndarray, shape (V, 3)
        What each method gives, model space.
    """

    picture: Picture
    numbers: dict[str, Any]
    distances: NDArray[np.float64]
    vertices: Mapping[str, NDArray[np.float64]]

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
        first, second = self.numbers["between"]
        return (
            f"Comparison({first} against {second}: max {self.numbers['max_relative']:.3%}, "
            f"rms {self.numbers['rms_relative']:.3%} of size, vertex {self.numbers['vertex']})"
        )


def compare(
    character: Character,
    pose: ArrayLike | None = None,
    methods: Sequence[str] = ("linear", "dual_quat"),
    *,
    clip: str | Clip | None = None,
    time: float | None = None,
    heat: tuple[str, str] | None = None,
    blend: ArrayLike | None = None,
    width: int | None = None,
    height: int | None = None,
    camera: Camera | None = None,
    azimuth: float = 35.0,
    elevation: float = 15.0,
    ground: bool = True,
) -> Comparison:
    """Skin one pose by several methods: their pictures in one, with the numbers of each.

    Parameters
    ----------
    character : Character
        What to look at.
    pose : array_like, shape (J, 10), optional
        Local transforms; the rest pose when neither this nor `clip` is given.
    methods : sequence of str
        Two or more of ``lissom.skinning.METHODS``, in the order of the picture.
    clip : str or Clip, optional
        What to take the pose from: the name of a clip, or a clip of the same joints, such as an edited one.
    time : float, optional
        When in the clip, its own seconds, wrapped where it loops; the middle of the clip when omitted: it
        shows more than the start.
    heat : tuple of str, optional
        The two methods whose distance the heat map shows, on the shape of the second; the first and the last
        of `methods` when omitted.
    blend : array_like, shape (V,), optional
        For ``"blended"``: 0 is linear, 1 dual quaternion; 0.5 everywhere when omitted.
    width, height : int, optional
        Pixels of the whole picture. The panels are equal and as many as the methods and the heat map: three
        in a row, four as two by two, five or six as two rows of three; 480 by 540 each when omitted. The
        numbers are printed where a panel is at least 240 pixels high.
    camera : lissom.gpu.Camera, optional
        Where from; otherwise all results are framed whole from `azimuth` and `elevation`.
    azimuth, elevation : float
        Degrees, as in `render`.
    ground : bool
        Draw the ground, at the same height in every panel.

    Returns
    -------
    Comparison
        ``.picture``, ``.numbers``, ``.distances``, ``.vertices``. Each method is computed on the CPU, in
        float32 as the pose is, and what it gave is what is drawn: the numbers are those of the picture.

    Raises
    ------
    TypeError
        If `character` is none.
    ValueError
        If `methods` are not two or more known ones, `heat` names another, or the pose or clip does not fit.
    GpuError, ImportError
        As `render`.
    """
    from lissom import _compare_sheet as layout
    from lissom.gpu import Camera

    methods = _checked_methods(methods)
    between = _checked_pair(heat, methods)
    check_character("compare", character)
    if character.mesh is None or not character.mesh.vertex_count:
        raise ValueError(f"compare: character: expected one with a mesh, {character.name!r} has none")
    posed = pose_of("compare", character, pose, clip, time)
    if blend is None:
        blend = np.full(character.mesh.vertex_count, DEFAULT_BLEND, np.float32)
    results = {method: _deformed(character, posed, method, blend) for method in methods}
    vertices = {method: np.asarray(result.positions, np.float64) for method, result in results.items()}
    numbers, distances = numbers_of(character, posed, vertices, methods, between, blend)

    sheet = layout.Panels.of(len(methods) + 1, width, height)
    stage = stage_of(sheet.view_width, sheet.view_height)
    everything = np.concatenate(list(vertices.values()))
    camera = camera or Camera.framing(
        everything, stage.aspect, azimuth=azimuth, elevation=elevation, margin=sheet.margin
    )
    low = float(everything[:, 1].min())
    views = []
    for method, colors in (*((method, None) for method in methods), (between[1], distances)):
        still = _still(character.mesh, results[method])
        views.append(_drawn(still, stage, camera, ground, low, colors, numbers["max"]))
    return Comparison(Picture(sheet.picture(views, numbers)), numbers, distances, vertices)


def _checked_methods(methods: Sequence[str]) -> tuple[str, ...]:
    known = ", ".join(METHODS)
    if isinstance(methods, str) or len(methods) < 2 or any(method not in METHODS for method in methods):
        raise ValueError(f"compare: methods: expected two or more of {known}, got {methods!r}")
    return tuple(methods)


def _checked_pair(heat: tuple[str, str] | None, methods: tuple[str, ...]) -> tuple[str, str]:
    if heat is None:
        return methods[0], methods[-1]
    if isinstance(heat, str) or len(heat) != 2 or any(method not in methods for method in heat):
        raise ValueError(f"compare: heat: expected two of {', '.join(methods)}, got {heat!r}")
    return heat[0], heat[1]


def _deformed(character: Character, pose: NDArray[Any], method: str, blend: ArrayLike) -> Deformed:
    options: dict[str, Any] = {"blend": blend} if method == "blended" else {}
    deformed: Deformed = character.deform(pose, method, normals=True, **options)
    return deformed


def _still(mesh: Mesh, deformed: Deformed) -> Mesh:
    """Return a mesh that stands as the CPU computed it: so is drawn what is measured, by any method."""
    return Mesh(deformed.positions, mesh.triangles, normals=deformed.normals, uvs=mesh.uvs, parts=mesh.parts)


_HERE = np.eye(4, dtype=np.float32)[None]
_IN_PLACE = Skin([0], _HERE).palette(_HERE)  # moves nothing


def _drawn(
    mesh: Mesh,
    stage: Stage,
    camera: Camera,
    ground: bool,
    ground_height: float,
    heat: NDArray[np.float64] | None,
    heat_maximum: float,
) -> NDArray[np.uint8]:
    from lissom.gpu import SkinnedModel

    with SkinnedModel(mesh, stage=stage) as model:
        model.set_palette(_IN_PLACE)
        model.set_heat(heat, heat_maximum)
        return stage.render(model, camera=camera, ground=ground, ground_height=ground_height).array
