# SPDX-License-Identifier: MIT
"""Skinning methods beside each other: pictures from one camera, how far apart they are, and in numbers."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.doors import as_html, as_png
from lissom._base.numbers import check_number
from lissom._base.set_module import set_module
from lissom._character.blend_argument import blend_of
from lissom._formats.picture import Picture
from lissom._pictures import compare_arguments as checks
from lissom._pictures.compare_numbers import numbers_of
from lissom._pictures.compare_pose import Moment, farthest_pair, moment_of, pairs_of
from lissom._pictures.compare_text import FLOOR, agreement, summary, titles, where
from lissom._pictures.compare_view import (
    LARGER,
    azimuth_to_see,
    focus_points,
    inset_place,
    opened,
    side_to_see,
    to_eye,
    worst_seen,
)
from lissom._pictures.render import check_character, stage_of
from lissom._pictures.sharpest_bend import vertices_of
from lissom._rig.mesh import Mesh
from lissom._rig.skin import Skin
from lissom._view.front import azimuth_before
from lissom.skinning._call import Deformed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._character.blend_argument import Blend
    from lissom._character.character import Character
    from lissom.clip import Clip
    from lissom.gpu import Camera, Stage

__all__ = ["Comparison", "compare"]


@set_module("lissom")
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
        ``bend``: the joint that bends most, or the focus if it bends, and its angle in radians; or None.

        ``by_method``: for each method, against the bind pose: ``volume_change`` (fraction, of closed pieces),
        ``edge_length_change`` and ``edge_length_rms`` (fractions), ``corner_angle_change`` (radians),
        ``smallest_area`` (of a triangle, posed over bind), ``smallest_determinant`` (of the map at a vertex),
        ``bulge`` (at the bend, a fraction of the radius). None where there is nothing to measure. What each
        one is exactly stands at `lissom.metrics`.
    distances : ndarray, shape (V,)
        Distance of each vertex between the two, model units.
    vertices : dict of str to ndarray, shape (V, 3)
        What each method gives, model space.
    clip, time : str and float, or None
        Where the pose is from, seconds; None for a pose that was given, and for the rest pose.
    searched : bool
        Whether the pose was chosen, because no time was given: where two methods differ most, of all clips
        or of the one that was.
    summary : str
        In one line what the picture says above: which pose it is, and how far those two are apart.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> found = lissom.compare(bar, clip="twist", time=2.0, width=480, height=180)
    >>> found.picture
    Picture(480 x 180)
    >>> for method, measured in found.numbers["by_method"].items():
    ...     print(method, round(100 * measured["volume_change"]), "% of the volume")
    linear -50 % of the volume
    dual_quat 0 % of the volume
    """

    picture: Picture
    numbers: dict[str, Any]
    distances: NDArray[np.float64]
    vertices: Mapping[str, NDArray[np.float64]]
    clip: str | None = None
    time: float | None = None
    searched: bool = False
    summary: str = ""

    @property
    def image(self) -> NDArray[np.uint8]:
        """The pixels of the picture, ``(height, width, 3)``."""
        return self.picture.array

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture as a file; as `Picture.save`.

        Parameters
        ----------
        path : path-like
            Ends in ``.png``, ``.webp``, ``.jpg`` or ``.jpeg``.

        Returns
        -------
        Path
            `path`.

        Examples
        --------
        >>> import tempfile
        >>> bar = lissom.samples.twisted_bar()
        >>> found = lissom.compare(bar, clip="bend", time=2.0, width=480, height=180)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     print(found.save(f"{folder}/bend.png").name)
        bend.png
        """
        return self.picture.save(path)

    _repr_html_ = as_html
    _repr_png_ = as_png

    def __repr__(self) -> str:
        first, second = self.numbers["between"]
        return (
            f"Comparison({first} against {second}: max {self.numbers['max_relative']:.3%}, "
            f"rms {self.numbers['rms_relative']:.3%} of size, vertex {self.numbers['vertex']})"
        )


@set_module("lissom")
def compare(
    character: Character,
    pose: ArrayLike | None = None,
    methods: Sequence[str] = ("linear", "dual_quat"),
    *,
    clip: str | Clip | None = None,
    time: float | None = None,
    heat: tuple[str, str] | None = None,
    blend: Blend | None = None,
    morphs: ArrayLike | None = None,
    focus: str | None = None,
    width: int | None = None,
    height: int | None = None,
    camera: Camera | None = None,
    azimuth: float | None = None,
    elevation: float = 15.0,
    ground: bool = True,
) -> Comparison:
    """Skin one pose by several methods: their pictures in one, with the numbers of each.

    Parameters
    ----------
    character : Character
        What to look at.
    pose : array_like, shape (J, 10), optional
        Local transforms. When neither this nor `clip` is given: where two of the methods differ most, of all
        clips at ten poses a second (32 of a clip at most); the rest pose where there are no clips.
    methods : sequence of str
        Two or more of ``lissom.skinning.METHODS``, each once, in the order of the picture.
    clip : str or Clip, optional
        What to take the pose from: the name of a clip, or a clip of the same joints, such as an edited one.
    time : float, optional
        When in the clip, its own seconds, wrapped where it loops; when omitted, where two of the methods
        differ most in this clip.
    heat : tuple of str, optional
        The two methods whose distance the heat map shows, on the shape of the second; when omitted the two of
        `methods` that are farthest apart ("quat_trans" does as "linear", and is not asked beside it).
    blend : float, array_like of shape (V,) or "bend", optional
        For ``"blended"``: 0 is linear, 1 dual quaternion, one number for all or one per vertex;
        ``"bend"`` is what `bend_blend` paints from the pose. The character's own when omitted, else 0.5.
    morphs : array_like, shape (M,), optional
        Weights of the mesh's morph targets, for all methods; when omitted those of the clip, or the mesh's
        defaults.
    focus : str, optional
        Come close: to a joint, by its name, or with ``"max"`` to the vertex that differs most. Where a pose
        is searched, it is then one that differs most near the joint (on vertices whose largest weight is its
        or a child's); the bulge is measured at this joint if it bends.
    width, height : int, optional
        Pixels of the whole picture, at least 16. The panels are equal and as many as the methods and the heat
        map: three in a row, four as two by two, five or six as two rows of three; 480 by 540 each when
        omitted. The numbers are printed where a panel is at least 240 pixels high; then a free corner, if
        there is one, shows the vertex that differs most from near, from the same side.
    camera : lissom.gpu.Camera, optional
        Where from; otherwise all results are framed whole, or the focus, from `azimuth` and `elevation`.
    azimuth : float, optional
        Degrees, as in `render`. When omitted that of `render`, or the side from which more of the difference
        is seen.
    elevation : float
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
        If `character` is none, or a size or angle no number.
    ValueError
        If `methods` are not two or more known ones, `heat` names another, `blend` is given without
        ``"blended"`` among them or does not fit, there is no such joint to focus on, a size is below 16, an
        angle is not finite, or the pose or clip does not fit.
    GpuError, ImportError
        As `render`.

    Warns
    -----
    UserWarning
        If the clip moves morph targets that the mesh does not have: they are named and left out.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> found = lissom.compare(bar, clip="twist", time=2.0, width=480, height=180)
    >>> print(f"at most {found.numbers['max_relative']:.0%} of the size apart")
    at most 17% of the size apart
    """
    from lissom._pictures import compare_sheet as layout
    from lissom.gpu import Camera

    methods = checks.methods_of(methods)
    pairs = pairs_of(methods) if heat is None else [checks.pair_of(heat, methods)]
    check_character("compare", character)
    if character.mesh is None or not character.mesh.vertex_count:
        raise ValueError(f"compare: character must have a mesh, got {character.name!r}, which has none")
    width, height = checks.side(width, "width"), checks.side(height, "height")
    elevation = check_number(elevation, "compare: elevation")
    azimuth = None if azimuth is None else check_number(azimuth, "compare: azimuth")
    if camera is not None and focus is not None:
        raise ValueError("compare: focus must be omitted where a camera is passed, got both")
    if blend is None and "blended" in methods:
        blend = character.blend
    blend = checks.blend_for(blend, methods)

    joint = checks.joint_of(focus, character)
    near = None if joint is None else vertices_of(character, joint)
    # A joint without skin has nothing near it: then everywhere.
    about = None if joint is None or near is None or not len(near) else (joint, near)
    chosen = slice(None) if about is None else about[1]

    moment = moment_of(character, pose, clip, time, pairs, blend, about, morphs)
    painted = None if blend is None else blend_of("compare", character, moment.pose, blend)
    results = {method: _deformed(character, moment, method, painted) for method in methods}
    vertices = {method: np.asarray(result.positions, np.float64) for method, result in results.items()}
    between = farthest_pair({method: points[chosen] for method, points in vertices.items()}, pairs)
    numbers, distances = numbers_of(character, moment.pose, vertices, methods, between, painted, joint)

    sheet = layout.Panels.of(len(methods) + 1, width, height, headed=camera is not None or focus is not None)
    everything = np.concatenate(list(vertices.values()))
    shown = None
    surface = vertices[between[1]], np.asarray(results[between[1]].normals, np.float64)
    # What the words name: near a joint, if that was searched.
    named = distances
    if moment.near is not None:
        named = np.zeros_like(distances)
        named[chosen] = distances[chosen]
    worst = worst_seen(character, surface, named, azimuth, elevation)
    if focus is not None:
        shown = focus_points(character, moment.pose, joint, vertices, between, distances, worst)
    if azimuth is None and camera is None:
        azimuth = azimuth_to_see(character, surface, distances, elevation, shown)
        there = worst_seen(character, surface, named, azimuth, elevation)
        if side_to_see(character, surface, there, azimuth, elevation)[0] != azimuth:
            azimuth = azimuth_to_see(character, surface, distances, elevation, shown, worst)
    azimuth = (
        azimuth_before(character.skeleton) if azimuth is None else azimuth
    )  # of a camera that was passed
    is_whole = camera is None and shown is None
    camera = camera or Camera.framing(
        everything if shown is None else shown,
        sheet.view_width / sheet.view_height,
        azimuth=azimuth,
        elevation=elevation,
        margin=sheet.margin,
    )
    low = float(everything[:, 1].min())
    hottest = max(numbers["max"], FLOOR * character.size)
    cameras = [(camera, (sheet.view_width, sheet.view_height))]
    main = (azimuth, elevation) if is_whole or shown is not None else (camera.azimuth, camera.elevation)
    worst = worst_seen(character, surface, named, *main)
    *side, is_seen = side_to_see(character, surface, worst, *main)
    is_hidden = (*side,) != main
    corner, cut = None, None
    if is_whole and sheet.captioned and numbers["max_relative"] >= FLOOR:
        view = sheet.view_width, sheet.view_height
        surfaces, triangles = list(vertices.values()), character.mesh.triangles
        corner = inset_place(surfaces, triangles, camera, view, sheet.inset_side, sheet.head)
        if corner is not None:
            # What the view shows at the height of its middle, in as many pixels and so much larger.
            half = math.tan(math.radians(camera.field_of_view / 2)) * camera.distance
            reach = half * corner[2] / view[1] / LARGER
            points = focus_points(
                character, moment.pose, None, vertices, between, distances, worst, at_most=reach
            )
            if np.ptp(points[:, 0]) <= 2.001 * reach:  # not so far apart that it must be seen smaller
                close = Camera.framing(points, 1.0, azimuth=side[0], elevation=side[1], margin=0.0)
                cameras.append((close, (corner[2], corner[2])))
                if not is_seen:
                    cut = worst, to_eye(*side)
    views = []
    for method, colors in (*((method, None) for method in methods), (between[1], distances)):
        stills = _still(character.mesh, results[method]), _still(character.mesh, results[method], cut)
        whole, *inset = (
            _drawn(still, stage_of("compare", *size), seen, ground, low, colors, hottest)
            for still, (seen, size) in zip(stills, cameras, strict=False)
        )
        if colors is not None and numbers["max_relative"] >= FLOOR:
            place_worst = vertices[between[1]][worst]
            whole = layout.with_ring(whole, camera, place_worst, is_hidden=is_hidden or not is_seen)
            inset = [layout.with_ring(picture, cameras[1][0], place_worst) for picture in inset]
        views.append(layout.with_inset(whole, inset[0], corner[:2]) if inset and corner else whole)
    apart = numbers["max_relative"]
    if moment.near is not None:
        apart = float(distances[chosen].max()) / (character.size or 1.0)
    place, agreed = where(character.name, moment), agreement(apart, moment)
    picture = Picture(sheet.picture(views, numbers, titles(methods, blend), place, agreed))
    said = summary(place, agreed)
    return Comparison(
        picture, numbers, distances, vertices, moment.clip, moment.time, moment.is_searched, said
    )


def _deformed(
    character: Character, moment: Moment, method: str, blend: NDArray[np.float32] | None
) -> Deformed:
    painted = blend if method == "blended" else None
    deformed: Deformed = character.deform(
        moment.pose, method, normals=True, blend=painted, morphs=moment.morphs
    )
    return deformed


def _still(mesh: Mesh, deformed: Deformed, cut: tuple[int, NDArray[np.float64]] | None = None) -> Mesh:
    """Return a static mesh of vertices that the CPU skinned, so that the picture shows what was measured.

    `cut` names a vertex and the direction to the eye, between which nothing is.
    """
    triangles = mesh.triangles
    if cut is not None:
        triangles = opened(triangles, np.asarray(deformed.positions, np.float64), *cut)
    return Mesh(
        deformed.positions,
        triangles,
        normals=deformed.normals,
        uvs=mesh.uvs,
        colors=mesh.colors,
        parts=mesh.parts,
    )


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
        return stage._render("compare", (model,), camera, ground, ground_height, stage.background).array
