# SPDX-License-Identifier: MIT
"""Inputs of the command for tests, and checks of its outputs."""

import json
from pathlib import Path

TUBE = "sample:two_bone_tube"  # the smallest sample
BAR = "sample:twisted_bar"


def is_png(path: Path) -> bool:
    return path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def words(text: str) -> str:
    """Return the text in a frame of lines and corners as one line."""
    return " ".join("".join(c for c in text if c not in "╭╮╰╯│─").split())


def recording(path: Path) -> Path:
    """Write a short BVH file."""
    path.write_text(
        "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n9 0 0\n"
    )
    return path


def job_file(folder: Path, text: str) -> Path:
    """Write a job file into a folder."""
    path = folder / "job.toml"
    path.write_text(text)
    return path


def noted_file(folder: Path) -> Path:
    """Write a sound file with a camera, which is left out and noted."""
    path = folder / "camera.gltf"
    camera = {"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1}}
    nodes = [{"name": "eye", "camera": 0}]
    path.write_text(json.dumps({"asset": {"version": "2.0"}, "cameras": [camera], "nodes": nodes}))
    return path
