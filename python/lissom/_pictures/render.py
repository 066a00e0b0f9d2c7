# SPDX-License-Identifier: MIT
"""One line to a picture of a character, or to a film."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, overload

from lissom._base.set_module import set_module
from lissom._character.character import Character
from lissom._pictures.moment import check_character, pose_of, stage_of
from lissom._pictures.render_one import render_one
from lissom._pictures.render_several import render_several
from lissom._view.color import BACKGROUND, checked_color

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import ArrayLike

    from lissom._character.blend_argument import Blend
    from lissom._formats.animation import Animation
    from lissom._formats.picture import Picture
    from lissom._pictures.render_options import RenderOptions, SeveralOptions
    from lissom._view.terrain_mesh import GroundLike
    from lissom.clip import Clip
    from lissom.gpu import Camera

__all__ = ["check_character", "pose_of", "render", "stage_of"]


@overload
def render(
    character: Character,
    pose: ArrayLike | None = None,
    *,
    clip: None = None,
    time: None = None,
    turn: None = None,
    **options: Unpack[RenderOptions],
) -> Picture: ...
@overload
def render(
    character: Character,
    pose: None = None,
    *,
    clip: str | Clip,
    time: float,
    turn: None = None,
    **options: Unpack[RenderOptions],
) -> Picture: ...
@overload
def render(
    character: Character,
    pose: None = None,
    *,
    clip: str | Clip,
    time: None = None,
    turn: float | None = None,
    seconds: float | None = None,
    **options: Unpack[RenderOptions],
) -> Animation: ...
@overload
def render(
    character: Character,
    pose: ArrayLike | None = None,
    *,
    clip: str | Clip | None = None,
    time: float | None = None,
    turn: float,
    seconds: float | None = None,
    **options: Unpack[RenderOptions],
) -> Animation: ...
@overload
def render(
    character: Iterable[Character],
    pose: Sequence[ArrayLike | None] | None = None,
    *,
    clip: str | Clip | Sequence[str | Clip | None] | None = None,
    time: float | Sequence[float | None] | None = None,
    turn: float | None = None,
    seconds: float | None = None,
    placements: ArrayLike | None = None,
    equal_size: bool | float = False,
    **options: Unpack[SeveralOptions],
) -> Picture | Animation: ...
@set_module("lissom")
def render(
    character: Character | Iterable[Character],
    pose: ArrayLike | Sequence[ArrayLike | None] | None = None,
    *,
    clip: str | Clip | Sequence[str | Clip | None] | None = None,
    time: float | Sequence[float | None] | None = None,
    rate: float = 30.0,
    seconds: float | None = None,
    turn: float | None = None,
    method: str | Sequence[str | None] | None = None,
    blend: Blend | Sequence[Blend | None] | None = None,
    morphs: ArrayLike | Sequence[ArrayLike | None] | None = None,
    placements: ArrayLike | None = None,
    equal_size: bool | float = False,
    width: int = 960,
    height: int = 540,
    camera: Camera | None = None,
    azimuth: float | None = None,
    elevation: float = 15.0,
    ground: GroundLike = True,
    ground_height: float | None = None,
    heat: ArrayLike | Sequence[ArrayLike | None] | None = None,
    heat_maximum: float | None = None,
    color_bar: bool | str = True,
    samples: int = 4,
    background: tuple[float, float, float] | str | None = BACKGROUND,
) -> Picture | Animation:
    """Draw a character, or several, without a window: a picture of one pose, or a film of a clip.

    A clip without a `time` gives a film, and so does a `turn`. A film draws its pictures when they are asked
    for, as `Animation.save` does one by one; the camera and the ground stay where they are, and the camera
    sees all of the motion.

    Of several characters, `pose`, `clip`, `time`, `method`, `blend`, `morphs` and `heat` are lists with one
    for each, None among them where one has none; or, except for arrays, one for all. In a film each plays its
    own clip from its start on, and repeats it where it loops; the longest says how long the film is. One with
    a `time` stands still, and so does one whose clip is of one moment, where another moves. A loop whose time
    is not a whole part of the film's is cut at the film's end, and jumps where the film begins anew:
    `seconds` may be a time that all of them divide.

    Parameters
    ----------
    character : Character or iterable of Character
        What to draw; one without a mesh is drawn as its bones. Several stand in one picture.
    pose : array_like, shape (J, 10), optional
        Local transforms; the rest pose when neither this nor `clip` is given.
    clip : str or Clip, optional
        What to film, or to take the pose from: the name of a clip, or a clip of the same joints, such as an
        edited one.
    time : float, optional
        When in the clip, its own seconds, wrapped where it loops, for a picture of that moment; the whole
        clip is filmed when omitted.
    rate : float
        Pictures per second of a film. Picture i is of the clip's ``start + i / rate``. Of a clip that loops,
        the last is the one before the first, there and back where it plays so. Where that is no whole number
        of pictures, their number is rounded down and the rate is that number over the time, a little lower,
        so that neither the seam nor the speed is wrong; a loop shorter than one picture is one picture. With
        `seconds`, the rate is the very one.
    seconds : float, optional
        How long a film is: a clip that loops is repeated, another holds its last pose. The clip's duration
        when omitted; of one pose, 4 s for each whole turn.
    turn : float, optional
        How many whole turns the camera makes around the character, in the direction in which `azimuth` grows;
        a negative number goes the other way. With one pose it makes a turntable, and must not be 0.
    method : {"linear", "dual_quat", "quat_trans", "cor", "blended"}, optional
        Skinning method; the character's own when omitted.
    blend : float, array_like of shape (V,) or "bend", optional
        For ``"blended"``: 0 linear to 1 dual quaternion, one number for all or one per vertex; ``"bend"`` is
        what `bend_blend` paints from the pose; the character's own when omitted.
    morphs : array_like, shape (M,), optional
        Weights of the mesh's morph targets, as from `Morphs.weights`; when omitted those of the clip, or the
        mesh's defaults.
    placements : array_like, optional
        Of several characters, where each stands: positions, shape (N, 3); trs (N, 10), dual quaternions
        (N, 8) or matrices (N, 4, 4), rigid with one scale above 0; or instances of a crowd, shape (N,), of
        which position, rotation and scale count. When omitted, in a row along x, the first to the left, each
        facing +z on the ground, apart in all poses that are drawn.
    equal_size : bool or float
        Of several characters, whether to scale them to one height, measured as they rest: that of the first,
        or a number. Files differ in their units. On top of the scales of `placements`.
    width, height : int
        Pixels.
    camera : lissom.gpu.Camera, optional
        Where from, in the first picture of a film; otherwise the whole character is framed from `azimuth` and
        `elevation`, in all poses of a film.
    azimuth, elevation : float
        Degrees: about y from +z towards +x, and above the horizon. When omitted, 35 degrees from the front,
        which is +z unless the file says another: avatars of VRM 0 look to -z, and are drawn from -145. A row
        of several characters is drawn from 0 degrees.
    ground : bool, lissom.ground.TriangleMesh or (positions, triangles)
        Draw the ground: a plane, or a mesh in model space, which need not be flat.
    ground_height : float, optional
        Model-space y of the plane; the lowest vertex when omitted, of the whole film.
    heat : array_like, shape (V,), optional
        A number per vertex to colour by, instead of the base colours; at least 0.
    heat_maximum : float, optional
        The value of the hottest colour; the largest one when omitted.
    color_bar : bool or str
        Whether a heat map has its scale beside it (from 160 by 120 pixels on); a string is written above it:
        what is shown, and in which unit.
    samples : int
        Samples per pixel: 0, 2 or 4.
    background : tuple of float, str or None
        Colour of the background and of the ground plane, linear light from 0 to 1, or as in web pages,
        "white" or "#f0f0f0"; None for a transparent one, over which the ground is seen by its grid and
        shadows alone.

    Returns
    -------
    Picture or Animation
        Of a picture ``.array`` (height, width, 3) uint8, 4 with alpha, and ``.save("hero.png")``; of a film
        ``.save("hero.mp4")``, ``.webm``, ``.gif``, ``.webp`` or ``.png``. A notebook shows both.

    Raises
    ------
    TypeError
        If `character` is none.
    ValueError
        If there is no such clip, the pose or the weights have another shape, or there is nothing to draw; if
        the clip of a film has no duration, `rate` is not from 0.01 to 1000, or `seconds` comes with one pose.
    GpuError
        Without OpenGL: says what to install.
    ImportError
        Without the extra ``gl``.

    Warns
    -----
    UserWarning
        If the clip moves morph targets that the mesh does not have: they are named and left out. If one of
        several is more than 20 times as high as another, which is hardly seen.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> picture = lissom.render(hero, clip="walk", time=0.3, width=320, height=180)
    >>> picture
    Picture(320 x 180)
    >>> wave = lissom.render(hero, hero.clips["wave"].at(0.5), azimuth=0.0, width=160, height=160)
    >>> wave.array.shape
    (160, 160, 3)

    A film, and a turntable of the rest pose:

    >>> lissom.render(hero, clip="walk", width=320, height=180)
    Animation(33 pictures, 320 x 180, 1.10 s)
    >>> lissom.render(hero, turn=1, width=320, height=180)
    Animation(120 pictures, 320 x 180, 4.00 s)

    Two characters, each with a clip of its own:

    >>> child = lissom.samples.humanoid("child")
    >>> lissom.render([hero, child], clip=["wave", "walk"], time=0.5, width=320, height=180)
    Picture(320 x 180)
    """
    options: dict[str, Any] = {
        "pose": pose,
        "clip": clip,
        "time": time,
        "rate": rate,
        "seconds": seconds,
        "turn": turn,
        "method": method,
        "blend": blend,
        "morphs": morphs,
        "width": width,
        "height": height,
        "camera": camera,
        "azimuth": azimuth,
        "elevation": elevation,
        "ground": ground,
        "ground_height": ground_height,
        "heat": heat,
        "heat_maximum": heat_maximum,
        "color_bar": color_bar,
        "samples": samples,
        "background": None if background is None else checked_color(background, "render: background"),
    }
    if isinstance(character, Iterable) and not isinstance(character, (str, bytes)):
        return render_several(character, placements=placements, equal_size=equal_size, **options)
    check_character("render", character)
    if placements is not None or equal_size is not False:
        name = "equal_size" if placements is None else "placements"
        raise ValueError(
            f"render: {name} must be omitted for one character; pass several in a list, or one in a list"
        )
    return render_one(character, **options)
