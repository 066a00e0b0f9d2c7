# SPDX-License-Identifier: MIT
"""Tries an installed lissom, from a character to a bake: the last step of every way to install it."""

import tempfile
from pathlib import Path

import lissom

hero = lissom.samples.humanoid()
walk = hero.clips["walk"]
assert hero.deform(walk.sample([0.0, 0.25]), method="dual_quat").shape == (2, hero.mesh.vertex_count, 3)

chain = lissom.ik.Chain(hero.skeleton, "UpperArm.L", "Hand.L")
done = lissom.ik.two_bone(chain, walk.sample(0.25), [0.3, 1.3, 0.35])
assert done.reached

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "hero.safetensors"
    lissom.bake(hero, ["walk"], max_error=0.001).save(path)
    assert lissom.load_bake(path).report.max_relative <= 0.001

config = lissom.show_config("dicts")
print(f"lissom {config['lissom']} works: {config['platform']}, {config['instruction_set']}")
