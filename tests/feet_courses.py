# SPDX-License-Identifier: MIT
"""Stairs and slopes that characters walk over, and the figures that each must keep."""

from feet_grounds import Slope, Stair

PENETRATION, HOVER, ACCELERATION = 0.0025, 0.005, 1.5
REAL = {
    ("quaternius/mech_pack/George.glb", "Walk"): ["stair up", "stair down", "slope up", "slope down"],
    ("quaternius/single_knight_pack/KnightCharacter.glb", "HumanArmature|Walking"): [
        *("stair up", "stair down", "slope up", "slope down")
    ],
    ("kaykit/Knight.glb", "Walking_A"): ["stair down", "slope up", "slope down"],
    ("kaykit/Barbarian.glb", "Walking_A"): ["stair up", "stair down", "slope up", "slope down"],
    ("godot/player.glb", "walk"): ["slope up", "slope down"],
    ("quaternius/easy_enemies_pack/Spider.glb", "SpiderArmature|Spider_Walk"): [
        "stair up",
        "slope up",
        "slope down",
    ],
}
COURSES = {
    "stair up": lambda length: Stair(0.15 * length, 0.42 * length, 0.5 * length),
    "stair down": lambda length: Stair(-0.15 * length, 0.42 * length, 0.5 * length),
    "slope up": lambda length: Slope(15, 0.5 * length, 3 * length),
    "slope down": lambda length: Slope(-15, 0.5 * length, 3 * length),
}
