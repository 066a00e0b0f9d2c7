# SPDX-License-Identifier: MIT
"""How many joints fit into a shader's uniform registers, by palette layout. Needs no OpenGL."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from lissom._base.numbers import whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FLOATS_PER_JOINT", "GL33_REGISTERS", "UniformBudget", "uniform_budget"]

#: Registers of four floats that OpenGL 3.3 guarantees a vertex shader: 1024 components.
GL33_REGISTERS = 256

#: Floats per joint, by layout. All but the last are whole registers.
FLOATS_PER_JOINT: Mapping[str, int] = MappingProxyType(
    {
        "matrix": 16,  # mat4
        "matrix_3x4": 12,  # its last row is 0, 0, 0, 1
        "dual_quat": 8,
        "quat_trans": 8,  # a quaternion, a translation and one unused float
        "quat_trans_packed": 7,  # without the unused one: joints straddle registers
    }
)


@dataclass(frozen=True)
class UniformBudget:
    """How many joints fit into registers, by palette layout.

    Attributes
    ----------
    registers : int
        Registers of four floats that a vertex shader has.
    reserved : int
        Registers taken by other uniforms.
    copies : int
        Arrays per joint: 1 for skin transforms, 2 for pose and inverse bind.
    joints : mapping of str to int
        By layout: ``"matrix"``, ``"matrix_3x4"``, ``"dual_quat"``, ``"quat_trans"``, ``"quat_trans_packed"``.

    Examples
    --------
    >>> budget = lissom.gpu.uniform_budget(1024)
    >>> budget.joints["matrix"], budget.joints["dual_quat"]
    (255, 510)
    """

    registers: int
    reserved: int
    copies: int
    joints: Mapping[str, int]

    def __str__(self) -> str:
        lines = [
            f"{self.registers} registers, {self.reserved} reserved",
            f"{'palette':<20}{'registers per joint':>20}{'joints':>8}",
        ]
        for layout, count in self.joints.items():
            per_joint = self.copies * FLOATS_PER_JOINT[layout] / 4
            lines.append(f"{layout:<20}{per_joint:>20g}{count:>8}")
        return "\n".join(lines)


def uniform_budget(registers: int = GL33_REGISTERS, reserved: int = 4, *, copies: int = 1) -> UniformBudget:
    """Count the joints that fit into a vertex shader's uniform registers.

    lissom's own shaders read palettes from textures and have no such limit; this is for other shaders.

    Parameters
    ----------
    registers : int
        Registers of four floats. OpenGL 3.3 and ES 3.0 guarantee 256, Stage3D had 128; ``lissom doctor``
        prints the number of this machine's driver.
    reserved : int
        Taken by other uniforms; 4 is one matrix, clip from model.
    copies : int
        2 if the shader takes pose and inverse bind and multiplies them itself; 1 for skin transforms.

    Returns
    -------
    UniformBudget
        Prints as a table.

    Raises
    ------
    TypeError
        If an argument is not a whole number.
    ValueError
        If one is negative, `copies` is 0, or `reserved` is above `registers`.

    Examples
    --------
    >>> print(uniform_budget(128))
    128 registers, 4 reserved
    palette              registers per joint  joints
    matrix                                 4      31
    matrix_3x4                             3      41
    dual_quat                              2      62
    quat_trans                             2      62
    quat_trans_packed                   1.75      70
    """
    registers = whole_number(registers, "uniform_budget: registers")
    reserved = whole_number(reserved, "uniform_budget: reserved")
    copies = whole_number(copies, "uniform_budget: copies", least=1)
    if reserved > registers:
        raise ValueError(
            f"uniform_budget: reserved must be at most the number of registers, {registers}, got {reserved}"
        )
    free = 4 * (registers - reserved)
    joints = {layout: free // (copies * floats) for layout, floats in FLOATS_PER_JOINT.items()}
    return UniformBudget(registers, reserved, copies, MappingProxyType(joints))
