# SPDX-License-Identifier: MIT
"""`lissom.view`: a server for the browser of this machine that shows files while they are worked on."""
