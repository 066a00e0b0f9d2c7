# SPDX-License-Identifier: MIT
"""The lighting of the stage in NumPy: functions of ``light.glsl``, ``color.glsl`` and ``contact.glsl``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._view.color import linear_to_srgb

__all__ = ["contact_shade", "encoded", "ground_light", "light_under", "lit", "tone_mapped"]

# Linear light; a test compares them with light.glsl.
SKY_LIGHT = np.array([0.56, 0.60, 0.66], np.float32)
GROUND_LIGHT = np.array([0.33, 0.31, 0.29], np.float32)
KEY_LIGHT = np.array([0.98, 0.93, 0.84], np.float32)
RIM_LIGHT = np.array([0.16, 0.17, 0.19], np.float32)

Floats = NDArray[Any]

_STEPS = 4096  # of linear light: the darkest steps differ by half an sRGB step
_ENCODED = np.rint(255 * linear_to_srgb(np.linspace(0, 1, _STEPS))).astype(np.uint8)


def lit(base: Floats, normal: Floats, to_eye: Floats, to_key: Floats, is_open: Floats) -> Floats:
    """Return the light that a matt surface reflects towards the eye.

    Parameters
    ----------
    base, normal, to_eye : ndarray, shape (P, 3)
        Linear colour; unit directions pointing off the surface, world space.
    to_key : ndarray, shape (3,)
        Unit direction to the key light, world space.
    is_open : ndarray, shape (P,)
        1 in the open, less where the ground is near.

    Returns
    -------
    ndarray, shape (P, 3)
    """
    sky = _sky(normal) * is_open[:, None]
    key = _key_share(normal, to_key)[:, None]
    half = to_key + to_eye
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    highlight = np.maximum(_dot(normal, half), 0) ** 40
    rim = (1 - np.maximum(_dot(normal, to_eye), 0)) ** 3 * (0.4 + 0.6 * np.maximum(normal[:, 1], 0))
    light = base * (sky + key * KEY_LIGHT)
    light += (0.06 * highlight)[:, None] * KEY_LIGHT
    light += rim[:, None] * RIM_LIGHT * (0.25 + 0.75 * base)
    return np.asarray(light)


def ground_light(to_key: Floats, shade: Floats) -> Floats:
    """Return the factor of the light on horizontal ground in a key shadow, 0 to 1, ``(..., 3)``."""
    up = np.array([[0, 1, 0]], np.float32)
    key = _key_share(up, to_key) * KEY_LIGHT
    seen = (0.42 + 0.58 * (1 - shade))[..., None]
    return np.asarray((SKY_LIGHT + key * seen) / (SKY_LIGHT + key))


def contact_shade(height: Floats) -> Floats:
    """Return the contact shadow of a surface, by its height above the ground in multiples of the reach."""
    touch = np.clip(1 - 5 * height, 0, 1)
    return np.asarray(0.4 * np.clip(1 - height, 0, 1) + 0.6 * touch * touch)


def light_under(shade: Floats) -> Floats:
    """Return the factor of the light in a blurred contact shadow."""
    return np.asarray(1 - 0.68 * shade * (2 - shade))


def tone_mapped(linear: Floats) -> NDArray[np.uint8]:
    """Encode light as sRGB bytes, with values above 0.5 compressed to below 1."""
    compressed = np.where(linear < 0.5, linear, 1 - 0.5 * np.exp((0.5 - np.maximum(linear, 0.5)) / 0.5))
    return np.asarray(_ENCODED[np.rint(np.clip(compressed, 0, 1) * (_STEPS - 1)).astype(np.intp)])


def encoded(linear: Floats) -> NDArray[np.uint8]:
    """Encode light as sRGB bytes without compression, as for the ground."""
    return np.asarray(_ENCODED[np.rint(np.clip(linear, 0, 1) * (_STEPS - 1)).astype(np.intp)])


def _sky(normal: Floats) -> Floats:
    up = (0.5 + 0.5 * normal[:, 1])[:, None]
    return np.asarray(GROUND_LIGHT + (SKY_LIGHT - GROUND_LIGHT) * up)


def _key_share(normal: Floats, to_key: Floats) -> Floats:
    return np.asarray(np.maximum((normal @ to_key + np.float32(0.15)) / np.float32(1.15), 0))


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", a, b))
