# SPDX-License-Identifier: MIT
"""A picture of a mesh or of joints, drawn with NumPy alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.arrays import as_numbers
from lissom._base.numbers import LARGEST, check_number, whole_number
from lissom._base.set_module import set_module
from lissom._character.character import Character
from lissom._character.morph_choice import morphs_of
from lissom._formats.picture import Picture
from lissom._rig.default_shape import default_shape
from lissom._rig.mesh import Mesh
from lissom._rig.pose_argument import one_pose
from lissom._rig.prepared_mesh import PreparedMesh
from lissom._rig.skeleton import Skeleton

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lissom._sketch.surface import Surface
    from lissom._view.camera import Camera

__all__ = ["sketch"]

FINE = 2  # supersampling in x and in y
MOST_TRIANGLES = 100_000  # or the number of pixels, if larger

Source = Character | Mesh | PreparedMesh | Skeleton


@set_module("lissom")
def sketch(
    source: Source,
    positions: ArrayLike | None = None,
    *,
    pose: ArrayLike | None = None,
    morphs: ArrayLike | None = None,
    width: int = 240,
    height: int = 240,
    camera: Camera | None = None,
    azimuth: float | None = None,
    elevation: float = 15.0,
    ground: bool = True,
    ground_height: float | None = None,
    heat: ArrayLike | None = None,
    heat_maximum: float | None = None,
) -> Picture:
    """Draw a small picture with NumPy alone, without OpenGL or other packages.

    Notebooks show characters by it. Camera, light, colours and ground are those of `render`, which is better
    for large pictures: it is much faster, and smoother at edges. Textures need Pillow.

    Of a mesh with more triangles than 100 000 and than the picture has pixels, only that many are drawn:
    evenly selected, and enlarged to cover as much. So a notebook does not wait for a mesh of millions.

    Parameters
    ----------
    source : Character, Mesh, PreparedMesh or Skeleton
        What to draw; a character without a mesh, and a skeleton, are drawn as bones.
    positions : array_like, shape (V, 3), optional
        Positions of the vertices in model space; of the joints, ``(J, 3)``, for a skeleton and a character
        without a mesh. Those of the rest pose when neither this nor `pose` is passed.
    pose : array_like, shape (J, 10), optional
        Local transforms, for a character or a skeleton.
    morphs : array_like, shape (M,), optional
        Weights of the morph targets of a character; the mesh's defaults when omitted.
    width, height : int
        Pixels.
    camera : lissom.gpu.Camera, optional
        The camera; when omitted, everything is framed from `azimuth` and `elevation`.
    azimuth, elevation : float
        Degrees: about y from +z towards +x, and above the horizon. When omitted, 35 degrees from the front,
        which is +z unless the file says another: avatars of VRM 0 look to -z, and are drawn from -145.
    ground : bool
        Draw the ground and the shadows on it.
    ground_height : float, optional
        Model-space y of the ground; the lowest vertex when omitted.
    heat : array_like, shape (V,), optional
        A number of at least 0 per vertex, coloured by a colour map instead of the base colours.
    heat_maximum : float, optional
        The value at the end of the colour map; the largest of `heat` when omitted.

    Returns
    -------
    Picture
        ``.array`` (height, width, 3) uint8, ``.save(path)``; a notebook shows it. For an empty mesh, the
        ground alone.

    Raises
    ------
    TypeError
        If `source` is of another type, or an argument is not a number.
    ValueError
        If a shape does not fit, a number is not finite, both `positions` and `pose` are passed, or `heat` is
        passed for bones.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> lissom.sketch(hero, pose=hero.clips["walk"].sample(0.3), width=320)
    Picture(320 x 240)
    """
    from lissom._sketch.ground import drawn_ground
    from lissom._sketch.light import encoded
    from lissom._sketch.surface import casts, drawn
    from lissom._view.camera import EMPTY_BOX, Camera, check_direction
    from lissom._view.color import BACKGROUND
    from lissom._view.front import azimuth_before
    from lissom._view.light import key_direction

    width = whole_number(width, "sketch: width", least=1)
    height = whole_number(height, "sketch: height", least=1)
    if camera is not None and not isinstance(camera, Camera):
        raise TypeError(f"sketch: camera must be a Camera, got {type(camera).__name__}")
    if azimuth is None:
        skeleton = source.skeleton if isinstance(source, Character) else source
        azimuth = azimuth_before(skeleton if isinstance(skeleton, Skeleton) else None)
    azimuth, elevation = check_direction("sketch", azimuth, elevation)
    surface = _surface(source, positions, pose, morphs, heat, heat_maximum)
    surface = surface.thinned(max(MOST_TRIANGLES, width * height))
    points = surface.positions if len(surface.positions) else np.array(EMPTY_BOX)
    triangles = np.asarray(surface.triangles, np.intp)
    # For a thinned surface, frame one corner of each triangle: its corners are close together.
    framed = points if surface.every == 1 else points[triangles[:, 0]]
    camera = camera or Camera.framing(framed, width / height, azimuth=azimuth, elevation=elevation)
    low = float(points[:, 1].min())
    if ground_height is not None:
        low = check_number(ground_height, "sketch: ground_height", largest=LARGEST)
    reach = 0.5 * float(np.linalg.norm(np.ptp(points, axis=0))) or 0.5
    to_key, background = key_direction(camera), np.array(BACKGROUND)
    if ground and camera.eye[1] > low:
        casters = points, triangles[casts(surface)], surface.every
        background_pixels = drawn_ground(*casters, low, reach, camera, to_key, background, (width, height))
    else:
        background_pixels = np.broadcast_to(encoded(background), (height, width, 3))
    fine = FINE * width, FINE * height
    return Picture(_composited(background_pixels, *drawn(surface, camera, to_key, (low, reach), fine)))


def _composited(
    background: NDArray[np.uint8],
    pixel: NDArray[np.intp],
    color: NDArray[Any],
    cover: NDArray[np.float32] | None,
) -> NDArray[np.uint8]:
    """Return a background with supersampled pixels over it, averaged."""
    height, width, _ = background.shape
    fine_width = FINE * width
    coarse = pixel // fine_width // FINE * width + pixel % fine_width // FINE
    count = np.bincount(coarse, cover, minlength=width * height).reshape(height, width, 1)
    sums = [np.bincount(coarse, color[:, i], minlength=width * height) for i in range(3)]
    mixed = np.stack(sums, axis=-1).reshape(background.shape) + (FINE**2 - count) * background
    return np.rint(mixed / FINE**2).astype(np.uint8)


def _surface(
    source: Source,
    positions: ArrayLike | None,
    pose: ArrayLike | None,
    morphs: ArrayLike | None,
    heat: ArrayLike | None,
    heat_maximum: float | None,
) -> Surface:
    """Return the triangles to draw."""
    from lissom._sketch.surface import Surface, colors_of

    if not isinstance(source, (Character, Mesh, PreparedMesh, Skeleton)):
        raise TypeError(
            f"sketch: source must be a Character, a Mesh or a Skeleton, got {type(source).__name__}; "
            "lissom.load reads a character from a file"
        )
    if positions is not None and pose is not None:
        raise ValueError("sketch: positions must be omitted where a pose is passed, got both")
    if morphs is not None and (positions is not None or not isinstance(source, Character)):
        raise ValueError("sketch: morphs must be omitted except for a character without positions; deform it")
    mesh = source if isinstance(source, Mesh) else None if isinstance(source, Skeleton) else _mesh(source)
    if mesh is None:
        assert isinstance(source, (Character, Skeleton))
        if heat is not None:
            raise ValueError("sketch: heat must be omitted for joints without a mesh")
        return _bones(source if isinstance(source, Skeleton) else source.skeleton, positions, pose)
    if positions is None and isinstance(source, Character):
        places, normals = _posed(source, pose, morphs)
    elif pose is not None:
        raise ValueError("sketch: pose must be omitted for a mesh without joints; pass positions")
    elif positions is None:
        places, normals = default_shape(mesh)
    else:
        places = _places(positions, mesh.vertex_count)
        normals = mesh.normals_of(places)
    colors, alphas = colors_of(mesh)
    return Surface(
        places.astype(np.float64),
        normals,
        mesh.triangles,
        colors,
        None if heat is None else _heat(heat, heat_maximum, mesh.vertex_count),
        mesh,
        mesh.uvs,
        alphas,
    )


def _mesh(source: Character | PreparedMesh) -> Mesh | None:
    return source._results if isinstance(source, PreparedMesh) else source.mesh


def _posed(
    character: Character, pose: ArrayLike | None, morphs: ArrayLike | None
) -> tuple[NDArray[Any], NDArray[Any]]:
    posed = one_pose(pose, character.skeleton, "sketch: pose")
    # "blended" needs a blend, which may be missing; at this size the difference is not visible.
    method = "linear" if character.method == "blended" and character.blend is None else None
    weights = morphs_of("sketch", character, morphs)
    deformed = character.deform(posed, method, normals=True, morphs=weights)
    return deformed.positions, deformed.normals


def _bones(skeleton: Skeleton, positions: ArrayLike | None, pose: ArrayLike | None) -> Surface:
    from lissom._sketch.surface import Surface
    from lissom._view.bones import COLOR, bone_triangles

    if positions is not None:
        places = _places(positions, len(skeleton))
    else:
        posed = one_pose(pose, skeleton, "sketch: pose").astype(np.float64)
        places = _places(skeleton.positions(posed), len(skeleton))
    vertices = np.zeros((0, 3))
    if len(places):
        vertices = bone_triangles(places, skeleton.parents)[0]
    count = len(vertices)
    colors = np.tile(COLOR[:3], (count, 1))
    return Surface(vertices, np.zeros((count, 3)), np.arange(count).reshape(-1, 3), colors)


def _places(positions: ArrayLike, count: int) -> NDArray[np.float64]:
    places = as_numbers(positions, "sketch: positions").astype(np.float64)
    if places.shape != (count, 3):
        raise ValueError(f"sketch: positions must have shape ({count}, 3), got {places.shape}")
    if not np.isfinite(places).all():
        row = int(np.argwhere(~np.isfinite(places))[0, 0])
        raise ValueError(f"sketch: positions must be finite, got {places[row].tolist()} in row {row}")
    return places


def _heat(heat: ArrayLike, maximum: float | None, count: int) -> NDArray[np.float64]:
    values = as_numbers(heat, "sketch: heat").astype(np.float64)
    if values.shape != (count,):
        raise ValueError(f"sketch: heat must have shape ({count},), got {values.shape}")
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad):
        raise ValueError(
            f"sketch: heat must be finite and at least 0, got {values[bad[0]]} at vertex {bad[0]}"
        )
    top = float(values.max(initial=0))
    if maximum is not None:
        top = check_number(maximum, "sketch: heat_maximum", least=0)
    top = top or 1.0
    return np.asarray(np.minimum(values, top) / top)
