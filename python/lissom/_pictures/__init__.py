# SPDX-License-Identifier: MIT
"""Pictures, films and comparisons of characters."""
