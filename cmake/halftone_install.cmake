# cmake --install: the program, the static libraries as halftone::halftone for find_package(halftone),
# and the public header with exactly the headers it includes, under include/halftone.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/halftone)

# What users link: every library. Its name as a target cannot be `halftone`, that is the program.
get_property(libraries GLOBAL PROPERTY HALFTONE_LIBRARIES)
add_library(halftone_everything INTERFACE)
add_library(halftone::halftone ALIAS halftone_everything)
target_link_libraries(halftone_everything INTERFACE ${libraries})
set_target_properties(halftone_everything PROPERTIES EXPORT_NAME halftone)

install(TARGETS halftone RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# What the program says of its own commands.
install(CODE "execute_process(COMMAND $<TARGET_FILE:halftone> manual
  OUTPUT_FILE ${PROJECT_BINARY_DIR}/halftone.1 COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND $<TARGET_FILE:halftone> completion bash
  OUTPUT_FILE ${PROJECT_BINARY_DIR}/halftone.bash COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${PROJECT_BINARY_DIR}/halftone.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/halftone.bash RENAME halftone
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(TARGETS halftone_everything halftone_options ${libraries}
  EXPORT halftone_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT halftone_targets NAMESPACE halftone:: DESTINATION ${package_folder})

# The headers reachable from these; includes are root-relative, so a text search does.
set(waiting src/api/halftone.h src/api/profile.h src/api/shape_profiles.h)
set(public_headers "")
while(waiting)
  list(POP_FRONT waiting header)
  list(APPEND public_headers ${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
    list(APPEND waiting ${included})
  endforeach()
  list(REMOVE_DUPLICATES waiting)
  list(REMOVE_ITEM waiting ${public_headers})
endwhile()
foreach(header IN LISTS public_headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/halftone/${folder})
endforeach()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/halftoneConfig.cmake.in
  ${PROJECT_BINARY_DIR}/halftoneConfig.cmake INSTALL_DESTINATION ${package_folder}
  NO_SET_AND_CHECK_MACRO)
# 0.x: a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/halftoneConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/halftoneConfig.cmake ${PROJECT_BINARY_DIR}/halftoneConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/halftone_dependencies.cmake DESTINATION ${package_folder})
