# SPDX-License-Identifier: MIT
"""Golden values: their files, their renewal, and what a user of pytest sees of both."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import lissom
from lissom._formats.png import png_bytes
from lissom.testing import GoldenRenewed, assert_vertices_close, golden


@pytest.fixture(scope="module")
def hero() -> lissom.Character:
    return lissom.samples.humanoid()


@pytest.fixture(scope="module")
def values(hero) -> dict[str, object]:
    """One of each kind, by the name of its file."""
    poses = hero.clips["walk"].sample([0.0, 0.5])
    palette = hero.skin.palette(hero.skeleton.model_matrices(poses))
    return {
        "vertices.npz": hero.deform(poses),
        "poses.npz": poses.astype(np.float64),
        "matrices.npz": palette.matrices,
        "dual_quats.npz": palette.dual_quats,
        "bake.safetensors": lissom.bake(hero, ["walk"], rate=10),
        "picture.png": lissom.Picture(np.arange(600, dtype=np.uint32).reshape(10, 20, 3).astype(np.uint8)),
        "pixels.png": np.arange(200, dtype=np.uint8).reshape(10, 20),
    }


@pytest.fixture
def renew(monkeypatch):
    """Makes or renews a golden value, and gives what the warning said."""

    def renew(*arguments, **options) -> str:
        monkeypatch.setenv("LISSOM_RENEW_GOLDEN", "1")
        with pytest.warns(GoldenRenewed) as caught:
            golden(*arguments, **options)
        monkeypatch.delenv("LISSOM_RENEW_GOLDEN")
        (warning,) = caught
        assert Path(warning.filename).name == Path(__file__).name
        return str(warning.message)

    return renew


def message(*arguments, **options) -> str:
    with pytest.raises(AssertionError) as caught:
        golden(*arguments, **options)
    return str(caught.value)


def test_each_kind_is_made_read_and_compared(values, tmp_path, renew) -> None:
    if not pytest.importorskip("PIL"):
        return
    for name, value in values.items():
        stem, ending = os.path.splitext(name)
        path = tmp_path / name
        assert message(stem, value, folder=tmp_path) == (
            f"golden: there is no file {path}; look whether the value is right, then run the test once with "
            "LISSOM_RENEW_GOLDEN=1 in the environment, which makes it"
        )
        assert renew(stem, value, folder=tmp_path) == f"golden: made {path}"
        golden(stem, value, folder=tmp_path)
        first = path.read_bytes()
        path.unlink()
        renew(stem, value, folder=tmp_path)
        assert path.read_bytes() == first
        assert ending == path.suffix
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(values)


def test_a_value_that_differs_fails_with_the_words_of_its_assert(hero, values, tmp_path, renew) -> None:
    vertices = values["vertices.npz"]
    renew("v", vertices, folder=tmp_path)
    moved = vertices + np.float32([0, 0.25, 0])
    text = message("v", moved, folder=tmp_path, of=hero)
    assert text.startswith("assert_vertices_close: 23176 of 23176 vertices, in 2 of 2 poses, are beyond")
    assert "main joint" in text
    assert text.endswith(f"\n  desired is {tmp_path / 'v.npz'}; LISSOM_RENEW_GOLDEN=1 renews it")
    golden("v", moved, folder=tmp_path, length=0.26)
    assert "golden: shapes differ: actual (2, 34, 10), desired (2, 11588, 3)" in message(
        "v", values["poses.npz"], folder=tmp_path
    )
    bake = values["bake.safetensors"]
    renew("b", bake, folder=tmp_path)
    assert "clips: actual ['run'], desired ['walk']" in message(
        "b", lissom.bake(hero, ["run"], rate=10), folder=tmp_path
    )


def test_renewal_changes_only_what_does_not_fit(values, tmp_path, monkeypatch, renew) -> None:
    vertices = values["vertices.npz"]
    renew("v", vertices, folder=tmp_path)
    path = tmp_path / "v.npz"
    before = path.read_bytes()
    monkeypatch.setenv("LISSOM_RENEW_GOLDEN", "1")
    golden("v", vertices + np.float32(1e-6), folder=tmp_path)  # no warning, which would be an error here
    assert path.read_bytes() == before
    text = renew("v", vertices + np.float32(0.5), folder=tmp_path)
    assert text.startswith(f"golden: renewed {path}; before: assert_vertices_close: 23176 of 23176 vertices")
    assert path.read_bytes() != before
    golden("v", vertices + np.float32(0.5), folder=tmp_path)


@pytest.mark.parametrize("value", ["0", ""])
def test_renewal_is_off_unless_it_is_one(values, tmp_path, monkeypatch, value) -> None:
    monkeypatch.setenv("LISSOM_RENEW_GOLDEN", value)
    assert "there is no file" in message("v", values["vertices.npz"], folder=tmp_path)
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("LISSOM_RENEW_GOLDEN", "yes")
    with pytest.raises(ValueError, match="LISSOM_RENEW_GOLDEN must be 1, 0 or unset, got 'yes'"):
        golden("v", values["vertices.npz"], folder=tmp_path)


def test_the_folder_is_beside_the_test() -> None:
    folder = Path(__file__).parent / "golden"
    assert str(folder / "nothing_of_this_name.npz") in message("nothing_of_this_name", np.zeros((1, 3)))


def test_a_caller_without_a_file_says_its_folder(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"folder must be passed where .*, got None from '<string>'"):
        exec("golden('v', [[0.0, 0, 0]])", {"golden": golden})


def test_what_can_not_equal_itself_is_not_kept(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("LISSOM_RENEW_GOLDEN", "1")
    assert "actual is not finite" in message("v", [[0, np.nan, 0]], folder=tmp_path)
    assert "nothing to compare" in message("v", np.zeros((0, 3)), folder=tmp_path)
    assert not list(tmp_path.iterdir())


def test_another_comparison(tmp_path, renew) -> None:
    weights = np.linspace(0, 1, 5)
    with pytest.raises(
        ValueError, match=r"compare must be passed for an array of shape \(5,\), which may be anything"
    ):
        golden("w", weights, folder=tmp_path)
    allclose = np.testing.assert_allclose
    renew("w", weights, folder=tmp_path, compare=allclose, rtol=1e-6)
    golden("w", weights * (1 + 1e-7), folder=tmp_path, compare=allclose, rtol=1e-6)
    assert "Not equal to tolerance" in message(
        "w", weights * 1.01, folder=tmp_path, compare=allclose, rtol=1e-6
    )
    golden("w", weights * 1.01, folder=tmp_path, compare=allclose, rtol=0.1)


def test_array_files_are_plain_npz(tmp_path, renew) -> None:
    values = np.arange(12, dtype=">f8").reshape(2, 2, 3)[:, ::-1]
    renew("v", values, folder=tmp_path)
    with np.load(tmp_path / "v.npz", allow_pickle=False) as archive:
        assert archive.files == ["values"]
        np.testing.assert_array_equal(archive["values"], values)
        assert archive["values"].dtype == np.dtype("<f8")
    (entry,) = zipfile.ZipFile(tmp_path / "v.npz").infolist()
    assert (entry.date_time, entry.create_system, entry.compress_type) == (
        (1980, 1, 1, 0, 0, 0),
        3,
        zipfile.ZIP_STORED,
    )


def test_damaged_files_are_refused_and_renewed(values, tmp_path, renew) -> None:
    vertices = values["vertices.npz"]
    for content in (b"", b"nothing of the kind", b"PK\x03\x04 cut off"):
        (tmp_path / "v.npz").write_bytes(content)
        with pytest.raises(ValueError, match=r"golden: .*v\.npz holds no golden array .*; renew it"):
            golden("v", vertices, folder=tmp_path)
    np.savez(tmp_path / "v.npz", other=vertices)
    with pytest.raises(ValueError, match=r"v\.npz holds no golden array"):
        golden("v", vertices, folder=tmp_path)
    assert "; before: golden: " in renew("v", vertices, folder=tmp_path)
    golden("v", vertices, folder=tmp_path)


def test_damaged_pictures_are_refused_and_renewed(values, tmp_path, renew) -> None:
    picture = values["picture.png"]
    whole = png_bytes(np.asarray(picture))
    for content in (b"", b"nothing of the kind", whole[:60], whole[:40] + b"?" + whole[41:]):
        (tmp_path / "p.png").write_bytes(content)
        with pytest.raises(ValueError, match=r"golden: .*p\.png holds no picture .*; renew it"):
            golden("p", picture, folder=tmp_path)
    assert "; before: golden: " in renew("p", picture, folder=tmp_path)
    golden("p", picture, folder=tmp_path)


def test_a_killed_write_leaves_the_old_file(values, tmp_path, monkeypatch, renew) -> None:
    renew("v", values["vertices.npz"], folder=tmp_path)
    before = (tmp_path / "v.npz").read_bytes()

    def full(*arguments) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setenv("LISSOM_RENEW_GOLDEN", "1")
    with pytest.raises(OSError, match="No space left"):
        golden("v", values["vertices.npz"] + np.float32(1), folder=tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["v.npz"]
    assert (tmp_path / "v.npz").read_bytes() == before


@pytest.mark.parametrize("name", ["", "a/b", "../a", ".hidden", "a b", "a\\b", "a:b", "-a"])
def test_names_are_those_of_files(tmp_path, name) -> None:
    with pytest.raises(
        ValueError, match=r"golden: name must be of letters, digits, '_', '-', '\+' and '\.', got"
    ):
        golden(name, np.zeros((1, 3)), folder=tmp_path)


def test_wrong_arguments(tmp_path, values) -> None:
    with pytest.raises(ValueError, match=r"name must be without the file's suffix, got 'v\.npz'"):
        golden("v.npz", np.zeros((1, 3)), folder=tmp_path)
    with pytest.raises(TypeError, match="golden: name must be a string, got ndarray"):
        golden(np.zeros((1, 3)), "v", folder=tmp_path)
    with pytest.raises(TypeError, match="golden: actual must be an array of real numbers, got Character"):
        golden("v", lissom.samples.two_bone_tube(), folder=tmp_path)
    with pytest.raises(TypeError, match="rotation"):
        golden("v", values["vertices.npz"], folder=tmp_path, rotation=1)


# --- what a user of pytest sees ---

USERS_TEST = """
import numpy as np
import lissom.testing

