# SPDX-License-Identifier: MIT
"""The triangles to draw, and the colours of their pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from lissom._base.easing import smooth
from lissom._sketch.coverage import Shaded, coverings, layered
from lissom._sketch.light import encoded, lit, tone_mapped
from lissom._sketch.raster import enlarged, nearest
from lissom._view.alpha import HALF
from lissom._view.color import base_colors, srgb_to_linear
from lissom._view.viridis import viridis

if TYPE_CHECKING:
    from lissom._rig.mesh import Mesh
    from lissom._rig.part import Texture
    from lissom._view.camera import Camera

__all__ = ["Surface", "casts", "colors_of", "drawn"]

Floats = NDArray[np.float64]
TEXTURE_SIDE = 512  # pixels: a picture a few hundred pixels wide shows no more
NEAR = 2e-3  # of the camera's distance: near plane, in front of which nothing is drawn


@dataclass(frozen=True)
class Surface:
    """Triangles in world space.

    Attributes
    ----------
    positions : ndarray of float64, shape (V, 3)
    normals : ndarray, shape (V, 3)
        Zeros for missing normals.
    triangles : ndarray of int, shape (T, 3)
    colors : ndarray, shape (V, 3)
        Linear light.
    heat : ndarray, shape (V,), or None
        In [0, 1], drawn by a colour map instead of the colours.
    mesh : Mesh or None
        The mesh, for its textures.
    uvs : ndarray, shape (V, 2), or None
    alphas : ndarray, shape (V,), or None
        Of the vertices and their parts; None where alpha does nothing.
    every : int
        Number of the mesh's triangles that each of the triangles represents; it was their first.
    """

    positions: Floats
    normals: NDArray[Any]
    triangles: NDArray[Any]
    colors: NDArray[Any]
    heat: Floats | None = None
    mesh: Mesh | None = None
    uvs: NDArray[Any] | None = None
    alphas: Floats | None = None
    every: int = 1

    def thinned(self, most: int) -> Surface:
        """Return a surface of about `most` triangles, evenly selected, and their vertices."""
        every = -(-len(self.triangles) // most)
        if every <= 1:
            return self
        triangles = self.triangles[::every]
        used = np.zeros(len(self.positions), bool)
        used[triangles] = True

        def kept(values: Any) -> Any:
            return None if values is None else values[used]

        vertices = map(kept, (self.positions, self.normals, self.colors, self.heat, self.uvs, self.alphas))
        positions, normals, colors, heat, uvs, alphas = vertices
        triangles = (np.cumsum(used) - 1)[triangles]
        return Surface(positions, normals, triangles, colors, heat, self.mesh, uvs, alphas, every)


def colors_of(mesh: Mesh) -> tuple[Floats, Floats | None]:
    """Return the base colours of vertices, linear light, ``(V, 3)``, and alpha if it does something."""
    colors = base_colors(mesh)
    is_covered = any(part.alpha_mode != "opaque" for part in mesh.parts)
    return colors[:, :3], colors[:, 3] if is_covered else None


def drawn(
    surface: Surface,
    camera: Camera,
    to_key: Floats,
    ground: tuple[float, float],
    size: tuple[int, int],
) -> tuple[NDArray[np.intp], NDArray[Any], NDArray[np.float32] | None]:
    """Draw a surface.

    Parameters
    ----------
    to_key : ndarray, shape (3,)
        Unit direction to the key light, world space.
    ground : tuple of float
        World y of the ground, and the height above it from which it does not darken the surface.
    size : tuple of int
        Width and height of the picture.

    Returns
    -------
    pixel, color, cover
        The covered pixels, ``y * width + x`` ``(P,)``; their sRGB colours ``(P, 3)``, times how much of each
        is covered; and that, ``(P,)``, None where all are covered wholly.
    """
    width, height = size
    places, nearness = _projected(surface.positions, camera, width, height)
    inside = np.arange(len(surface.triangles))
    if not nearness.all():
        inside = np.flatnonzero((nearness > 0)[surface.triangles].all(axis=1))
    triangles = np.asarray(surface.triangles[inside], np.intp)
    corners, near = enlarged(places[:, triangles.T], surface.every), nearness[triangles.T]

    def shaded(pixel: NDArray[np.intp], triangle: NDArray[np.intp]) -> Shaded:
        seen = _Seen(pixel, triangles[triangle], inside[triangle] * surface.every)
        shares = _barycentric(corners[:, :, triangle], near[:, triangle], pixel, width)
        return _shaded(surface, seen, shares, camera, to_key, ground)

    covering = coverings(surface, inside)
    if covering is None:
        pixel, winner = nearest(corners, near, width, height)
        return pixel, shaded(pixel, winner).color, None
    return layered(corners, near, size, covering, shaded)


def casts(surface: Surface) -> NDArray[np.bool_]:
    """Return which triangles cast shadows, ``(T,)``: by the alpha at their middle, whole or not at all."""
    every = np.arange(len(surface.triangles))
    covering = coverings(surface, every)
    if covering is None:
        return np.ones(len(every), np.bool_)
    assert surface.alphas is not None

    def middle(values: NDArray[Any]) -> NDArray[np.float32]:
        return np.asarray(values.astype(np.float32)[surface.triangles].mean(axis=1))

    factor = _picture_factors(surface, every * surface.every, middle, "texture")
    least = np.where(covering.blended, HALF, covering.least)
    return ~covering.covered | (middle(surface.alphas) * factor[:, 3] >= least)


class _Seen(NamedTuple):
    """Pixels, the triangle that each shows, by its vertices, and by its number in the mesh."""

    pixel: NDArray[np.intp]
    corners: NDArray[np.intp]
    number: NDArray[np.intp]


def _shaded(
    surface: Surface,
    seen: _Seen,
    shares: NDArray[np.float32],
    camera: Camera,
    to_key: Floats,
    ground: tuple[float, float],
) -> Shaded:
    """Return the colours of pixels, and their alpha."""
    drawn_triangles = seen.corners
    if not len(drawn_triangles):
        return Shaded(np.zeros((0, 3), np.uint8), np.ones(0, np.float32))

    def mixed(values: NDArray[Any]) -> NDArray[np.float32]:
        return np.asarray(np.einsum("pc,pcn->pn", shares, values.astype(np.float32)[drawn_triangles]))

    # Relative to the target, for precision in float32.
    target = np.asarray(camera.target)
    position = mixed((surface.positions - target) / camera.distance)
    to_eye = _unit((camera.eye - target).astype(np.float32) / np.float32(camera.distance) - position)
    normal = _facing(_faces(surface.positions, drawn_triangles), mixed(surface.normals), to_eye)
    height_above = position[:, 1] * camera.distance + (target[1] - ground[0])
    share = np.clip(height_above / ground[1], 0, 1)
    is_open = (0.55 + 0.45 * smooth(share)).astype(np.float32)
    key = to_key.astype(np.float32)
    factor = _picture_factors(surface, seen.number, mixed, "texture")
    alpha = np.ones(len(seen.pixel), np.float32)
    if surface.alphas is not None:
        alpha = mixed(surface.alphas[:, None])[:, 0] * factor[:, 3]
    if surface.heat is not None:
        base = viridis(mixed(surface.heat[:, None])[:, 0]).astype(np.float32)
        grey = np.full_like(base, 0.75)
        return Shaded(tone_mapped(base * (0.55 + 0.45 * lit(grey, normal, to_eye, key, is_open))), alpha)
    base = mixed(surface.colors) * factor[:, :3]
    light = lit(base, normal, to_eye, key, is_open)
    mesh = surface.mesh
    if mesh is None or not any(part.unlit or any(part.emissive) for part in mesh.parts):
        return Shaded(tone_mapped(light), alpha)
    unlit, emissive = _self_light(surface, seen.number, mixed)
    return Shaded(np.where(unlit[:, None], encoded(base), tone_mapped(light + emissive)), alpha)


def _projected(points: Floats, camera: Camera, width: int, height: int) -> tuple[Floats, Floats]:
    """Return points in pixels, ``(2, V)``, and one over the depth, 0 if nearer than `NEAR`."""
    right, up, back = camera.axes
    from_eye = points - camera.eye
    depth = -(from_eye @ back)
    visible = depth > NEAR * camera.distance
    nearness = np.divide(1.0, depth, out=np.zeros_like(depth), where=visible)
    per_slope = height / 2 / np.tan(np.radians(camera.field_of_view) / 2)
    x = width / 2 + per_slope * (from_eye @ right) * nearness
    y = height / 2 - per_slope * (from_eye @ up) * nearness
    return np.stack([x, y]), nearness


def _barycentric(
    corners: Floats, nearness: Floats, pixel: NDArray[np.intp], width: int
) -> NDArray[np.float32]:
    """Return perspective-correct barycentric coordinates of each pixel in its triangle, ``(P, 3)``."""
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    x, y = pixel % width + 0.5 - corners[0, 0], pixel // width + 0.5 - corners[1, 0]
    area = a[0] * b[1] - a[1] * b[0]
    area[area == 0] = np.inf
    second = np.clip((x * b[1] - y * b[0]) / area, 0, 1)
    third = np.clip((a[0] * y - a[1] * x) / area, 0, 1 - second)
    shares = np.stack([1 - second - third, second, third]) * nearness
    return np.asarray((shares / shares.sum(axis=0)).T, np.float32)


def _faces(positions: Floats, triangles: NDArray[np.intp]) -> NDArray[np.float32]:
    a, b, c = (positions[triangles[:, i]] for i in range(3))
    return _unit(np.cross(b - a, c - a)).astype(np.float32)


def _facing(
    face: NDArray[np.float32], normal: NDArray[np.float32], to_eye: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return unit normals on the visible side; face normals where vertex normals are zero."""
    face = face * np.where(np.einsum("ij,ij->i", face, to_eye) < 0, -1, 1).astype(np.float32)[:, None]
    normal = np.where(np.einsum("ij,ij->i", normal, normal)[:, None] > 1e-12, normal, face)
    normal = _unit(normal)
    sign = np.where(np.einsum("ij,ij->i", normal, face) < 0, -1, 1).astype(np.float32)
    return np.asarray(normal * sign[:, None])


