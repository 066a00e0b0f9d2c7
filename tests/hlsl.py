# SPDX-License-Identifier: MIT
"""HLSL as GLSL, by glslang and SPIRV-Cross: what a shader for another engine computes, on a GPU of ours."""

import shutil
import subprocess

import pytest

TOOLS = {"glslangValidator": "glslang-tools", "spirv-cross": "spirv-cross"}
"""Commands, and the packages of Debian that have them."""

MISSING = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
needs_hlsl = pytest.mark.skipif(
    bool(MISSING),
    reason=f"HLSL is compiled with {' and '.join(MISSING)}, which are not here; make installs them",
)


def vertex_shader(text, folder, include):
    """GLSL 3.30 of a vertex shader in HLSL, whose function is main, that includes files of a folder."""
    source, words = folder / "shader.hlsl", folder / "shader.spv"
    source.write_text(text)
    compiled = subprocess.run(
        [
            "glslangValidator", "-D", "-V", "-e", "main", "-S", "vert", f"-I{include}", "--auto-map-bindings",
            "--auto-map-locations", "-o", words, source,
        ],
        capture_output=True, text=True,
    )  # fmt: skip
    assert compiled.returncode == 0, compiled.stdout
    command = ["spirv-cross", "--version", "330", "--no-es", "--no-420pack-extension", words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
