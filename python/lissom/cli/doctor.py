# SPDX-License-Identifier: MIT
"""The work of ``lissom doctor``: check what is installed, and whether drawing works."""

from __future__ import annotations

from typing import Any, cast

from lissom._base.config import show_config
from lissom._base.extras import EXTRA_OF, how_to_install
from lissom.cli import output

__all__ = ["doctor"]


def doctor(as_json: bool) -> bool:
    """Write the findings, and return whether everything that is installed works."""
    config = show_config("dicts")
    drawing = _drawing()
    if as_json:
        output.write_json({**config, "drawing": drawing})
    else:
        _write(config, drawing)
    return bool(drawing["state"] != "broken")


def _drawing() -> dict[str, Any]:
    """Create an OpenGL context, which alone shows whether drawing works, and return its limits."""
    try:
        from lissom.gpu import Stage

        with Stage(64, 64, samples=0) as stage, stage.context as gl:
            limits = gl.info
            return {
                "state": "ok",
                "renderer": limits["GL_RENDERER"],
                "version": limits["GL_VERSION"],
                "max_texture_size": limits["GL_MAX_TEXTURE_SIZE"],
                "max_texture_units": limits["GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS"],
                "uniform_registers": stage.context.uniform_registers,
            }
    except ImportError as error:
        return {"state": "not installed", "advice": str(error)}
    except RuntimeError as error:
        return {"state": "broken", "advice": str(error)}


def _uniforms(registers: int) -> str:
    """Return a sentence on how many joints fit into uniform arrays, for authors of other shaders."""
    from lissom.gpu._budget import uniform_budget

    joints = uniform_budget(registers).joints
    return (
        f"{registers} uniform registers: {joints['matrix']} joints as matrices, {joints['dual_quat']} as "
        "dual quaternions (lissom's palettes are textures, which have no such limit)"
    )


def _write(config: dict[str, object], drawing: dict[str, Any]) -> None:
    console = output.stdout()
    good, bad = ("ok      ", "green"), ("missing ", "yellow")
    console.print(
        output.Line.assemble(
            good, f"lissom {config['lissom']} on Python {config['python']}, {config['platform']}"
        )
    )
    sets = cast("list[str]", config["instruction_sets"])
    line = f"instruction set {config['instruction_set']} (this machine runs {', '.join(sets)})"
    console.print(output.Line.assemble(good, f"{line}, {config['threads']} threads"))
    for name, version in cast("dict[str, str | None]", config["packages"]).items():
        if version is not None:
            console.print(output.Line.assemble(good, f"{name} {version}"))
        else:
            console.print(output.Line.assemble(bad, f"{name}: {how_to_install(EXTRA_OF[name])}"))
    if drawing["state"] == "ok":
        limit = (
            f"textures to {drawing['max_texture_size']}, {drawing['max_texture_units']} in a vertex shader"
        )
        console.print(
            output.Line.assemble(
                good, f"drawing on {drawing['renderer']}: OpenGL {drawing['version']}, {limit}"
            )
        )
        console.print(output.Line.assemble(good, _uniforms(drawing["uniform_registers"])))
    else:
        word = bad if drawing["state"] == "not installed" else ("broken  ", "red")
        console.print(output.Line.assemble(word, f"drawing: {drawing['advice']}"), soft_wrap=True)
