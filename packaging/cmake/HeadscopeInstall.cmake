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
install(FILES packaging/wheels/cpu.txt packaging/wheels/cuda.txt packaging/wheels/words.txt DESTINATION ${_share}/packaging/wheels)
install(FILES packaging/headscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES packaging/org.headscope.Headscope.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
install(FILES packaging/headscope.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME headscope.xml)
install(FILES resources/icons/headscope-session.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/mimetypes)
install(FILES resources/icons/headscope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# Man pages and completion of shells, written by the program itself from the table of its options.
set(_manual ${CMAKE_BINARY_DIR}/manual)
install(CODE "
  file(MAKE_DIRECTORY ${_manual})
  foreach(_made IN ITEMS \"man headscope-cli headscope-cli.1\" \"completion bash headscope-cli\"
      \"completion zsh _headscope-cli\" \"completion fish headscope-cli.fish\" \"man headscope headscope.1\")
    separate_arguments(_made)
    list(POP_BACK _made _file)
    execute_process(COMMAND $<TARGET_FILE:headscope-cli> \${_made} OUTPUT_FILE ${_manual}/\${_file} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()")
install(FILES ${_manual}/headscope-cli.1 ${_manual}/headscope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${_manual}/headscope-cli DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${_manual}/_headscope-cli DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${_manual}/headscope-cli.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

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
