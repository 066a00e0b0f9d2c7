# SPDX-License-Identifier: MIT
"""What notebooks show of characters, clips, bakes and reports: HTML, and PNG for front ends without it.

No script, no OpenGL, no matplotlib. Names come from files, so all text is escaped; colours are those of the
page, light or dark. Where showing fails, the repr is shown instead, so that no cell fails over a picture.

Front ends without HTML, such as the Qt console, show the PNG. A kernel does not know its front end, so
Jupyter requests both and a notebook stores both. Therefore the PNG is small: at most 8 kB, for a comparison
32 kB. Classes shown by tables alone, such as most reports, have no PNG: their repr says more.
"""
