# SPDX-License-Identifier: MIT
"""Check every shader program, as GLSL 3.30 and as GLSL ES 3.00, with glslangValidator where there is one."""

import shutil
import subprocess
import sys

from lissom.gpu.loader import HEADERS, shader_folder, shader_source

STAGES = {".vert": "vert", ".frag": "frag"}

validator = shutil.which("glslangValidator")
if validator is None:
    print("shaders: glslangValidator is not installed, so only the driver of the GL tests compiles them")
    sys.exit(0)
programs = sorted(path.name for path in shader_folder().iterdir() if path.suffix in STAGES)
bad = 0
for name in programs:
    for version in HEADERS:
        source = shader_source(name, version)
        command = [validator, "--stdin", "-S", STAGES[name[name.rindex(".") :]]]
        done = subprocess.run(command, input=source.text, capture_output=True, text=True)
        if done.returncode:
            bad += 1
            print(f"{name} as {version}: {source.explain(done.stdout)}", file=sys.stderr)
print(f"shaders: {len(programs)} programs, {bad} faults")
sys.exit(bad > 0)
