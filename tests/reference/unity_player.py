# SPDX-License-Identifier: MIT
"""What LissomPose.hlsl does with a file of the form "unity", in float64, in Unity's axes.

Its steps are those of the player of the form "godot"; the file is read here by its own layout.
"""

import json

import numpy as np

from reference.godot_player import GodotPlayer

LINEAR, DUAL_QUAT, MATRIX = 0, 1, 2


class UnityPlayer(GodotPlayer):
    """A file: `surfaces` have one entry, of all vertices; `triangles` are those of each look, clockwise."""

    def __init__(self, path):
        data = path.read_bytes()
        assert data[:8] == b"lissom-u"
        start = 12 + int.from_bytes(data[8:12], "little")
        self.header = json.loads(data[12:start])
        assert start % 16 == 0

        def block(name, kind="<f4"):
            told = self.header[name] if isinstance(name, str) else name
            return np.frombuffer(data[start + told["offset"] :][: told["bytes"]], kind)

        header = self.header
        self.row_count, self.texel_count, kind = header["rows"], header["texels"], header["kind"]
        self.by_matrix, self.dual = kind == MATRIX, kind == DUAL_QUAT
        self.raw = block("poses", "<f2" if header["half"] else "<f4").reshape(header["lines"], 2048, 4)
        self.texels = self.raw.astype(np.float64).reshape(-1, 4)
        self.clips = np.array(
            [[clip[key] for key in ("first", "intervals", "duration", "loop")] for clip in header["clips"]],
            np.float32,
        ).astype(np.float64)
        count = header["vertices"]
        places, self.normals = (block(key).reshape(count, 3) for key in ("positions", "normals"))
        self.packed, self.first, self.more = (
            block(key).reshape(count, -1) for key in ("influenceRows", "weights", "more")
        )
        packed = self.packed.astype(int)
        rows, weights = np.concatenate([packed & 4095, packed >> 12], axis=1), self.first
        rows = rows[:, : 8 if self.more.size else 4]
        if self.more.size:
            weights = np.concatenate([weights, self.more], axis=1)
        self.uvs, self.colors = block("uvs").reshape(count, 2), block("colors").reshape(count, 4)
        indices = block("triangles", "<i4")
        self.triangles = [
            indices[look["firstIndex"] : look["firstIndex"] + look["indices"]].reshape(-1, 3)
            for look in header["looks"]
        ]
        self.pictures = [block(told, np.uint8).tobytes() for told in header["pictures"]]
        self.surfaces = [(places.astype(np.float64), None, rows, weights.astype(np.float64))]
