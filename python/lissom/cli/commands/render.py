# SPDX-License-Identifier: MIT
"""The options of ``lissom render``; `lissom.cli.render` and `lissom.cli.render_walk` do the work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom._base.methods import METHODS
from lissom._base.names import either
from lissom._formats.films.forms import CODEC_NAMES, MOVING
from lissom._formats.picture_files import PICTURES, STILLS
from lissom.cli.options import Blend, EqualSize, Morphs, Without, full_sources, one_of

__all__ = ["render"]

GROUNDS = ("uneven", "stair", "slope", "rubble")
FILMS, WALKING = "Films", "Walking"  # headings in --help
MOTION_SUFFIX = ".glb"  # for walks alone


def _picture_or_film(path: Path) -> Path:
    if path.suffix.lower() not in (*STILLS, *MOVING, MOTION_SUFFIX):
        raise typer.BadParameter(
            f"must end in {either(PICTURES)}, for a film in {', '.join(MOVING)}, or for a walk in "
            f"{MOTION_SUFFIX}, got {path.name!r}"
        )
    return path


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        callback=full_sources,
        help="A .glb, .gltf, .vrm or .bvh file, or a sample; several are drawn side by side.",
    ),
]
ClipNames = Annotated[
    list[str] | None,
    typer.Option(
        "--clip",
        metavar="NAME",
        help="Draw this clip: a film of it, or a moment (default: the rest pose). Case is ignored; a prefix "
        "such as Armature| may be omitted. Of several files all have it, or repeat it, once for each.",
    ),
]
Time = Annotated[
    float | None,
    typer.Option(
        "--time",
        metavar="SECONDS",
        help="Time in the clip (default: a film shows all of it, a picture its middle). Outside the clip, a "
        "loop wraps and others hold their first or last pose.",
    ),
]


def render(
    files: Files,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            callback=_picture_or_film,
            help=f"The file to write: a picture, {either(STILLS)}, and .webp where nothing moves; a film, "
            f"{', '.join(MOVING)}, where --clip without --time, or --turn, lets something move; of a walk "
            "stills, a film, or the motion (.glb). Its folder is created if missing.",
        ),
    ],
    clip: ClipNames = None,
    time: Time = None,
    morph: Morphs = None,
    without: Without = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="METHOD",
            callback=one_of(METHODS),
            help=f"Skinning method: {either(METHODS)}.",
        ),
    ] = METHODS[0],
    blend: Blend = None,
    width: Annotated[
        int | None,
        typer.Option(
            "--width", min=16, max=8192, help="Width in pixels (default: 960; walk: 720; of a moment 200)."
        ),
    ] = None,
    height: Annotated[
        int | None,
        typer.Option(
            "--height",
            min=16,
            max=8192,
            help="Height in pixels (default: 540; walk: 400; moment: 200, on a sheet 128).",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            "--rate",
            min=1.0,
            max=240.0,
            help="Pictures per second (default: 30; walk: 15).",
            rich_help_panel=FILMS,
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            min=0.01,
            max=3600.0,
            help="Length; a loop is repeated (default: of the clip; 4 for a turn; walk: all of the ground).",
            rich_help_panel=FILMS,
        ),
    ] = None,
    turn: Annotated[
        float | None,
        typer.Option(
            "--turn",
            metavar="TURNS",
            help="Let the camera go around the character so often: 1 for a turntable.",
            rich_help_panel=FILMS,
        ),
    ] = None,
    moments: Annotated[
        int | None,
        typer.Option(
            "--moments",
            min=1,
            max=100,
            help="Draw so many moments beside each other, as one picture.",
            rich_help_panel=FILMS,
        ),
    ] = None,
    sheet: Annotated[
        bool,
        typer.Option(
            "--sheet",
            help="Draw moments of all clips, with their names, as one picture.",
            rich_help_panel=FILMS,
        ),
    ] = False,
    codec: Annotated[
        str | None,
        typer.Option(
            "--codec",
            metavar="|".join(CODEC_NAMES),
            callback=one_of(CODEC_NAMES),
            help="Of a video (default: vp9). h264 plays everywhere; its encoder is under the GPL.",
            rich_help_panel=FILMS,
        ),
    ] = None,
    equal_size: EqualSize = False,
    transparent: Annotated[
        bool,
        typer.Option("--transparent", help="Draw no background: for all but .jpg and videos."),
    ] = False,
    walk_on: Annotated[
        str | None,
        typer.Option(
            "--walk-on",
            metavar="GROUND",
            callback=one_of(GROUNDS),
            help=f"Draw a walk over {either(GROUNDS)}, with the feet placed on it.",
            rich_help_panel=WALKING,
        ),
    ] = None,
    ramp: Annotated[
        bool,
        typer.Option(
            "--ramp",
            help="Let the body follow a smooth ramp over the ground, as in games that collide with one.",
            rich_help_panel=WALKING,
        ),
    ] = False,
    both: Annotated[
        bool,
        typer.Option(
            "--both/--no-both", help="Draw the walk without foot placement, too.", rich_help_panel=WALKING
        ),
    ] = True,
    speed: Annotated[
        float | None,
        typer.Option(
            "--speed",
            help="Model units per second (default: from root motion or foot contacts).",
            rich_help_panel=WALKING,
        ),
    ] = None,
    leg: Annotated[
        list[str] | None,
        typer.Option(
            "--leg",
            metavar="HIP,KNEE,ANKLE[,TOE]",
            help="The joints of a leg; repeat for each leg (default: found by names and shape).",
            rich_help_panel=WALKING,
        ),
    ] = None,
) -> None:
    """Draw a character, or several: a picture, a film of a clip, a turntable, or all clips on a sheet.

    With --walk-on, a walk over uneven ground, with and without foot placement.
    """
    clips = clip or []
    if len(files) == 1:
        if len(clips) > 1:
            raise typer.BadParameter("must be given once for one file", param_hint="'--clip'")
        if equal_size:
            raise typer.BadParameter("needs several files", param_hint="'--equal-size'")
    elif walk_on is not None:
        raise typer.BadParameter("needs a single file", param_hint="'--walk-on'")
    if walk_on is None:
        from lissom.cli.render import Options, render

        walk_options = {"--ramp": ramp or None, "--speed": speed, "--leg": leg}
        if output.suffix.lower() == MOTION_SUFFIX:
            raise typer.BadParameter("must end in .glb for a walk alone", param_hint="'-o'")
        options = Options(
            clips[0] if clips else None,
            time,
            rate,
            seconds,
            turn,
            moments,
            sheet,
            transparent,
            codec,
            tuple(morph or ()),
            tuple(without or ()),
            method,
            blend,
            width,
            height,
        )
        given_of_walk = [name for name, value in walk_options.items() if value is not None]
        if len(files) == 1:
            render(files[0], output, options, given_of_walk)
            return
        from lissom.cli.render_several import render_several

        render_several(files, output, options, clips, given_of_walk, equal_size=equal_size)
        return
    from lissom.cli import output as messages
    from lissom.cli import render_walk

    for option, given in (
        ("--morph", morph),
        ("--turn", turn is not None),
        ("--moments", moments),
        ("--sheet", sheet),
        ("--codec", codec),
        ("--transparent", transparent),
    ):
        if given:
            messages.misuse(option, "must be left out for a walk")
    walk = render_walk.Options(
        walk_on,
        ramp,
        clips[0] if clips else None,
        speed,
        tuple(leg or ()),
        both,
        rate or 15.0,
        seconds,
        tuple(without or ()),
        method,
        blend,
        width or 720,
        height or 400,
    )
    render_walk.render_walk(files[0], output, walk, time)
