# SPDX-License-Identifier: MIT
"""What drawing needs without OpenGL: cameras, colours, bones, labels."""
