# SPDX-License-Identifier: MIT
"""What a repository shows beside its code: citation, issue forms, security."""

import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.tree
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[0-9]*.yml"))


def test_citation_names_this_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    assert {"cff-version", "message", "title", "authors", "abstract"} <= set(citation)


def test_there_are_issue_forms() -> None:
    assert len(FORMS) == 3


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_form_asks_for_the_configuration(path: Path) -> None:
    form = yaml.safe_load(path.read_text())
    assert {"name", "description", "body"} <= set(form)
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert len({field["id"] for field in fields}) == len(fields)
    asked = [field for field in fields if field["attributes"]["label"] == "lissom.show_config()"]
    assert len(asked) == 1
    assert "lissom.show_config()" in asked[0]["attributes"]["description"]
    # A wish needs none; whoever reports a fault gives it.
    assert asked[0].get("validations", {}).get("required", False) is (path.stem != "3-wish")


def test_security_says_where_and_by_when() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    assert "Report a vulnerability" in text
    assert "48 hours" in text
