# SPDX-License-Identifier: GPL-3.0-or-later
# What `cmake --install` puts where. libtorch is no part of it: packaging/install.sh --wheels fetches it into <prefix>/lib/headscope,
# where the programs look; packaging/package.sh packs it.

include(GNUInstallDirs)
set(_programs headscope-cli)
if(TARGET headscope)
  list(APPEND _programs headscope)
endif()
# What they load when they run is built with them, else a build of the programs alone could not be installed.
foreach(_loaded IN ITEMS headscope_cuda headscope_cudagraphs)
  if(TARGET ${_loaded})
    foreach(_program IN LISTS _programs)
      add_dependencies(${_program} ${_loaded})
    endforeach()
  endif()
endforeach()
set_target_properties(${_programs} PROPERTIES
  INSTALL_RPATH "$ORIGIN/../lib/headscope/torch-2.11.0/torch/lib:$ORIGIN/../lib/headscope/torch-2.11.0/torch.libs:$ORIGIN/../lib/headscope/lib")
install(TARGETS ${_programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(_share ${CMAKE_INSTALL_DATADIR}/headscope)
install(DIRECTORY resources/ DESTINATION ${_share} PATTERN pictures EXCLUDE PATTERN translations EXCLUDE PATTERN hicolor EXCLUDE)
install(FILES packaging/common.sh packaging/debian-packages.txt DESTINATION ${_share}/packaging)
install(PROGRAMS packaging/install.sh DESTINATION ${_share}/packaging)
install(FILES packaging/wheels/cpu.txt packaging/wheels/cuda.txt packaging/wheels/words.txt DESTINATION ${_share}/packaging/wheels)
install(FILES packaging/headscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES packaging/org.headscope.Headscope.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
install(FILES packaging/headscope.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME headscope.xml)
install(FILES resources/icons/headscope-session.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/mimetypes)
install(FILES resources/icons/headscope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(DIRECTORY resources/icons/hicolor DESTINATION ${CMAKE_INSTALL_DATADIR}/icons) # the same, drawn by packaging/icons.sh
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

# What the programs are made of, for whoever has to answer for it.
option(HEADSCOPE_SBOM "Install a list of what the programs are made of (SPDX; needs dpkg)" ON)
if(NOT HEADSCOPE_SBOM)
  return()
endif()
add_custom_target(sbom COMMAND ${CMAKE_SOURCE_DIR}/packaging/sbom.py --build ${CMAKE_BINARY_DIR} --output ${CMAKE_BINARY_DIR}/headscope.spdx.json
  DEPENDS ${_programs} VERBATIM)
install(CODE "execute_process(COMMAND ${CMAKE_SOURCE_DIR}/packaging/sbom.py --build ${CMAKE_BINARY_DIR} --output ${CMAKE_BINARY_DIR}/headscope.spdx.json
  COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${CMAKE_BINARY_DIR}/headscope.spdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
