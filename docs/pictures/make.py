# SPDX-License-Identifier: MIT
"""Make the pictures of README and docs anew, from the built-in characters."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import lissom
from lissom.cli import gathering

FOLDER = Path(__file__).resolve().parent
PEOPLE = 150


def save(name: str, pixels: NDArray[np.uint8], colors: int | None = None) -> None:
    """Write a small file; a crowd of people bears 190 colours, a heat map's shades do not."""
    picture = Image.fromarray(pixels)
    if colors is not None:
        picture = picture.quantize(colors, dither=Image.Dither.NONE)
    picture.save(FOLDER / name, optimize=True)


def main() -> None:
    hero = lissom.samples.humanoid()
    bar = lissom.samples.twisted_bar()
    size = {"width": 1200, "height": 400}
    save("twisted_bar.png", lissom.compare(bar, clip="twist", time=2.0, **size).image)
    save("wave.png", lissom.compare(hero, hero.clips["wave"].at(0.5), **size).image)
    save("crowd.png", gathering.draw(gathering.bakes(), PEOPLE, 1200, 400).array, colors=190)


if __name__ == "__main__":
    main()
