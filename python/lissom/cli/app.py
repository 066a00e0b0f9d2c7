# SPDX-License-Identifier: MIT
"""The commands and their options; the work of each is in a module of its own, imported when called."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lissom._methods import BAKED_METHODS, METHODS

__all__ = ["app"]

app = typer.Typer(
    name="lissom",
    help="Move characters: look into them, check them, bake them and draw them. No window, no GPU needed.",
    epilog="In place of FILE may stand a sample: humanoid, child, giant, bar or tube "
    "(or sample:humanoid and so on).",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


GROUNDS = ("uneven", "stair", "slope", "rubble")  # to walk on
TEXTURE = "The texture"  # the options of that
WALKING = "Walking"  # the options of that
SHOWN_METHODS = (*BAKED_METHODS, "side_by_side")  # of a page
FILMS = (".png", ".gif", ".webp", ".glb")  # what a walk becomes


class Dtype(StrEnum):
    """Number formats of a bake."""

    float16 = "float16"
    float32 = "float32"
    uint8 = "uint8"


def _source(name: str) -> str:
    from lissom.cli.inputs import sample_meant

    return sample_meant(name)


def _sources(names: list[str]) -> list[str]:
    return [_source(name) for name in names]


File = Annotated[
    str, typer.Argument(metavar="FILE", callback=_source, help="A .glb, .gltf or .bvh file, or a sample.")
]
Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE", callback=_sources, help="Files, folders of them, or samples."),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON to stdout, and nothing else there.")]


def _png(path: Path) -> Path:
    if path.suffix.lower() != ".png":
        raise typer.BadParameter(f"pictures are PNG files; give a name that ends in .png, not {path.name!r}")
    return path


def _png_or_film(path: Path) -> Path:
    if path.suffix.lower() not in FILMS:
        raise typer.BadParameter(
            f"give a name that ends in .png, or for a walk in {', '.join(FILMS[1:])}, not {path.name!r}"
        )
    return path


def _film(path: Path) -> Path:
    if path.suffix.lower() not in (".png", ".webp", ".gif"):
        raise typer.BadParameter(f"give a name that ends in .png, .webp or .gif, not {path.name!r}")
    return path


def _ground(name: str | None) -> str | None:
    if name is not None and name not in GROUNDS:
        raise typer.BadParameter(f"there are {', '.join(GROUNDS)}, not {name!r}")
    return name


def _method(name: str) -> str:
    if name not in METHODS:
        raise typer.BadParameter(f"there are {', '.join(METHODS)}, not {name!r}")
    return name


def _baked_method(name: str | None) -> str | None:
    if name is not None and name not in BAKED_METHODS:
        raise typer.BadParameter(f"there are {', '.join(BAKED_METHODS)}, not {name!r}")
    return name


def _shown_method(name: str | None) -> str | None:
    if name is not None and name not in SHOWN_METHODS:
        raise typer.BadParameter(f"there are {', '.join(SHOWN_METHODS)}, not {name!r}")
    return name


def _page(path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() != ".html":
        raise typer.BadParameter(f"give a name that ends in .html, not {path.name!r}")
    return path


def _rates(texts: list[str] | None) -> list[str] | None:
    if texts:
        _rate(texts)
    return texts


def _rate(texts: list[str]) -> float | dict[str, float] | None:
    """Read rates: one for all clips, or some by the clips' names."""
    rates: dict[str, float] = {}
    for text in texts:
        clip, _, number = text.rpartition("=")
        try:
            rates[clip] = float(number)
        except ValueError:
            rates[clip] = 0.0
        if not 0.0 < rates[clip] < float("inf"):
            raise typer.BadParameter(f"give a number above 0, or CLIP=NUMBER, not {text!r}")
    if "" in rates and len(texts) > 1:
        raise typer.BadParameter("give one rate for all clips, or CLIP=RATE for each")
    return rates.get("", rates or None)


