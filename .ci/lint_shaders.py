# SPDX-License-Identifier: MIT
"""Check every shader in all variants, as GLSL 3.30 and as GLSL ES 3.00, where there is a glslangValidator."""

import itertools
import shutil
import subprocess
import sys

from lissom.gpu._loader import HEADERS, read_shader, shader_folder

STAGES = {".vert": "vert", ".frag": "frag"}
# Methods and palette strides that go together: see influences.glsl.
# POSE_LAYOUT and POSE_TEXELS: see pose_texture.glsl.
LAYOUTS = ((0, 2), (0, 3), (0, 5), (1, 3), (2, 2), (3, 3), (4, 1))
POSES = (
    {},
    {"POSE_DIRECT": 1},
    {"POSE_BYTES": 1, "WITHOUT_FADES": 1},
    {"POSE_DIRECT": 1, "POSE_BYTES": 1, "WITHOUT_INTERPOLATION": 1},
    {"WITHOUT_FADES": 1, "WITHOUT_INTERPOLATION": 1, "WITHOUT_HEAT": 1, "WITHOUT_TEXTURE": 1},
    {"SELF_LIT": 1},
    {"SELF_LIT": 1, "WITHOUT_HEAT": 1, "WITHOUT_TEXTURE": 1},
    {"COVERED": 1, "SEAMED": 1},
    {"COVERED": 1, "SEAMED": 1, "POSE_DIRECT": 1, "WITHOUT_HEAT": 1, "WITHOUT_TEXTURE": 1},
)
METHODS = ((0, 3), (1, 2), (1, 5), (2, 2), (2, 5), (3, 2), (3, 5), (4, 5), (4, 8))
MORPHED = ({"MORPHS": 1, "MORPH_STRIDE": 1}, {"MORPHS": 1, "MORPH_STRIDE": 2, "POSE_DIRECT": 1})
VARIANTS = [
    {
        "INFLUENCE_COUNT": count,
        "SKINNING_METHOD": method,
        "PALETTE_STRIDE": stride,
        "JOINT_COUNT": 60,
        "INSTANCE_COUNT": 80,
        **more,
    }
    for count, (method, stride), more in itertools.product(
        (1, 4, 8),
        METHODS,
        ({}, {"POSE_DIRECT": 1}, {"AS_PUBLISHED": 1}, {"TEXELS_IN_ONE_LINE": 1}, *MORPHED),
    )
]
VARIANTS += [
    {
        "JOINT_COUNT": 60,
        "INSTANCE_COUNT": 80,
        "PALETTE_STRIDE": stride,
        "SKINNING_METHOD": int(stride != 3),
        "POSE_LAYOUT": layout,
        "POSE_TEXELS": texels,
        **more,
    }
    for stride, (layout, texels), more in itertools.product((2, 3, 5), LAYOUTS, POSES)
]

# The heat of crowds: see crowd.vert.
STRIDES = ((0, 3, 2), (0, 3, 5), (1, 2, 3), (1, 5, 3))
VARIANTS += [
    {
        "JOINT_COUNT": 60,
        "INSTANCE_COUNT": 80,
        "SKINNING_METHOD": method,
        "PALETTE_STRIDE": stride,
        "HEAT": heat,
        "OTHER_STRIDE": other,
    }
    for heat, (method, stride, other) in itertools.product((1, 2), STRIDES)
]

validator = shutil.which("glslangValidator")
if validator is None:
    print("shaders: glslangValidator is not installed, so only the driver of the GL tests compiles them")
    sys.exit(0)
programs = sorted(
    path.relative_to(shader_folder()).as_posix()
    for path in (*shader_folder().iterdir(), *(shader_folder() / "teaching").iterdir())
    if path.suffix in STAGES
)
bad = 0
for name in programs:
    seen = set()
    for version, defines in itertools.product(HEADERS, VARIANTS):
        source = read_shader(name, version, defines)
        used = frozenset((version, *(d for d in defines.items() if source.text.count(d[0]) > 1)))
        if used in seen:
            continue  # no line of it asks for what differs
        seen.add(used)
        command = [validator, "--stdin", "-S", STAGES[name[name.rindex(".") :]]]
        done = subprocess.run(command, input=source.text, capture_output=True, text=True)
        if done.returncode:
            bad += 1
            print(f"{name} as {version} with {defines}: {source.explain(done.stdout)}", file=sys.stderr)
print(f"shaders: {len(programs)} programs, {bad} faults")
sys.exit(bad > 0)
