# SPDX-License-Identifier: MIT
"""What files say of their use, in the forms that glTF has for it."""

import json

import pytest

from lissom._jobs.terms import Terms, terms


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"asset": {"copyright": " 2026 A. Maker "}}, Terms("2026 A. Maker")),
        # As Sketchfab writes it.
        (
            {"asset": {"extras": {"license": "CC-BY-4.0 (http://...)", "title": "Fox"}, "copyright": "x"}},
            Terms("CC-BY-4.0 (http://...)"),
        ),
        ({"asset": {"extras": {"tags": ["a", " b "], "keywords": "b, c,,"}}}, Terms(None, ("a", "b", "c"))),
        # The first example of KHR_xmp_json_ld, shortened.
        (
            {
                "asset": {"extensions": {"KHR_xmp_json_ld": {"packet": 0}}},
                "extensions": {
                    "KHR_xmp_json_ld": {
                        "packets": [
                            {
                                "dc:subject": {"@set": ["Film", "Fiction"]},
                                "dc:rights": {
                                    "@type": "rdf:Alt",
                                    "rdf:_1": {"@language": "en-us", "@value": "Copyright 2020"},
                                },
                            }
                        ]
                    }
                },
            },
            Terms("Copyright 2020", ("Film", "Fiction")),
        ),
        (
            {
                "asset": {},
                "extensions": {"VRMC_vrm": {"meta": {"licenseUrl": "https://vrm.dev/licenses/1.0/"}}},
            },
            Terms("https://vrm.dev/licenses/1.0/"),
        ),
        ({"asset": {}, "extensions": {"VRM": {"meta": {"licenseName": "CC0"}}}}, Terms("CC0")),
        ({"asset": {"extensions": {"KHR_xmp_json_ld": {"packet": 7}}, "extras": 3, "copyright": 4}}, Terms()),
        ({"asset": []}, Terms()),
        ({}, Terms()),
    ],
)
def test_terms_of_a_file(document, expected, tmp_path):
    path = tmp_path / "a.gltf"
    path.write_text(json.dumps(document))
    assert terms(str(path)) == expected


def test_what_says_nothing(tmp_path):
    path = tmp_path / "walk.BVH"
    path.write_text('{"asset": {"copyright": "x"}}')
    assert terms(str(path)) == terms("sample:humanoid") == Terms()