def _layout(name: str | None) -> str | None:
    from lissom._layouts import LAYOUTS

    if name is not None and name not in LAYOUTS:
        raise typer.BadParameter(f"there are {', '.join(LAYOUTS)}, not {name!r}")
    return name


def _blend(text: str | None) -> str | None:
    if text not in (None, "bend"):
        try:
            fits = 0 <= float(text) <= 1
        except ValueError:
            fits = False
        if not fits:
            raise typer.BadParameter(f"give a number from 0 to 1, or bend, not {text!r}")
    return text


Picture = Annotated[
    Path,
    typer.Option(
        "-o",
        "--output",
        metavar="PNG",
        callback=_png,
        help="The picture to write; its folder is made where there is none.",
    ),
]
Blend = Annotated[
    str | None,
    typer.Option(
        "--blend",
        metavar="SHARE|bend",
        callback=_blend,
        help="For the method blended: the share of dual quaternions, 0 to 1 (else: 0.5), or bend: painted, "
        "less where joints bend.",
    ),
]
DemoFolder = Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where to write.")]
ClipName = Annotated[
    str | None,
    typer.Option(
        "--clip", metavar="NAME", help="Pose by this clip (else: at rest); Walk finds Armature|Walk, too."
    ),
]
Clips = Annotated[
    list[str] | None, typer.Option("--clips", metavar="NAME", help="This clip only; may be repeated.")
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="PART", help="Leave out this part of the mesh; may be repeated."),
]
Time = Annotated[
    float | None,
    typer.Option(
        "--time",
        metavar="SECONDS",
        help="Time in the clip (else: its middle). Past its ends a looping clip wraps, others hold still.",
    ),
]
Width = Annotated[int, typer.Option("--width", min=16, max=8192, help="Pixels across.")]
Height = Annotated[int, typer.Option("--height", min=16, max=8192, help="Pixels down.")]


def _version(wanted: bool) -> None:
    if wanted:
        from lissom import __version__

        typer.echo(f"lissom {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def demo(
    output: DemoFolder = Path("demo"),
    count: Annotated[int, typer.Option("--count", min=1, max=100_000, help="People in the crowd.")] = 1000,
    as_json: Json = False,
) -> None:
    """Make pictures, a bake, a page that plays it and a report from the built-in characters."""
    from lissom.cli.demo import demo

    demo(output, count, as_json)


@app.command()
def info(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            callback=_source,
            help="A .glb, .gltf or .bvh file, a bake (.safetensors), or a sample.",
        ),
    ],
    as_json: Json = False,
) -> None:
    """Show what a model holds (skeleton, parts, clips, what loading mended), or a bake."""
    from lissom.cli.info import info

    info(file, as_json)


@app.command()
def validate(
    files: Files,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="List the notes, too.")] = False,
    as_json: Json = False,
) -> None:
    """Load files strictly, mending nothing; one line each.

    What strict loading refuses is "bad", with its first fault, and the exit code is 1. Other files are "ok".

    Notes tell what loading renamed, chose or left out; they fail nothing (-v and --json list them).
    """
    from lissom.cli.validate import validate

    sys.exit(0 if validate(files, verbose, as_json) else 1)


