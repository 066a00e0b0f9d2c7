# SPDX-License-Identifier: MIT
"""The work of ``lissom render``: a picture, a film or a contact sheet of one character."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom._base.names import either
from lissom._formats.films.forms import MOVING, RATES
from lissom._formats.picture import Picture
from lissom._formats.picture_files import PICTURES, STILLS
from lissom._jobs import sources
from lissom.cli import output
from lissom.cli.morphs import morph_argument

if TYPE_CHECKING:
    from lissom._character.blend_argument import Blend
    from lissom._character.character import Character
    from lissom.clip import Clip

__all__ = [
    "Options",
    "blend_argument",
    "character_and_clip",
    "check",
    "makes_picture",
    "render",
    "save_picture",
]

DEFAULT_BLEND = 0.5  # share of dual quaternions without --blend
FILM = f"needs a film: --clip without --time, or --turn, and an output that ends in {either(MOVING)}"
WIDTH, HEIGHT, RATE = 960, 540, 30.0
MOMENTS, CELL = 4, 128  # of a contact sheet: moments of a clip, and pixels of one
ROW = 200  # pixels: of a moment in a row of them


@dataclass(frozen=True)
class Options:
    """What to draw, and how; None stands for what is usual."""

    clip: str | None = None
    time: float | None = None
    rate: float | None = None
    seconds: float | None = None
    turn: float | None = None
    moments: int | None = None
    is_sheet: bool = False
    is_transparent: bool = False
    codec: str | None = None
    morphs: Sequence[str] = ()
    without: Sequence[str] = ()
    method: str = "linear"
    blend: str | None = None
    width: int | None = None
    height: int | None = None


def render(source: str, out: Path, options: Options, walk_options: Sequence[str] = ()) -> None:
    """Draw one character; refuse options of --walk-on."""
    if walk_options:
        output.misuse(walk_options[0], "needs --walk-on")
    is_still = makes_picture(out, options)
    check(options, is_still=is_still)
    output.require_file("-o", out)
    if options.is_sheet:
        _sheet(source, out, options)
    elif is_still and options.moments is None:
        _still(source, out, options)
    else:
        _film(source, out, options)
    output.stdout().print(output.Line(str(out)), soft_wrap=True)


def makes_picture(out: Path, options: Options) -> bool:
    """Return whether one picture is written, and no film.

    A .png or .jpg is one; a .webp where nothing moves, or several moments are drawn into one.
    """
    suffix = out.suffix.lower()
    if suffix in MOVING and suffix in PICTURES:
        return options.moments is not None or options.is_sheet or not _moves(options)
    return suffix in STILLS


def _moves(options: Options) -> bool:
    return options.turn is not None or (options.clip is not None and options.time is None)


def check(options: Options, *, is_still: bool) -> None:
    """Refuse options that do not go together."""
    is_moving = _moves(options)
    if options.is_sheet:
        for option, value in (
            ("--clip", options.clip),
            ("--time", options.time),
            ("--turn", options.turn),
            ("--blend", options.blend),
        ):
            if value is not None:
                output.misuse(option, "must be left out beside --sheet, which shows all clips")
        if options.morphs or options.is_transparent or options.method != "linear":
            output.misuse("--sheet", "takes neither --morph, --method nor --transparent")
    elif options.moments is not None or not is_still:
        if not is_moving:
            what = "a film" if options.moments is None else "a row of moments"
            output.misuse("-o" if options.moments is None else "--moments", f"{what} needs --clip or --turn")
    elif options.turn is not None:
        output.misuse(
            "--turn", f"needs an output that ends in {either(MOVING)}; or --moments, for a row in one picture"
        )
    if (options.moments is not None or options.is_sheet) and not is_still:
        option = "--sheet" if options.is_sheet else "--moments"
        output.misuse(option, f"makes one picture: the output must end in {either(PICTURES)}")
    is_film = not is_still and not options.is_sheet
    for option, value, fits in (
        ("--rate", options.rate, is_film),
        ("--codec", options.codec, is_film),
        ("--seconds", options.seconds, is_film or (options.moments is not None and not options.is_sheet)),
    ):
        if value is not None and not fits:
            output.misuse(option, FILM)


def _still(source: str, out: Path, options: Options) -> None:
    """Write a picture of the rest pose, or of a moment of a clip."""
    size = options.width or WIDTH, options.height or HEIGHT
    output.require_picture("-o", out, *size, 4 if options.is_transparent else 3)
    character, clip = character_and_clip(source, options.clip, options.time, options.without)
    time = options.time
    if clip is not None and time is None:
        time = character.clips[clip].start + character.clips[clip].duration / 2  # shows more than its start
    save_picture(_drawn(source, character, options, clip, time), out)


def _film(source: str, out: Path, options: Options) -> None:
    """Write a film of a clip or a turntable, or some moments of it beside each other."""
    width, height = options.width or WIDTH, options.height or HEIGHT
    rate = options.rate or RATE
    channels = 4 if options.is_transparent else 3
    if options.moments is None:
        output.require_film("-o", out, width, height, rate, options.codec, channels)
    else:
        width, height = options.width or ROW, options.height or ROW
        output.require_picture("-o", out, options.moments * width, height, channels)
    character, clip = character_and_clip(source, options.clip, options.time, options.without)
    if options.moments is not None:
        rate = _rate_of_moments(None if clip is None else character.clips[clip], options, options.moments)
    film = _drawn(
        source,
        character,
        options,
        clip,
        options.time,
        rate=rate,
        seconds=options.seconds,
        turn=options.turn,
        width=width,
        height=height,
    )
    if options.moments is not None:
        save_picture(film.strip(options.moments), out)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    with output.progress() as bar:
        film.save(out, codec=options.codec, progress=bar)


def _rate_of_moments(clip: Clip | None, options: Options, moments: int) -> float:
    """Return the rate of a film of just these moments, where it goes round; a usual one where it ends."""
    from lissom.clip._loop import pass_seconds
    from lissom.gpu._film_timing import TURNTABLE

    if options.turn is None and (clip is None or not clip.loop):
        return RATE
    length = options.seconds or (0.0 if clip is None or options.time is not None else pass_seconds(clip))
    length = length or TURNTABLE * (abs(options.turn or 0.0) or 1.0)
    return min(max(moments / length, RATES[0]), RATES[1])


def _drawn(
    source: str, character: Character, options: Options, clip: str | None, time: float | None, **more: Any
) -> Any:
    """Return the picture or the film that `lissom.render` makes."""
    import lissom

    size = {"width": options.width or WIDTH, "height": options.height or HEIGHT}
    if options.is_transparent:
        more = {**more, "background": None}
    if clip is not None:
        more = {**more, "clip": clip, "time": time}
    return lissom.render(
        character,
        morphs=morph_argument(source, character, options.morphs, clip, time),
        method=options.method,
        blend=blend_argument(options.blend, options.method),
        **{**size, **more},
    )


def _sheet(source: str, out: Path, options: Options) -> None:
    """Write moments of all clips."""
    import lissom

    character, _ = character_and_clip(source, None, None, options.without)
    if not character.clips:
        raise ValueError(f"{source}: has no clips to draw")
    with output.progress() as bar:
        sheet = lissom.contact_sheet(
            character,
            moments=options.moments or MOMENTS,
            size=options.height or options.width or CELL,
            progress=bar,
        )
    save_picture(sheet, out)


def character_and_clip(
    source: str, clip: str | None, time: float | None, without: Sequence[str]
) -> tuple[Character, str | None]:
    """Load the character to draw, and return it with the full name of the clip."""
    if time is not None and clip is None:
        output.misuse("--time", "needs --clip")
    character = sources.without(source, sources.load(source), without)
    return character, None if clip is None else sources.clip_name(source, clip, character.clips)


def blend_argument(blend: str | None, method: str) -> Blend | None:
    """Return --blend as the argument of `lissom.render`; refuse it for other methods than blended."""
    if method != "blended":
        if blend is not None:
            output.misuse("--blend", "needs --method blended")
        return None
    return blend if blend == "bend" else float(blend or DEFAULT_BLEND)


def save_picture(picture: Picture, out: Path) -> None:
    """Write a picture; make its folder."""
    out.parent.mkdir(parents=True, exist_ok=True)
    picture.save(out)