def _unit(vectors: NDArray[Any]) -> NDArray[Any]:
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.asarray(np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0))


def _self_light(
    surface: Surface, triangle: NDArray[np.intp], mixed: Any
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Return which pixels are drawn without light, (P,), and what light they emit, (P, 3)."""
    unlit, emissive = np.zeros(len(triangle), np.bool_), np.zeros((len(triangle), 3), np.float32)
    assert surface.mesh is not None
    for part in surface.mesh.parts:
        own = (triangle >= part.triangles.start) & (triangle < part.triangles.stop)
        unlit[own] = part.unlit
        picture = part.emissive_texture
        # What is dark in a picture that cannot be drawn would shine.
        if picture is None or (surface.uvs is not None and _decoded(picture) is not None):
            emissive[own] = part.emissive
    return unlit, emissive * _picture_factors(surface, triangle, mixed, "emissive_texture")[:, :3]


def _picture_factors(
    surface: Surface, triangle: NDArray[np.intp], mixed: Any, name: str
) -> NDArray[np.float32]:
    """Return the factors by a kind of the parts' pictures, (P, 4); 1 where these cannot be decoded."""
    mesh = surface.mesh
    if mesh is None or surface.uvs is None or all(getattr(part, name) is None for part in mesh.parts):
        return np.broadcast_to(np.float32(1), (len(triangle), 4))
    factor = np.ones((len(triangle), 4), np.float32)
    uv = mixed(surface.uvs)
    for part in mesh.parts:
        picture = getattr(part, name)
        image = None if picture is None else _decoded(picture)
        if image is None:
            continue
        own = np.flatnonzero((triangle >= part.triangles.start) & (triangle < part.triangles.stop))
        tall, wide = image.shape[:2]
        with np.errstate(invalid="ignore"):
            at = np.nan_to_num(uv[own] % 1.0)
        column = np.minimum((at[:, 0] * wide).astype(np.intp), wide - 1)
        factor[own] = image[np.minimum((at[:, 1] * tall).astype(np.intp), tall - 1), column]
    return factor


_images: WeakKeyDictionary[Texture, NDArray[np.float32] | None] = WeakKeyDictionary()


def _decoded(texture: Texture) -> NDArray[np.float32] | None:
    """Return a texture in linear light, with alpha, reduced and cached; None where it cannot be decoded."""
    if texture not in _images:
        try:
            _images[texture] = _reduced(texture.decode())
        except (ImportError, OSError, ValueError):
            _images[texture] = None
    return _images[texture]


def _reduced(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return a picture in linear light and alpha, subsampled to at most `TEXTURE_SIDE` pixels per side."""
    step = max(1, -(-max(pixels.shape[:2]) // TEXTURE_SIDE))
    table = srgb_to_linear(np.arange(256) / 255).astype(np.float32)
    few = pixels[::step, ::step]
    return np.concatenate([table[few[..., :3]], few[..., 3:].astype(np.float32) / 255], axis=-1)
