# SPDX-License-Identifier: MIT
"""Faults as people make them, planted into sound exports of OpenVAT's form.

Each kind leaves on disk what someone with this fault has. `PLANTED` names them as the judge should.
"""

import json
import shutil

import numpy as np
import OpenEXR

import lissom
from lissom._export.glb_vertices import read_vertices
from lissom._export.still_glb import still_glb
from lissom.skinning import skin_linear


class VatFolder:
    """An OpenVAT folder of one clip whose numbers can be changed, by another library of pictures."""

    def __init__(self, folder):
        (self.folder,) = (path for path in folder.iterdir() if path.is_dir())
        (self.table,) = self.folder.glob("*-remap_info.json")
        (self.texture,) = self.folder.glob("*_vat.exr")
        (self.model,) = self.folder.glob("*.glb")
        self.told = json.loads(self.table.read_text())
        self.pixels = np.array(OpenEXR.File(str(self.texture)).channels()["RGB"].pixels)

    def write(self):
        header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
        OpenEXR.File(header, {"RGB": np.ascontiguousarray(self.pixels)}).write(str(self.texture))
        self.table.write_text(json.dumps(self.told))


class Subject:
    """A character and one of its clips, its bake, and a sound export, made once."""

    def __init__(self, character, clip, folder):
        self.character, self.clip, self.folder = character, clip, folder
        self.bake = lissom.bake(character, clip, rate=30, method="linear")
        self.vertices = lissom.VertexAnimation.of_bake(self.bake)
        self.sound = folder / "sound"
        self.bake.export("openvat", self.sound, name=f"x_{clip}")

    def changed(self, change, rng):
        """A copy of the sound export with changed files."""
        target = self.folder / "planted"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.sound, target)
        vat = VatFolder(target)
        change(vat, rng)
        vat.write()
        return self.character, target

    def moved(self, positions, frames=slice(None)):
        """An export of other vertices, or of fewer frames."""
        found, target = self.vertices.clips[self.clip], self.folder / "planted"
        kept = positions[frames]
        clip = lissom.VertexClip(0, len(kept), found.rate, found.loop, found.start)
        lissom.VertexAnimation(self.bake.mesh, kept, {self.clip: clip}).export("openvat", target)
        return self.character, target


def row_off_by_one(subject, rng):
    shift = int(rng.choice([-1, 1]))
    return subject.changed(lambda vat, rng: setattr(vat, "pixels", np.roll(vat.pixels, shift, axis=0)), rng)


def clamped_range(subject, rng):
    return subject.changed(lambda vat, rng: setattr(vat, "pixels", np.clip(vat.pixels, 0.25, 0.75)), rng)


def frame_count(subject, rng):
    """The number of frames is that of another clip: players leave some out."""

    def change(vat, rng):
        vat.told["os-remap"]["Frames"] -= int(rng.integers(2, 6))

    return subject.changed(change, rng)


def missing_last_frame(subject, rng):
    """The range of the render ends one frame early."""
    return subject.moved(subject.vertices.positions, slice(0, -1))


def gamma(subject, rng):
    """The picture was saved with a view transform for screens."""

    def change(vat, rng):
        linear = vat.pixels.astype(np.float64)
        high = 1.055 * np.maximum(linear, 0) ** (1 / 2.4) - 0.055
        vat.pixels = np.where(linear <= 0.0031308, 12.92 * linear, high).astype(vat.pixels.dtype)

    return subject.changed(change, rng)


def flipped_v(subject, rng):
    return subject.changed(lambda vat, rng: setattr(vat, "pixels", vat.pixels[::-1]), rng)


def axes(subject, rng):
    """Offsets in other axes than the mesh: two are swapped, one turned round."""
    order = [[1, 0, 2], [0, 2, 1], [2, 1, 0]][rng.integers(3)]
    signs = np.float32([[1, 1, 1], [1, 1, -1], [-1, 1, 1]][rng.integers(3)])
    rest = subject.bake.mesh.positions
    return subject.moved(rest + (subject.vertices.positions - rest)[..., order] * signs)