@app.command()
def bake(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="IN", callback=_sources, help="Files, folders of them, samples; or one job file, .toml."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="A folder, made where there is none; or for one input a .safetensors file. "
            "Goes before what a job file says.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("-j", "--jobs", metavar="N", min=1, help="Workers at a time (else: one per core)."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume/--anew", help="Take over what earlier runs baked from the same inputs, or bake all."
        ),
    ] = True,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FOLDER|PNG",
            help="Draw the errors of each bake into this folder; or of the one into this picture.",
        ),
    ] = None,
    html: Annotated[
        bool,
        typer.Option("--html", help="Write a page beside each bake that plays it in any browser."),
    ] = False,
    clips: Clips = None,
    without: Without = None,
    loop: Annotated[
        list[str] | None,
        typer.Option("--loop", metavar="CLIP", help="Bake this clip as one that loops; may be repeated."),
    ] = None,
    no_loop: Annotated[
        list[str] | None,
        typer.Option("--no-loop", metavar="CLIP", help="Bake this clip as one that ends; may be repeated."),
    ] = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(
            "--rate",
            metavar="RATE|CLIP=RATE",
            callback=_rates,
            help="Frames per second, of all clips or of one (else: from the clip's own keys).",
            rich_help_panel=TEXTURE,
        ),
    ] = None,
    max_error: Annotated[
        float | None,
        typer.Option(
            "--max-error",
            min=0.0,
            help="Largest error allowed, as a fraction of the character's size.",
            rich_help_panel=TEXTURE,
        ),
    ] = None,
    layout: Annotated[
        str | None,
        typer.Option(
            "--layout",
            callback=_layout,
            help="What the texels hold (else: dual_quat).",
            rich_help_panel=TEXTURE,
        ),
    ] = None,
    dtype: Annotated[
        Dtype | None,
        typer.Option("--dtype", help="Type of its numbers (else: float16).", rich_help_panel=TEXTURE),
    ] = None,
    extra_joint: Annotated[
        list[str] | None,
        typer.Option(
            "--extra-joint",
            metavar="JOINT",
            help="Put this joint in, too, though it moves no vertex; may be repeated.",
            rich_help_panel=TEXTURE,
        ),
    ] = None,
    root_motion: Annotated[
        bool,
        typer.Option(
            "--root-motion",
            help="Take root motion out of clips that travel or turn, and store it apart.",
            rich_help_panel=TEXTURE,
        ),
    ] = False,
    mesh: Annotated[
        bool, typer.Option("--mesh/--no-mesh", help="Put the mesh in, too.", rich_help_panel=TEXTURE)
    ] = True,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="|".join(BAKED_METHODS),
            callback=_baked_method,
            help="Skinning method that errors are measured with.",
            rich_help_panel=TEXTURE,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Bake clips into float textures, each with a report of its error.

    In a folder they are called NAME-KEY.safetensors: KEY stands for contents, options and version.

    What has not changed is not baked again, also after a run that was killed. bakes.json lists all.

    Files that are bad, or crash, are told at the end (exit code 1). Props without clips are skipped.
    """
    from lissom.cli.bake import bake

    options = {
        "clips": clips,
        "without": without,
        "loop": loop,
        "no_loop": no_loop,
        "rate": _rate(rate or []),
        "max_error": max_error,
        "layout": layout,
        "dtype": None if dtype is None else dtype.value,
        "extra_joints": extra_joint,
        "root_motion": root_motion or None,
        "include_mesh": None if mesh else False,
        "method": method,
    }
    given = {name: value for name, value in options.items() if value not in (None, [])}
    sys.exit(bake(inputs, output, given, jobs, resume, report, html, as_json))


@app.command()
def show(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            callback=_source,
            help="A .glb, .gltf or .bvh file, a bake (.safetensors), or a sample.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="HTML",
            callback=_page,
            help="The page to write (else: NAME.html, here); its folder is made where there is none.",
        ),
    ] = None,
    clips: Clips = None,
    without: Without = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="|".join(SHOWN_METHODS),
            callback=_shown_method,
            help="What it starts with (else: linear).",
        ),
    ] = None,
    is_opened: Annotated[bool, typer.Option("--open", help="Open it in the browser, too.")] = False,
) -> None:
    """Write a page that plays a model or a bake in any browser: one file, no network, nothing to install."""
    from lissom.cli.showing import show

    show(file, output, clips or (), without or (), method, is_opened)


@app.command()
def render(
    file: File,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            callback=_png_or_film,
            help="The picture to write, .png; for a walk .gif, .webp, .png (stills) or .glb (the motion). "
            "Its folder is made where there is none.",
        ),
    ],
    clip: ClipName = None,
    time: Time = None,
    without: Without = None,
    method: Annotated[
        str,
        typer.Option("--method", metavar="|".join(METHODS), callback=_method, help="Skinning method."),
    ] = METHODS[0],
    blend: Blend = None,
    width: Annotated[
        int | None, typer.Option("--width", min=16, max=8192, help="Pixels across (else: 960; a walk 720).")
    ] = None,
    height: Annotated[
        int | None, typer.Option("--height", min=16, max=8192, help="Pixels down (else: 540; a walk 400).")
    ] = None,
    walk_on: Annotated[
        str | None,
        typer.Option(
            "--walk-on",
            metavar="GROUND",
            callback=_ground,
            help=f"Let it walk over {', '.join(GROUNDS[:-1])} or {GROUNDS[-1]}, its feet placed on it.",
            rich_help_panel=WALKING,
        ),
    ] = None,
    both: Annotated[
        bool,
        typer.Option(
            "--both/--no-both", help="Show it without foot placement, too.", rich_help_panel=WALKING
        ),
    ] = True,
    speed: Annotated[
        float | None,
        typer.Option(
            "--speed",
            help="Lengths of the model per second (else: as its root motion or its feet tell).",
            rich_help_panel=WALKING,
        ),
    ] = None,
    leg: Annotated[
        list[str] | None,
        typer.Option(
            "--leg",
            metavar="HIP,KNEE,ANKLE[,TOE]",
            help="The joints of a leg, once for each (else: found by names and shape).",
            rich_help_panel=WALKING,
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds", min=0.1, help="Stop after so long (else: at its end).", rich_help_panel=WALKING
        ),
    ] = None,
    rate: Annotated[
        float, typer.Option("--rate", min=1.0, max=50.0, help="Pictures per second.", rich_help_panel=WALKING)
    ] = 15.0,
) -> None:
    """Draw one character; or let it walk over uneven ground, with and without foot placement."""
    if walk_on is None:
        from lissom.cli.pictures import render

        used = {"--speed": speed, "--leg": leg, "--seconds": seconds}
        render(
            file,
            _png(output),
            clip,
            time,
            without or (),
            method,
            blend,
            width or 960,
            height or 540,
            [name for name, value in used.items() if value is not None],
        )
        return
    from lissom.cli.walk import Options, walk

    options = Options(
        walk_on,
        clip,
        speed,
        tuple(leg or ()),
        both,
        rate,
        seconds,
        tuple(without or ()),
        method,
        blend,
        width or 720,
        height or 400,
    )
    walk(file, output, options, time)


@app.command()
def compare(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            callback=_source,
            help="A .glb or .gltf file with a mesh, or a sample: bar, tube or humanoid.",
        ),
    ],
    output: Picture = Path("compare.png"),
    methods: Annotated[
        str, typer.Option("--methods", metavar="A,B,...", help=f"Two or more of {', '.join(METHODS)}.")
    ] = "linear,dual_quat",
    heat: Annotated[
        str | None,
        typer.Option(
            "--heat", metavar="A,B", help="The two whose distance is coloured (else: those farthest apart)."
        ),
    ] = None,
    blend: Blend = None,
    clip: Annotated[
        str | None,
        typer.Option(
            "--clip",
            metavar="NAME",
            help="Pose by this clip (else: where the methods differ most, of all clips); Walk finds "
            "Armature|Walk, too.",
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(
            "--time",
            metavar="SECONDS",
            help="Time in the clip (else: where the methods differ most in it). Past its ends a looping clip "
            "wraps, others hold still.",
        ),
    ] = None,
    bend: Annotated[
        float | None,
        typer.Option("--bend", metavar="DEGREES", help="Bend the bar or the tube (else: not; tube: 90)."),
    ] = None,
    twist: Annotated[
        float | None,
        typer.Option("--twist", metavar="DEGREES", help="Twist the bar or the tube (else: not; bar: 150)."),
    ] = None,
    without: Without = None,
    focus: Annotated[
        str | None,
        typer.Option(
            "--focus",
            metavar="JOINT|max",
            help="Come close to a joint (to search and measure there), or to the largest difference.",
        ),
    ] = None,
    azimuth: Annotated[
        float | None,
        typer.Option(
            "--azimuth",
            help="Look from so many degrees about the vertical (else: 35, or the side that shows more).",
        ),
    ] = None,
    elevation: Annotated[
        float, typer.Option("--elevation", help="Look from so many degrees above the horizon.")
    ] = 15.0,
    width: Annotated[
        int | None, typer.Option("--width", min=16, max=8192, help="Pixels across (else: 480 a panel).")
    ] = None,
    height: Annotated[
        int | None, typer.Option("--height", min=16, max=8192, help="Pixels down (else: 540 a row).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Draw skinning methods beside each other, with a heat map of how far two are apart, and numbers.

    Numbers of each: change of volume, of edges and of corners, collapse, bulge at a bend.

    They stand on the picture, in a table, and in full with --json.
    """
    from lissom.cli.comparing import Options, compare

    view = Options(
        tuple(methods.split(",")),
        None if heat is None else tuple(heat.split(",")),
        blend,
        clip,
        time,
        bend,
        twist,
        tuple(without or ()),
        {"focus": focus, "azimuth": azimuth, "elevation": elevation, "width": width, "height": height},
    )
    compare(source, output, view, as_json)


