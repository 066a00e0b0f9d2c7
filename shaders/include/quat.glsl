// SPDX-License-Identifier: MIT
// Quaternions x, y, z, w.
#ifndef LISSOM_QUAT
#define LISSOM_QUAT
#endif
