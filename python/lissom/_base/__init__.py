# SPDX-License-Identifier: MIT
"""What every room stands on: arrays, numbers, names, methods, and how wrong ones are refused."""
