# SPDX-License-Identifier: MIT
"""What tests of the player share: its code, its camera, and how far pictures differ."""

import base64
import importlib.resources

import numpy as np

from browser.conftest import SIZE
from lissom.gpu import Camera

# Share of pixels that may be more than 8 levels off what moderngl draws by the same driver: samples at edges.
# Measured up to 0.009 %.
SAME = 0.0005


def share_off(ours, theirs):
    return np.mean(np.abs(ours.astype(int) - theirs).max(axis=-1) > 8)


def camera_of(tab):
    state = tab.state["camera"]
    return Camera(**state | {"target": tuple(state["target"])})


def place_of(tab, point):
    """Return where on the page a world point is drawn."""
    camera = camera_of(tab)
    x, y, _, w = camera.clip_from_world(SIZE[0] / SIZE[1], 0.1, 100.0) @ [*point, 1.0]
    box = tab.page.locator("canvas").bounding_box()
    return box["x"] + (1 + x / w) / 2 * box["width"], box["y"] + (1 - y / w) / 2 * box["height"]


def lowest(bake):
    return float(np.median([clip.bounds[0, 1] for clip in bake.clips.values()]))


def code_of(*names):
    files = importlib.resources.files("lissom.player") / "js"
    return "".join((files / name).read_text(encoding="utf-8") for name in names)


def create(tab, data, options):
    """Make one more player on the page; return what it says in place of a picture."""
    return tab.page.evaluate(
        """async ([text, options]) => {
          const element = document.body.appendChild(document.createElement("div"));
          const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
          self.player = await lissom.createPlayer(element, bytes, options);
          return element.querySelector(".lissom-message").textContent;
        }""",
        [base64.b64encode(data).decode(), {"test": True, "width": SIZE[0], "height": SIZE[1]} | options],
    )
