# SPDX-License-Identifier: MIT
"""The options of each command, a file each; its work is in a module that is imported when called."""
