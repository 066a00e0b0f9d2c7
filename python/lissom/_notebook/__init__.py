# SPDX-License-Identifier: MIT
"""What notebooks show of characters, clips, bakes and reports: HTML, and a PNG where there is no HTML.

No script, no OpenGL, no matplotlib. Names come from files, so all text is escaped; colours are left to the
page, be it light or dark. What cannot be shown is shown as its text: no notebook cell fails over a picture.

A front end without HTML, such as the Qt console, shows the PNG in place of the text. No kernel knows to which
front end it talks, so Jupyter asks for both and a notebook keeps both. Therefore the PNG is smaller: at most
8 kB, of a comparison 32 kB. What is tables alone, such as most reports, has none: there its text says more.
"""
