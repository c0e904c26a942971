# SPDX-License-Identifier: GPL-3.0-or-later
# What `cmake --install` puts where, and the Debian package made of it: cpack --config build/release/CPackConfig.cmake
# libtorch is not packed: packaging/install.sh --wheels fetches it into <prefix>/lib/headscope, where the programs
# look (the package does that when it is configured).

include(GNUInstallDirs)
set(_programs headscope-cli)
if(TARGET headscope)
  list(APPEND _programs headscope)
endif()
set_target_properties(${_programs} PROPERTIES
  INSTALL_RPATH "$ORIGIN/../lib/headscope/torch-2.11.0/torch/lib:$ORIGIN/../lib/headscope/torch-2.11.0/torch.libs")
install(TARGETS ${_programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(_share ${CMAKE_INSTALL_DATADIR}/headscope)
install(DIRECTORY resources/ DESTINATION ${_share} PATTERN pictures EXCLUDE PATTERN translations EXCLUDE)
install(FILES packaging/common.sh packaging/debian-packages.txt DESTINATION ${_share}/packaging)
install(PROGRAMS packaging/install.sh DESTINATION ${_share}/packaging)
install(FILES packaging/headscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES resources/icons/headscope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME headscope)
set(CPACK_PACKAGE_CONTACT "The Headscope authors <headscope@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "explorer for attention and SSM heads of language models")
set(CPACK_PACKAGE_DESCRIPTION
    "Shows what each head of a language model looks at, switches heads off, and\nre-scores benchmarks while you watch.")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# Libraries of Debian are found by dpkg-shlibdeps (package dpkg-dev); what fetches libtorch is named here.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${HEADSCOPE_TORCH}/torch/lib;${HEADSCOPE_TORCH}/nvidia/cu13/lib")
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3, python3-pip, ca-certificates, fonts-dejavu-core")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    ${CMAKE_SOURCE_DIR}/packaging/debian/postinst ${CMAKE_SOURCE_DIR}/packaging/debian/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
