# cmake --install: the program; the static libraries as halftone::halftone for find_package(halftone); the shared library,
# halftone::shared, for other languages; the public headers of both, include/halftone.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/halftone)

# What users link: every library. Its name as a target cannot be `halftone`, that is the program.
get_property(libraries GLOBAL PROPERTY HALFTONE_LIBRARIES)
add_library(halftone_everything INTERFACE)
add_library(halftone::halftone ALIAS halftone_everything)
target_link_libraries(halftone_everything INTERFACE ${libraries})
set_target_properties(halftone_everything PROPERTIES EXPORT_NAME halftone)

# Components, each a Debian package (cmake/halftone_packages.cmake): program, library, development; python, of
# src/python.
install(TARGETS halftone RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
# Links under the names of the tools whose command lines the program takes (src/cli/main.cc), in a folder of their own,
# as ccache has it: who wants them puts that in front in PATH, and no real tool is hidden.
set(links ${PROJECT_BINARY_DIR}/links)
file(MAKE_DIRECTORY ${links})
foreach(name IN ITEMS aoe atc qaic-compile qaic-exec)
  file(CREATE_LINK ../../${CMAKE_INSTALL_BINDIR}/halftone ${links}/${name} SYMBOLIC)
  install(FILES ${links}/${name} DESTINATION lib/halftone COMPONENT program)
endforeach()
# What the program says of its own commands. Compressed, as manual pages are on Debian.
install(CODE "execute_process(COMMAND $<TARGET_FILE:halftone> manual
  COMMAND gzip -9n OUTPUT_FILE ${PROJECT_BINARY_DIR}/halftone.1.gz COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND $<TARGET_FILE:halftone> completion bash
  OUTPUT_FILE ${PROJECT_BINARY_DIR}/halftone.bash COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/halftone.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/halftone.bash RENAME halftone
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
# A network with samples to try the program on.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/digits DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/halftone/examples
  COMPONENT program)

install(TARGETS halftone_everything halftone_options ${libraries}
  EXPORT halftone_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
# libhalftone.so, for programs in other languages: halftone::shared.
install(TARGETS halftone_shared EXPORT halftone_shared_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
foreach(set halftone_targets halftone_shared_targets)
  install(EXPORT ${set} NAMESPACE halftone:: DESTINATION ${package_folder} COMPONENT development)
endforeach()
# pkg-config's file says where it was installed, which is known when it is.
install(CODE "set(PROJECT_VERSION ${PROJECT_VERSION})
set(CMAKE_INSTALL_LIBDIR ${CMAKE_INSTALL_LIBDIR})
set(CMAKE_INSTALL_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/halftone.pc.in ${PROJECT_BINARY_DIR}/halftone.pc @ONLY)"
  COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/halftone.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/halftone DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/examples/01_tune_model.cc ${PROJECT_SOURCE_DIR}/examples/04_run_point.cc
    ${PROJECT_SOURCE_DIR}/examples/05_run_point.c
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libhalftone-dev/examples COMPONENT development)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/halftoneConfig.cmake.in
  ${PROJECT_BINARY_DIR}/halftoneConfig.cmake INSTALL_DESTINATION ${package_folder}
  NO_SET_AND_CHECK_MACRO)
# 0.x: a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/halftoneConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/halftoneConfig.cmake ${PROJECT_BINARY_DIR}/halftoneConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/halftone_dependencies.cmake DESTINATION ${package_folder} COMPONENT development)

include(cmake/halftone_packages.cmake)
