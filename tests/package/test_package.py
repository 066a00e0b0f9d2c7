# SPDX-License-Identifier: MIT
"""The package as a whole: what a wheel holds, what an import costs, what a missing extra says."""

import importlib
import inspect
import os
import platform
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import lissom
from lissom._base.extras import EXTRA_OF

ROOT = Path(__file__).resolve().parents[2]
WHEEL_BYTES = 6_500_000  # 4 million are kernels, once per instruction set; more was shipped by mistake
IMPORT_SECONDS = 0.020  # over NumPy; a command that is called in a loop feels more


def run_python(
    code: str, *arguments: str, check: bool = True, timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter, away from the source tree."""
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=check, cwd="/", timeout=timeout)


def test_every_public_name_is_there() -> None:
    for name in lissom.__all__:
        assert getattr(lissom, name) is not None
        assert name in dir(lissom)


@pytest.mark.parametrize("name", [name for name in lissom.__all__ if inspect.ismodule(getattr(lissom, name))])
def test_a_module_completes_to_its_public_names_alone(name: str) -> None:
    module = getattr(lissom, name)
    assert [found for found in dir(module) if not found.startswith("_")] == sorted(module.__all__)


def public_classes() -> list[type]:
    modules = [lissom, *(getattr(lissom, name) for name in lissom.__all__)]
    things = [
        getattr(module, name) for module in modules if inspect.ismodule(module) for name in module.__all__
    ]
    return sorted({one for one in things if inspect.isclass(one)}, key=lambda one: one.__qualname__)


def test_things_complete_in_a_notebook() -> None:
    # IPython asks Jedi, which gives up on a whole class where it cannot read one property's annotation.
    jedi = pytest.importorskip("jedi")
    lost = {}
    for one in public_classes():
        try:
            thing = object.__new__(one)
        except TypeError:  # a tuple, an error, or a protocol
            continue
        try:
            names = {name.name for name in jedi.Interpreter("thing.", [{"thing": thing}]).complete()}
        except Exception as error:
            lost[one.__name__] = repr(error)
            continue
        missing = {name for name in dir(one) if not name.startswith("_")} - names
        if missing:
            lost[one.__name__] = repr(missing)
    assert not lost


def test_type_checkers_see_the_same_names() -> None:
    source = (ROOT / "python" / "lissom" / "__init__.pyi").read_text()
    typed = re.findall(r"^from (lissom\S*) import (\w+) as \2$", source, flags=re.MULTILINE)
    homes = {name: home if home != "lissom" else f"lissom.{name}" for home, name in typed}
    assert homes == lissom._HOMES


def test_a_users_script_is_type_checked(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    api = pytest.importorskip("mypy.api")
    script = tmp_path / "script.py"
    script.write_text(
        """
import lissom

hero: lissom.Character = lissom.load("hero.glb")
poses = hero.clips["Walk"].sample([0.0, 0.5])
positions, normals = hero.deform(poses, normals=True)
bake: lissom.PoseTexture = lissom.bake(hero, ["Walk"], max_error=0.001)
with lissom.gpu.Stage(64, 64) as stage, lissom.gpu.Crowd(bake, 3, stage=stage) as crowd:
    stage.render(crowd).save("crowd.png")
try:
    lissom.compare(hero, poses[0]).save("compare.png")
except lissom.errors.GpuError as error:
    print(error)
lissom.lode("hero.glb")
"""
    )
    cache = getattr(pytestconfig, "cache", None)  # of what is known of NumPy and this package
    options = [
        "--strict",
        "--config-file=",
        f"--cache-dir={cache.mkdir('mypy') if cache else tmp_path}",
        f"--python-executable={sys.executable}",
    ]
    output, errors, _ = api.run([*options, str(script)])
    assert not errors
    assert re.findall(r"script.py:(\d+): error: (.*)  \[", output) == [
        ("14", 'Module has no attribute "lode"')
    ], output


@pytest.mark.tree
@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/project/how-data-flows.md"])
def test_files_that_a_page_names_exist(page: str) -> None:
    text = (ROOT / page).read_text()
    named = re.findall(r"`((?:[\w.-]+/)*[\w.-]+\.(?:py|pyi|cpp|h|glsl|vert|frag|toml|txt|cmake))`", text)
    folders = (".", "python/lissom", "src", "src/core/skinning", "shaders/include")
    assert len(named) > 10
    assert not [name for name in named if not any((ROOT / folder / name).is_file() for folder in folders)]


@pytest.mark.tree
def test_each_room_is_in_the_table_on_its_floor() -> None:
    """CONTRIBUTING.md's rooms are the folders of python/lissom, in the order of the contract."""
    table = (ROOT / "CONTRIBUTING.md").read_text().partition("### The rooms of python/lissom")[2]
    first_cells = re.findall(r"^\| (`[^|]+) \|", table, flags=re.MULTILINE)
    told = [room for cell in first_cells for room in re.findall(r"`(\w+)`", cell)]
    folders = {path.parent.name for path in (ROOT / "python" / "lissom").glob("*/__init__.py")}
    assert sorted(told) == sorted(folders)
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = linter["contracts"][0]["layers"]
    floor_of = {room: floor for floor, rooms in enumerate(layers) for room in rooms.split(" | ")}
    floors = [floor_of[room] for room in told]
    assert floors == sorted(floors)


@pytest.mark.tree
def test_no_file_of_the_tree_is_ignored() -> None:
    """What git ignores is fetched or built: an engine of half a gigabyte is no part of the history."""
    if not (ROOT / ".git").exists():
        pytest.skip("no clone: git has nothing to say")
    command = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == ""


ALONE = """
import os, pkgutil, sys, traceback
import numpy, msgspec, lissom
names = {found.name for found in pkgutil.walk_packages(lissom.__path__, "lissom.")} - {"lissom.__main__"}
if sys.argv[1:] != ["all"]:  # rooms, and where public names are written
    names = {name for name in names if name.count(".") == 1} | {*lissom._HOMES.values()}
for name in sorted(names):
    child = os.fork()
    if child == 0:
        for loaded in [n for n in sys.modules if n.startswith("lissom") and n != "lissom._core"]:
            del sys.modules[loaded]
        try:
            __import__(name)
        except BaseException:
            print(name, traceback.format_exc())
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process for each module takes a minute without fork")
@pytest.mark.parametrize("modules", ["public", pytest.param("all", marks=pytest.mark.soak)])
def test_each_module_can_be_imported_first(modules: str) -> None:
    assert run_python(ALONE, modules, timeout=300).stdout == ""


@pytest.mark.parametrize("path", ["gpu.teaching.UniformModel", "gpu.teaching_crowd.UniformCrowd"])
def test_documented_modules_are_found_without_importing_them(path: str) -> None:
    assert (
        run_python(f"import lissom; print(lissom.{path}.__name__)").stdout.strip() == path.rpartition(".")[2]
    )


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'lissom' has no attribute 'walk'"):
        _ = lissom.walk  # type: ignore[attr-defined]


def test_every_source_has_a_licence_line() -> None:
    files = [
        p
        for folder in ("python", "src", "tests", "shaders", "benchmarks", "packages")
        for p in (ROOT / folder).rglob("*")
        if not {"node_modules", "vendor"} & {*p.parts}  # of others
    ]
    kinds = {".py", ".pyi", ".cpp", ".h", ".glsl", ".vert", ".frag", ".js", ".css"}
    sources = [p for p in files if p.suffix in kinds]
    assert len(sources) > 20
    unmarked = [str(p.relative_to(ROOT)) for p in sources if "SPDX-License-Identifier: MIT" not in _head(p)]
    assert not unmarked


def _head(path: Path) -> str:
    with path.open() as file:
        return file.readline()


@pytest.mark.tree
def test_wheel_holds_the_package_and_nothing_else(tmp_path: Path) -> None:
    # Out of the build folder of `make build`, so it takes a second or two.
    uv = Path(sys.executable).with_name("uv")
    if not uv.exists():
        pytest.skip("uv is not installed beside this Python; `make test` has it")
    path = {"PATH": f"{uv.parent}:{os.environ['PATH']}"}
    command = [uv, "build", "--wheel", "--no-build-isolation", "--python", sys.executable, "-o", tmp_path]
    command += ["-C", "build-dir=build/tree", "-C", "build.targets=_core", ROOT]  # as in the Makefile
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **path}, timeout=300)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.stat().st_size < WHEEL_BYTES

    names = zipfile.ZipFile(wheel).namelist()
    ours = r"lissom/.*\.(pyi?|glsl|vert|frag|js|css|typed)|lissom/_core\..*\.(so|pyd)|lissom-.*\.dist-info/.*"
    ours += r"|lissom/packages/(babylon|godot|three|unity|unreal)/[\w.-]+"
    assert not [name for name in names if not re.fullmatch(ours, name)]
    packaged = {name for name in names if name.startswith("lissom/")}
    package = ROOT / "python" / "lissom"
    for source in (path for kind in ("py", "js", "css") for path in package.rglob(f"*.{kind}")):
        assert f"lissom/{source.relative_to(package).as_posix()}" in packaged
    for shader in (p for p in (ROOT / "shaders").rglob("*") if p.is_file()):
        assert f"lissom/shaders/{shader.relative_to(ROOT / 'shaders').as_posix()}" in packaged
    for module in (ROOT / "packages").glob("*/*"):
        assert f"lissom/{module.relative_to(ROOT).as_posix()}" in packaged
    assert {"lissom/py.typed", "lissom/_core.pyi"} <= packaged
    assert {"LICENSE", "THIRD_PARTY.md"} <= {name.rpartition("licenses/")[2] for name in names}


def test_third_party_code_is_listed_with_its_licence() -> None:
    listed = (ROOT / "THIRD_PARTY.md").read_text()
    vendored = [path for path in (ROOT / "src" / "vendor").iterdir() if path.is_dir()]
    assert vendored
    for folder in vendored:
        assert f"`src/vendor/{folder.name}`" in listed
        (licence,) = folder.glob("LICENSE*")
        for paragraph in licence.read_text().strip().split("\n\n"):
            lines = "\n".join(f"    {line}" for line in paragraph.splitlines())
            assert lines in listed


def test_compiler_flags_never_name_this_machine() -> None:
    files = [
        ROOT / "CMakeLists.txt",
        ROOT / "CMakePresets.json",
        ROOT / "pyproject.toml",
        *ROOT.glob("src/**/CMakeLists.txt"),
    ]
    assert not [path for path in files if "-march=native" in path.read_text()]


def test_import_is_quick_and_opens_nothing() -> None:
    code = """
import time, sys, threading
import numpy
start = time.perf_counter()
import lissom
seconds = time.perf_counter() - start
heavy = {"msgspec", "moderngl", "PIL", "typer", "rich", "json", "logging"} & (set(sys.modules) - before)
assert not heavy, heavy
assert threading.active_count() == 1
print(seconds)
""".replace("start = time", "before = set(sys.modules)\nstart = time", 1)
    seconds = min(float(run_python(code).stdout) for _ in range(5))
    assert seconds < IMPORT_SECONDS


PLAYGROUND = """
tube = lissom.samples.two_bone_tube()
chain = lissom.ik.Chain(tube.skeleton, 0, 1)
lissom.ik.Playground(tube, [chain]).widget
"""

# What needs an extra, by a call that any user may make first.
EXTRAS = [
    ("moderngl", "gl", "lissom.gpu.Stage().__enter__()"),
    ("moderngl", "gl", "lissom.render(lissom.samples.two_bone_tube())"),
    ("moderngl", "gl", "tube = lissom.samples.two_bone_tube(); lissom.compare(tube, tube.skeleton.rest)"),
    ("PIL", "gl", "lissom._rig.part.Texture(data=b'', mime='image/png', name='skin').decode()"),
    ("PIL", "gl", "lissom.testing.assert_pictures_close('a.png', 'b.png')"),
    ("anywidget", "jupyter", PLAYGROUND),
    ("matplotlib", "plot", "lissom.plots.clip_curves(lissom.samples.humanoid().clips['walk'], 'Head')"),
    ("matplotlib", "plot", "lissom.plots.weight_histogram(lissom.samples.humanoid().mesh)"),
    ("fast_simplification", "lod", "lissom.gpu.levels_of_detail(lissom.samples.humanoid())"),
]


@pytest.mark.parametrize(("module", "extra", "call"), EXTRAS, ids=[f"{m}-{c[:22]}" for m, _, c in EXTRAS])
def test_missing_extra_is_named(module: str, extra: str, call: str) -> None:
    code = f"import sys; sys.modules[{module!r}] = None\nimport lissom, lissom._rig.mesh\n{call}"
    done = run_python(code, check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: "), done.stderr
    assert last.endswith(f'pip install "lissom[{extra}]" (from a clone: pip install ".[{extra}]")')


@pytest.mark.parametrize("module", ["typer", "rich"])
def test_command_without_its_extra_says_one_sentence(module: str) -> None:
    done = run_python(
        f"import sys; sys.modules[{module!r}] = None\nfrom lissom.cli import main\nmain(['--help'])",
        check=False,
    )
    sentence = (
        f'lissom: the command needs {module}, which is in the extra "cli": '
        'pip install "lissom[cli]" (from a clone: pip install ".[cli]")\n'
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", sentence)


def test_a_broken_extra_is_not_called_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lissom._base.extras import require

    (tmp_path / "half_there.py").write_text("import not_there_at_all\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="not_there_at_all"):
        require("half_there", "gl", "lissom.render")


@pytest.mark.tree
def test_set_up_names_what_is_missing(tmp_path: Path) -> None:
    script = ROOT / ".ci" / "system-packages"
    none = subprocess.run([script, "python-of-nowhere"], capture_output=True, text=True, check=False)
    assert none.returncode == 1
    assert "Python 3.11 or later, and python-of-nowhere is not on PATH" in none.stderr
    # Where nothing may be installed: no root, a Python without venv and headers, nothing else on PATH.
    for name, text in {
        "python3": FAKE_PYTHON,
        "id": "#!/bin/sh\necho 1000\n",
        "sudo": "#!/bin/sh\nexit 1\n",
    }.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    bare = subprocess.run([script, "python3"], capture_output=True, text=True, env=environment, check=False)
    assert bare.returncode == 1
    assert bare.stderr.count("\n") == 1
    assert "run: sudo apt-get install " in bare.stderr
    assert "python3.11-venv python3.11-dev" in bare.stderr


FAKE_PYTHON = """#!/bin/sh
case "$2" in
  *print*) echo 3.11 ;;
  *version_info*) exit 0 ;;
  *) exit 1 ;;
