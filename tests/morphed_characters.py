# SPDX-License-Identifier: MIT
"""Characters with morph targets made for tests."""

import numpy as np

import lissom

NAMES = ("face/smile", "face/blink", "hair/smile", "body/round", "body/thin", "body/none")


def with_morphs(hero: lissom.Character, morphs: lissom.Morphs | None, **arrays: object) -> lissom.Character:
    """The same character with morph targets, and other arrays of its mesh."""
    fields = hero.mesh.__reduce__()[1][0] | arrays | {"morphs": morphs}
    other = lissom.Character(
        hero.name, hero.skeleton, lissom.Mesh(**fields), hero.skin, hero.clips, hero.repairs
    )
    other.method, other.blend = hero.method, hero.blend
    return other


def faced(hero: lissom.Character | None = None, share: float = 0.1, seed: int = 3) -> lissom.Character:
    """A character with six random targets of positions, normals and tangents; the last moves nothing."""
    hero = hero or lissom.samples.humanoid()
    mesh = hero.mesh
    rng = np.random.default_rng(seed)
    count = mesh.vertex_count
    moved = rng.random((len(NAMES), count, 1)) < share
    moved[-1] = False
    positions, normals, tangents = 0.1 * rng.normal(size=(3, len(NAMES), count, 3)) * moved
    sides = np.cross(mesh.normals, rng.normal(size=(count, 3)))
    sides /= np.linalg.norm(sides, axis=1, keepdims=True)
    signs = np.where(rng.random((count, 1)) < 0.5, 1, -1)
    morphs = lissom.Morphs.from_dense(NAMES, positions, normals, tangents, [0, 0.5, 0, 0, -0.25, 0])
    return with_morphs(hero, morphs, tangents=np.concatenate([sides, signs], axis=1))
