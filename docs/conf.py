# SPDX-License-Identifier: MIT
"""Sphinx settings: prose in MyST, the API from the docstrings."""

import lissom

project = "lissom"
author = "The lissom developers"
project_copyright = "The lissom developers, MIT licence"
version = release = lissom.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"lissom {release}"

myst_enable_extensions = ["dollarmath", "colon_fence"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say more: shapes, dtypes, units
autodoc_default_options = {"members": True}
numpydoc_show_class_members = False
default_role = "py:obj"  # a name in single backticks becomes a link where there is such a thing