@app.command()
def crowd(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            callback=_sources,
            help="Models, bakes (.safetensors) or samples: who is in the crowd, in equal shares; one that is "
            "named twice, twice as often. All in the same unit of length.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            callback=_film,
            help="The picture to write, .png; a film, .webp or .gif, or .png with --seconds. "
            "Its folder is made where there is none.",
        ),
    ],
    clips: Clips = None,
    without: Without = None,
    loop: Annotated[
        list[str] | None,
        typer.Option("--loop", metavar="CLIP", help="Let this clip go round; may be repeated."),
    ] = None,
    root_motion: Annotated[
        bool,
        typer.Option(
            "--root-motion",
            help="Take root motion out of clips that travel or turn, so that in a film they go their way.",
        ),
    ] = False,
    count: Annotated[int, typer.Option("--count", min=1, max=1_000_000, help="How many.")] = 1000,
    spread: Annotated[
        float,
        typer.Option("--spread", min=0.1, max=100.0, help="Distance between neighbours, in their widths."),
    ] = 1.0,
    width: Width = 1600,
    height: Height = 900,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another number, another crowd.")] = 0,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            min=0.01,
            max=600.0,
            help="Length of a film (else: a .png is a still, a film has 2 s).",
        ),
    ] = None,
    rate: Annotated[
        float, typer.Option("--rate", min=1.0, max=120.0, help="Pictures per second of a film.")
    ] = 20.0,
    levels: Annotated[
        bool,
        typer.Option(
            "--levels/--no-levels",
            help="Draw far ones with fewer triangles, where the extra lod is installed.",
        ),
    ] = True,
) -> None:
    """Draw many instances from baked textures, each with its own clip, time and place.

    In a film they move as their clips' root motion says, and some go over to another clip.
    """
    from lissom.cli.crowd import Baking, crowd
    from lissom.cli.gathering import Options

    options = Options(count, spread, tuple(clips or ()), width, height, seed, levels)
    baking = Baking(tuple(without or ()), tuple(loop or ()), root_motion)
    crowd(files, output, options, baking, seconds, rate)


@app.command()
def doctor(as_json: Json = False) -> None:
    """Say what this machine can do, and what to install or set where something is missing."""
    from lissom.cli.doctor import doctor

    sys.exit(0 if doctor(as_json) else 1)
