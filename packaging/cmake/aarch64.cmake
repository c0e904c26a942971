# SPDX-License-Identifier: GPL-3.0-or-later
# Debian's cross compiler for aarch64. Libraries come from HEADSCOPE_SYSROOT and HEADSCOPE_TORCH, Qt's moc from this machine, and tests
# run under qemu-user. packaging/cross.sh makes the folders.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HEADSCOPE_SYSROOT)
set(CMAKE_SYSROOT ${HEADSCOPE_SYSROOT})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${HEADSCOPE_SYSROOT})

set(CMAKE_FIND_ROOT_PATH ${HEADSCOPE_SYSROOT} ${HEADSCOPE_TORCH})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(_kind IN ITEMS LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${_kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${HEADSCOPE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${HEADSCOPE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${HEADSCOPE_SYSROOT}/usr/share/pkgconfig)
set(QT_HOST_PATH /usr)
set(QT_HOST_PATH_CMAKE_DIR /usr/lib/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu/cmake)
