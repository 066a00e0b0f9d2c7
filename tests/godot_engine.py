# SPDX-License-Identifier: MIT
"""Godot itself, where `make consumers` has fetched it: runs a project, and reads back what it drew."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
ENGINE = Path(os.environ.get("LISSOM_CONSUMERS", ROOT / ".consumers")) / "godot"
WIDTH = 2048

NAMESPACES = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--propagation=private"]
if os.geteuid() != 0:
    NAMESPACES.append("--map-root-user")


def missing():
    """Why Godot cannot be run here; empty where it can."""
    if not (ENGINE / ".complete").is_file():
        return "Godot is not here; make consumers fetches it"
    if not ((ENGINE / "usr" / "bin" / "godot").is_file() and (ENGINE / "dev").is_dir()):
        return f"Godot is not whole in {ENGINE}; remove that folder, and make consumers fetches it anew"
    done = subprocess.run([*NAMESPACES, "true"], capture_output=True, text=True)
    return f"Godot is here, but not a root of its own: {done.stderr}" if done.returncode else ""


OPENVAT = ENGINE.parent / "openvat" / "VertexAnimationPBR-GLSL.gdshader"
needs_openvat = pytest.mark.skipif(
    not OPENVAT.is_file(), reason="OpenVAT is not here; make consumers fetches it"
)

MISSING = missing()
needs_godot = pytest.mark.skipif(bool(MISSING), reason=MISSING)

PROJECT = """config_version=5

[application]

config/name="lissom"

[rendering]

renderer/rendering_method="{method}"
textures/vram_compression/import_etc2_astc=false
"""

# In a root and a network of its own, so that two runs do not meet; the project is /work. The display that
# nobody sees is ready once its socket is there.
ENTER = """
root=$1; project=$2; shift 2
mount --rbind /dev "$root/dev"; mount --rbind /proc "$root/proc"; mount --bind "$project" "$root/work"
mount -t tmpfs none "$root/tmp"; mkdir "$root/tmp/.X11-unix"
export HOME=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LP_NUM_THREADS=2
unset LD_LIBRARY_PATH LD_PRELOAD DISPLAY XDG_RUNTIME_DIR
chroot=$(command -v chroot)
exec "$chroot" "$root" /bin/sh -c '
  Xvfb :7 -screen 0 640x480x24 -nolisten tcp >/dev/null 2>&1 &
  display=$!
  export DISPLAY=:7
  while [ ! -S /tmp/.X11-unix/X7 ] && kill -0 $display; do :; done
  godot --audio-driver Dummy --path /work "$@"
  status=$?
  kill $display
  exit $status' sh "$@"
"""

RENDERERS = {
    "gl_compatibility": ["--rendering-driver", "opengl3"],
    "mobile": ["--rendering-driver", "vulkan"],
    "forward_plus": ["--rendering-driver", "vulkan"],
}


def run(project, *arguments, renderer="gl_compatibility", timeout=100):
    """Run Godot on a project folder; what it said."""
    (project / "project.godot").write_text(PROJECT.format(method=renderer))
    options = [*RENDERERS[renderer], "--rendering-method", renderer, *arguments]
    done = subprocess.run(
        [*NAMESPACES, "/bin/sh", "-ec", ENTER, "sh", ENGINE, project, *options],
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    return done.stdout + done.stderr


def probe(project, jobs, renderer="gl_compatibility", faults=False, script="probe.gd"):
    """Run jobs of a script of tests/godot; what Godot said, of errors only where there may be some."""
    for path in (ROOT / "tests" / "godot").glob("*.gd"):
        shutil.copy(path, project)
    (project / "jobs.json").write_text(json.dumps(jobs))
    pictures = list(project.glob("*/*_picture_*"))
    if pictures:  # as the editor does when it opens a project; at its end it may abort, after the work
        said = run(project, "--import", renderer=renderer)
        assert len(list(project.glob(".godot/imported/*_picture_*.ctex"))) == len(pictures), said[-3000:]
    said = run(project, "--script", f"res://{script}", renderer=renderer)
    assert "DONE" in said, said[-3000:]
    assert faults or "ERROR" not in said, said[:3000]
    return said


def vertices(project, number, kind=0):
    """What a job drew: of each surface (instances, vertices, 3); and what it told."""
    path = project / f"vertices_{number}"
    told = json.loads(path.with_suffix(".json").read_text())
    job = json.loads((project / "jobs.json").read_text())[number]
    low, span = (job["low"], job["span"]) if kind == 0 else (-1.0, 2.0)
    halves = []
    for number in range(8):
        raw = np.frombuffer(Path(f"{path}_{kind}_{number}.bin").read_bytes(), np.float32).reshape(-1, 3)
        digits = np.rint((255 * raw - 64) / 12).astype(np.int64)
        halves.append(digits @ [256, 16, 1])
    lanes = [halves[i] << 12 | halves[i + 1] for i in range(0, 8, 2)]
    found = []
    for first, count in told["places"]:
        instances = len(told["states"])
        own = slice(first, first + instances * count)
        numbers = lanes[3][own].reshape(instances, count)
        np.testing.assert_array_equal(numbers, np.broadcast_to(np.arange(count), numbers.shape))
        whole = np.stack([lane[own] for lane in lanes[:3]], axis=-1).reshape(instances, count, 3)
        found.append(low + span * whole / 16777214.0)
    return found, told