esac
"""


@pytest.mark.tree
def test_extras_hold_what_the_code_imports() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    *parts, whole = extras
    programs = {"jupyterlab": "jupyter", "ipykernel": "jupyter"}  # which `jupyter lab notebooks` runs
    found = {re.split(r"[><=\[]", need)[0]: part for part in parts for need in extras[part]}
    assert found == EXTRA_OF | programs
    assert (whole, extras[whole]) == ("all", [f"lissom[{','.join(part for part in parts if part != 'ray')}]"])
    assert {re.split("[><=]", need)[0] for need in project["dependencies"]} == {"numpy", "msgspec"}


def test_show_config_tells_what_runs(capsys: pytest.CaptureFixture[str]) -> None:
    config = lissom.show_config("dicts")
    assert config["lissom"] == lissom.__version__ == importlib.metadata.version("lissom")
    assert config["python"] == platform.python_version()
    assert config["threads"] == lissom.thread_count()
    assert config["instruction_set"] in config["instruction_sets"]
    lissom.show_config()
    assert f'"lissom": "{lissom.__version__}"' in capsys.readouterr().out


def test_show_config_refuses_other_modes() -> None:
    with pytest.raises(ValueError, match="mode must be 'stdout' or 'dicts', got 'html'"):
        lissom.show_config("html")  # type: ignore[call-overload]