def wrong_bind(subject, rng):
    """The mesh was exported in a pose."""

    def change(vat, rng):
        mesh, uvs = read_vertices(vat.model)
        posed = subject.vertices.positions[len(subject.vertices.positions) // 3]
        vat.model.write_bytes(still_glb("x", lissom.Mesh(posed, mesh.triangles), uvs))

    return subject.changed(change, rng)


def lost_joint(subject, rng):
    """One joint, which moves, was not in the armature that was baked."""
    mesh, clip = subject.bake.mesh, subject.bake.clips[subject.clip]
    times = clip.start + np.arange(clip.frame_count) / clip.rate
    palettes = np.array(subject.bake.sample(subject.clip, times, loop=False).matrices)
    whole = skin_linear(mesh, palettes)
    heaviest = mesh.indices[range(mesh.vertex_count), mesh.weights.argmax(axis=1)]
    rows, counts = np.unique(heaviest, return_counts=True)
    for row in rng.permutation(rows[counts >= max(8, 0.01 * mesh.vertex_count)]):
        lost = palettes.copy()
        lost[:, row] = np.eye(4)
        positions = skin_linear(mesh, lost)
        gaps = positions - whole
        if np.linalg.norm(gaps - gaps[0], axis=-1).max() > 0.03 * subject.bake.size:
            return subject.moved(positions)
    raise AssertionError("no joint moves")


def far_from_origin(subject, rng):
    """Positions some 150 times the size away, in halves."""
    found, target = subject.vertices, subject.folder / "planted"
    away = np.float32([150 * subject.bake.size, 0, 0])
    source = lissom.VertexAnimation(found.mesh, found.positions + away, dict(found.clips))
    source.export("vertices", target, dtype="float16")
    return source, target


def handedness(subject, rng):
    """Everything mirrored, as between left-handed and right-handed engines."""
    mesh, found = subject.bake.mesh, subject.vertices
    mirror = np.float32([-1, 1, 1])
    other = lissom.VertexAnimation(
        lissom.Mesh(mesh.positions * mirror, mesh.triangles), found.positions * mirror, dict(found.clips)
    )
    other.export("vertices", subject.folder / "planted")
    return subject.character, subject.folder / "planted"


def units(subject, rng):
    mesh, found = subject.bake.mesh, subject.vertices
    large = lissom.VertexAnimation(
        lissom.Mesh(100 * mesh.positions, mesh.triangles), 100 * found.positions, dict(found.clips)
    )
    large.export("vertices", subject.folder / "planted")
    return subject.character, subject.folder / "planted"


def column_off_by_one(subject, rng):
    return subject.changed(lambda vat, rng: setattr(vat, "pixels", np.roll(vat.pixels, 1, axis=1)), rng)


def root_motion(subject, rng):
    """A walk across the room, judged against a clip in place."""
    count = len(subject.vertices.positions)
    way = np.linspace(0, 2 * subject.bake.size, count)[:, None, None] * np.float32([0, 0, 1])
    return subject.moved(subject.vertices.positions + way.astype(np.float32))


def wrong_clip(subject, rng):
    """Frames of another clip of the character, under this one's name."""
    name = next((name for name in subject.character.clips if name != subject.clip), None)
    clip = subject.vertices.clips[subject.clip]
    other = subject.character.clips[name]
    times = np.minimum(other.start + np.arange(clip.frame_count) / clip.rate, other.end)
    weights = other.morphs(times, loop=False) if other.morph_names else None
    frames = subject.character.deform(other.sample(times, loop=False), morphs=weights)
    return subject.moved(frames)


PLANTED = {
    "row_off_by_one": row_off_by_one,
    "axes": axes,
    "clamped_range": clamped_range,
    "frame_count": frame_count,
    "missing_last_frame": missing_last_frame,
    "gamma": gamma,
    "flipped_v": flipped_v,
    "far_from_origin": far_from_origin,
    "wrong_bind": wrong_bind,
    "lost_joint": lost_joint,
}

MORE = {
    "handedness": handedness,
    "units": units,
    "column_off_by_one": column_off_by_one,
    "root_motion": root_motion,
    "wrong_clip": wrong_clip,
}
"""Kinds that are looked for as well, tried on fewer characters."""