hero = lissom.samples.two_bone_tube()
bend = hero.skeleton.rotate(hero.skeleton.rest, 1, lissom.quat.from_axis_angle([0, 0, 1], ANGLE))


def test_bend():
    lissom.testing.golden("bend", hero.deform(bend), of=hero)


def test_rest():
    lissom.testing.assert_poses_close(bend, hero.skeleton.rest, of=hero)  # the user's line
"""


def users_run(folder: Path, source: str, **environment: str) -> str:
    (folder / "test_user.py").write_text(source)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--color=no", "."]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout + done.stderr


def test_a_users_session(tmp_path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    path = tmp_path / "golden" / "bend.npz"
    missing = users_run(tmp_path, USERS_TEST.replace("ANGLE", "0.5"))
    assert "2 failed" in missing
    assert f"golden: there is no file {path}" in missing
    assert not path.exists()

    # pytest's list of warnings names the test and what it made.
    made = users_run(tmp_path, USERS_TEST.replace("ANGLE", "0.5"), LISSOM_RENEW_GOLDEN="1")
    assert "1 failed, 1 passed, 1 warning" in made
    assert "test_user.py::test_bend\n" in made
    assert re.search(rf"test_user\.py:\d+: GoldenRenewed: golden: made {re.escape(str(path))}\n", made)

    # The traceback ends at the user's line, and shows none of ours.
    changed = users_run(tmp_path, USERS_TEST.replace("ANGLE", "0.6"))
    assert '>       lissom.testing.golden("bend", hero.deform(bend), of=hero)' in changed
    assert "# the user's line" in changed
    assert "python/lissom/testing" not in changed
    assert "lissom/testing/_" not in changed
    assert re.search(
        r"E +AssertionError: assert_vertices_close: \d+ of \d+ vertices are beyond the tolerance", changed
    )
    assert re.search(r"E +worst   vertex \d+ \(part 'Dark', main joint 'Tip'\)", changed)
    assert re.search(r"E +rotation: 34\.4 degrees apart, tolerance 0\.00573 degrees", changed)

    # Warnings as errors: the file is renewed all the same, and the failure says so.
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    renewed = users_run(tmp_path, USERS_TEST.replace("ANGLE", "0.6"), LISSOM_RENEW_GOLDEN="1")
    assert re.search(
        rf"GoldenRenewed: golden: renewed {re.escape(str(path))}; before: assert_vertices_close", renewed
    )
    assert "1 failed, 1 passed" in users_run(tmp_path, USERS_TEST.replace("ANGLE", "0.6"))


@pytest.mark.tree
def test_the_how_to_runs_under_pytest(tmp_path) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "howto" / "numeric-checks.md"
    source = "".join(re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE))
    assert "2 failed, 2 passed" in users_run(tmp_path, source)
    made = users_run(tmp_path, source, LISSOM_RENEW_GOLDEN="1")
    assert "4 passed, 2 warnings" in made
    assert "4 passed" in users_run(tmp_path, source)


def test_asserts_work_without_pytest() -> None:
    code = "import sys, lissom.testing; sys.exit('pytest' in sys.modules or 'moderngl' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    assert assert_vertices_close is lissom.testing.assert_vertices_close
