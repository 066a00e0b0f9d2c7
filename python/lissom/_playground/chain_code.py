# SPDX-License-Identifier: MIT
"""Python code that repeats a solve."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom.ik._chain import Chain
from lissom.ik._limits import BallSocket, Hinge, Limit, SwingTwist

if TYPE_CHECKING:
    from lissom._character.character import Character

MAKERS = ("humanoid", "twisted_bar", "two_bone_tube")  # of lissom.samples, without arguments


def solve_code(
    character: Character,
    source: str | None,
    chains: Sequence[Chain],
    solver: str,
    pose: NDArray[Any],
    start: NDArray[Any] | None,
    targets: NDArray[Any],
    options: Mapping[str, Any],
    orientations: NDArray[Any] | None = None,
) -> str:
    """Return the whole text: imports, character, pose, chains with limits, targets, the call.

    `source` is the path of the character's file where that is known; `start` the pose that the solver
    continued from, None for `pose` itself; `options` are keywords of the call.
    """
    lines = [_character_line(character, source), *_pose_lines(character, pose)]
    chain_calls = [_chain_call(chain, character) for chain in chains]
    name = "chain" if len(chains) == 1 else "chains"
    if len(chains) == 1:
        lines.append(f"chain = {chain_calls[0]}")
    else:
        lines += ["chains = [", *(f"    {call}," for call in chain_calls), "]"]
    lines.append(f"targets = {numbers(targets)}  # model space")
    arguments = [name, "pose", "targets"]
    if orientations is not None:
        lines.append(f"orientations = {numbers(orientations)}  # x, y, z, w; model space")
        arguments.append("orientations")
    if start is not None:
        lines.append(
            "start = pose.copy()  # the solver continued from this; it may find another pose without"
        )
        lines += _edits("start", character, pose, start)
        arguments.append("start=start")
    for option, value in options.items():
        arguments.append(f"{option}={numbers(value) if isinstance(value, np.ndarray) else repr(value)}")
    lines += [f"done = ik.{solver}({', '.join(arguments)})", "print(done)", "pose = done.pose"]
    imports = ["import lissom", "from lissom import ik"]
    if any("np." in line for line in lines):
        imports = ["import numpy as np", "", *imports]
    return "\n".join([*imports, "", *lines, ""])


def _character_line(character: Character, source: str | None) -> str:
    """Return the line that makes the character: from a file, a sample, or a file for the reader to name."""
    from lissom import samples

    if source is not None:
        return f"hero = lissom.load({_quoted(source)})"
    for maker in MAKERS:
        if getattr(samples, maker)() is character:
            return f"hero = lissom.samples.{maker}()"
    return f'hero = lissom.load("hero.glb")  # replace by the path of the file of {_quoted(character.name)}'


def _pose_lines(character: Character, pose: NDArray[Any]) -> list[str]:
    """Return the lines that make the pose: the rest pose, the start of a clip, or edits of the rest pose."""
    rest = character.skeleton.rest
    if pose.dtype == rest.dtype:
        if np.array_equal(pose, rest):
            return ["pose = hero.skeleton.rest"]
        for clip in character.clips.values():
            if np.array_equal(clip.at(0.0), pose):
                return [f"pose = hero.clips[{_quoted(clip.name)}].at(0.0)"]
        return ["pose = hero.skeleton.rest.copy()", *_edits("pose", character, rest, pose)]
    start = rest.astype(pose.dtype)
    return [f"pose = hero.skeleton.rest.astype(np.{pose.dtype})", *_edits("pose", character, start, pose)]


def _edits(name: str, character: Character, before: NDArray[Any], after: NDArray[Any]) -> list[str]:
    """Return the lines that make the pose `name`, equal to `before`, equal to `after`."""
    names = character.skeleton.names
    lines = []
    for part, first, last in (("translation", 0, 3), ("rotation", 3, 7), ("scale", 7, 10)):
        joints = np.flatnonzero((before[:, first:last] != after[:, first:last]).any(axis=1)).tolist()
        if joints:
            lines += [
                f"for joint, {part} in {{",
                *(f"    {_quoted(names[joint])}: {numbers(after[joint, first:last])}," for joint in joints),
                "}.items():",
                f"    {name}[hero.skeleton.index(joint), {first}:{last}] = {part}",
            ]
    return lines


def _chain_call(chain: Chain, character: Character) -> str:
    """Return the expression that makes a chain, with its limits as they were passed."""
    names = chain.skeleton.names
    more = ""
    if chain._given:
        resolved = dict(zip(chain.joints.tolist(), chain.limits, strict=True))
        by_joint = {chain.skeleton.index(joint): limit for joint, limit in chain._given.items()}
        items = [
            f"{_quoted(names[joint])}: {_limit_call(limit, resolved[joint], character)}"
            for joint, limit in by_joint.items()
        ]
        more += f", limits={{{', '.join(items)}}}"
    if chain.fixed:
        more += f", fixed=[{', '.join(_quoted(names[joint]) for joint in chain.fixed)}]"
    if chain._bend_axis is not None:
        more += f", bend_axis={chain._bend_axis}"
    return f"ik.Chain(hero.skeleton, {_quoted(chain.names[0])}, {_quoted(chain.names[-1])}{more})"


def _limit_call(limit: Limit, resolved: Limit | None, character: Character) -> str:
    if isinstance(limit, Hinge):
        from_clip = ""
        if limit.axis is None and limit.clip is not None:
            if character.clips.get(limit.clip.name) is not limit.clip:
                assert isinstance(resolved, Hinge)
                return f"ik.Hinge({resolved.axis}, {resolved.low}, {resolved.high})"
            from_clip = f", clip=hero.clips[{_quoted(limit.clip.name)}]"
        zero = "" if limit.zero == "rest" else f", zero={_quoted(limit.zero)}"
        if limit.axis is None:
            return f"ik.Hinge.from_rest({limit.low}, {limit.high}{zero}{from_clip})"
        return f"ik.Hinge({limit.axis}, {limit.low}, {limit.high}{zero})"
    first = limit.half_angle if isinstance(limit, BallSocket) else limit.half_angles
    more = "" if limit.twist is None else f", twist={limit.twist}"
    if isinstance(limit, SwingTwist):
        more += "".join(
            f", {name}={value}" for name in ("axis", "across") if (value := getattr(limit, name)) is not None
        )
    return f"ik.{type(limit).__name__}({first}{more})"


def numbers(array: NDArray[Any]) -> str:
    """Return an array as nested lists, each number with the fewest digits that restore it to the bit."""
    if array.ndim:
        return "[" + ", ".join(map(numbers, array)) + "]"
    number: Any = array[()]
    return "np.nan" if np.isnan(number) else np.format_float_positional(number, unique=True, trim="0")


def _quoted(text: str) -> str:
    """Return a string as a Python literal, in double quotes where nothing has to be escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    return quoted if "\\" not in quoted else repr(text)
