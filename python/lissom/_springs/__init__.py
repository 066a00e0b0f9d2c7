# SPDX-License-Identifier: MIT
"""Springs: joints of hair, tails and clothes that lag behind the body, as VRM says."""
