# SPDX-License-Identifier: MIT
"""Bakes in the forms of other engines: written whole, read back as the engine plays them, and measured."""
