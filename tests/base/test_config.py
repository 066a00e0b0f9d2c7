# SPDX-License-Identifier: MIT
"""The instruction set, the threads and what show_config says of them."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import lissom

ISAS = lissom.show_config("dicts")["instruction_sets"]


@pytest.fixture
def restored_threads():
    yield
    lissom.set_thread_count(0)


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_version_is_known() -> None:
    assert lissom.__version__


def test_show_config_names_the_instruction_set_in_use() -> None:
    config = lissom.show_config("dicts")
    wanted = os.environ.get("LISSOM_ISA") or config["instruction_sets"][-1]
    assert config["instruction_set"] == wanted
    assert config["instruction_sets"] == ISAS


@pytest.mark.parametrize("isa", ISAS)
def test_environment_forces_an_instruction_set(isa) -> None:
    run = run_python("import lissom; print(lissom.show_config('dicts')['instruction_set'])", LISSOM_ISA=isa)
    assert run.stdout.strip() == isa, run.stderr


@pytest.mark.parametrize("wrong", ["v5", "avx2", "V3"])
def test_unknown_instruction_set_is_refused(wrong) -> None:
    run = run_python("import lissom", LISSOM_ISA=wrong)
    assert run.returncode == 1
    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: lissom: LISSOM_ISA must be one of ")
    assert f"of which this machine runs {', '.join(ISAS)}, got '{wrong}'" in last


def test_threads_come_from_the_environment() -> None:
    run = run_python("import lissom; print(lissom.thread_count())", LISSOM_THREADS="3")
    assert run.stdout.strip() == "3"


@pytest.mark.parametrize("wrong", ["0", "-1", "two", "2.5", "1025", "99999999999999999999"])
def test_wrong_threads_in_the_environment_are_refused(wrong) -> None:
    run = run_python("import lissom", LISSOM_THREADS=wrong)
    assert run.returncode == 1
    assert (
        f"ImportError: lissom: LISSOM_THREADS must be a whole number from 1 to 1024, got '{wrong}'"
        in run.stderr
    )


@pytest.mark.parametrize("name", ["LISSOM_ISA", "LISSOM_DETERMINISTIC", "LISSOM_THREADS"])
@pytest.mark.parametrize("as_module", [False, True])
def test_the_command_says_so_in_one_sentence(name, as_module) -> None:
    script = os.path.join(os.path.dirname(sys.executable), "lissom")
    run = subprocess.run(
        [*([sys.executable, "-m", "lissom"] if as_module else [script]), "doctor"],
        env=os.environ | {name: "yes"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(f"lissom: {name} must be ")
    assert run.stderr.count("\n") == 1


@pytest.mark.usefixtures("restored_threads")
def test_set_thread_count_is_kept_until_zero() -> None:
    start = lissom.thread_count()
    lissom.set_thread_count(7)
    assert lissom.thread_count() == 7
    lissom.set_thread_count(0)
    assert lissom.thread_count() == start >= 1


@pytest.mark.parametrize("wrong", [-1, 1025, 1 << 40, -(1 << 40)])
def test_thread_counts_out_of_range_are_refused(wrong) -> None:
    with pytest.raises(ValueError, match=f"^set_thread_count: count must be 0 to 1024, got {wrong};"):
        lissom.set_thread_count(wrong)


def test_a_thread_count_of_many_digits_is_refused_in_few() -> None:
    with pytest.raises(ValueError, match=r"got a number of 33220 bits;"):
        lissom.set_thread_count(10**10_000)


def test_thread_count_must_be_an_integer() -> None:
    with pytest.raises(TypeError, match="set_thread_count: count must be an integer, got float"):
        lissom.set_thread_count(2.0)  # type: ignore[arg-type]


def large_job() -> tuple[lissom.Mesh, np.ndarray]:
    """Enough work for threads: 40 000 vertices, about a tenth of a millisecond."""
    rng = np.random.default_rng(0)
    indices = rng.integers(0, 8, (40_000, 4))
    mesh = lissom.Mesh(rng.normal(size=(40_000, 3)), [], indices, np.full((40_000, 4), 0.25))
    matrices = np.tile(np.eye(4, dtype=np.float32), (8, 1, 1))
    matrices[:, :3] += rng.normal(size=(8, 3, 4)).astype(np.float32)
    return mesh, matrices


@pytest.mark.usefixtures("restored_threads")
def test_several_python_threads_may_call_at_once() -> None:
    mesh, matrices = large_job()
    lissom.set_thread_count(4)
    expected = lissom.skin_linear(mesh, matrices)
    wrong: list[int] = []

    def work() -> None:
        for _ in range(50):
            if not np.array_equal(lissom.skin_linear(mesh, matrices), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert not wrong


FORK = """
import os, sys
sys.path.insert(0, {tests!r})
import numpy as np, lissom
from test_config import large_job
mesh, matrices = large_job()
lissom.set_thread_count(4)
expected = lissom.skin_linear(mesh, matrices)  # starts the pool
child = os.fork()
if child == 0:
    right = all(np.array_equal(lissom.skin_linear(mesh, matrices), expected) for _ in range(20))
    os._exit(0 if right else 3)
_, status = os.waitpid(child, 0)
assert np.array_equal(lissom.skin_linear(mesh, matrices), expected)
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_has_threads_of_its_own() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK.format(tests=os.path.dirname(__file__))],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_exit_while_workers_wait_is_clean() -> None:
    code = (
        f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})\n"
        "import lissom; from test_config import large_job\n"
        "lissom.set_thread_count(8); lissom.skin_linear(*large_job())"
    )
    run = run_python(code)
    assert (run.returncode, run.stderr) == (0, "")
