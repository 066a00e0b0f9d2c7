# SPDX-License-Identifier: MIT
"""The judge of bakes: reads the forms of many tools, plays them, measures, and names what is wrong."""
