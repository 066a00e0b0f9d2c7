# SPDX-License-Identifier: MIT
"""The playground of inverse kinematics."""
