// SPDX-License-Identifier: MIT
#pragma once

namespace lissom {

// The highest level of x86-64 that this processor and operating system run, 1 to 4: x86-64-v2, -v3 and -v4 of the
// System V ABI for AMD64, table 3.1, whole, as compilers may use all of a level that they are given. Asked of the
// processor itself: the `__builtin_cpu_supports` of compilers is answered by their run-time library, and that of some
// toolchains (Zig's, for Windows and musl) says no to everything.
int x86_level();

}  // namespace lissom
