# A toolchain for other machines: the Clang, the C libraries and the linker of ziglang, which is on PyPI.
#   cmake -DCMAKE_TOOLCHAIN_FILE=.ci/zig.cmake -DLISSOM_ZIG=.../ziglang/zig -DLISSOM_ZIG_TARGET=aarch64-linux-gnu.2.28
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LISSOM_ZIG LISSOM_ZIG_TARGET)  # its projects read this file, too

string(REGEX MATCH "^([a-z0-9_]+)-(linux|macos|windows)" known "${LISSOM_ZIG_TARGET}")
if(NOT known)
  message(FATAL_ERROR "LISSOM_ZIG_TARGET must begin with a processor and linux, macos or windows, "
                      "as aarch64-linux-gnu.2.28, got '${LISSOM_ZIG_TARGET}'")
endif()
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
if(CMAKE_MATCH_2 STREQUAL "macos")
  set(CMAKE_SYSTEM_NAME Darwin)
  set(CMAKE_OSX_SYSROOT "")  # zig has its own
  set(CMAKE_INSTALL_NAME_TOOL /bin/false)  # CMake wants one: for what is linked to installed libraries
elseif(CMAKE_MATCH_2 STREQUAL "windows")
  set(CMAKE_SYSTEM_NAME Windows)
else()
  set(CMAKE_SYSTEM_NAME Linux)
endif()

set(LISSOM_X86_LEVEL x86_64_v)  # where others say x86-64-v

set(CMAKE_C_COMPILER ${LISSOM_ZIG} cc -target ${LISSOM_ZIG_TARGET})
set(CMAKE_CXX_COMPILER ${LISSOM_ZIG} c++ -target ${LISSOM_ZIG_TARGET})
# One program is all of these, which CMake's variables of tools have no room for.
set(CMAKE_CXX_ARCHIVE_CREATE "\"${LISSOM_ZIG}\" ar qc <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "\"${LISSOM_ZIG}\" ar q <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "\"${LISSOM_ZIG}\" ranlib <TARGET>")
# Trials that link would have zig compile its C++ library once more, for their flags alone.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-s")  # this machine's strip knows no other's programs
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-s")
