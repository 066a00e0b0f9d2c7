# SPDX-License-Identifier: MIT
"""Sphinx settings: prose in MyST, notebooks as they were run, the API from the docstrings."""

import sys
from pathlib import Path

import lissom
from lissom._base.set_module import written_in

sys.path.insert(0, str(Path(__file__).resolve().parent))  # for the extensions here

# Sphinx reads the docstrings of its fields from the source.
lissom.dual_quat.Screw.__module__ = written_in(lissom.dual_quat.Screw)

project = "lissom"
author = "The lissom developers"
project_copyright = "The lissom developers, MIT licence"
version = release = lissom.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc"]
extensions += ["gallery", "linked_names", "live", "mathml", "notebook_uses", "summaries"]  # those here
exclude_patterns = ["_build", "jupyter_execute"]  # the second: where MyST-NB puts copies of notebooks
html_theme = "furo"
html_title = f"lissom {release}"
pygments_dark_style = "github-dark"
html_static_path = ["static"]
html_css_files = ["lissom.css"]

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
html_math_renderer = "mathml"  # drawn by the browser, without a script from elsewhere
nb_execution_mode = "off"  # `make notebooks` runs them; a page shows what was put out then
nb_merge_streams = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say more: shapes, dtypes, units
autodoc_default_options = {"members": True}
numpydoc_show_class_members = False
default_role = "py:obj"  # a name in single backticks becomes a link where there is such a thing
