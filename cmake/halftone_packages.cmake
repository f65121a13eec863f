# Debian packages, by CPack (scripts/package.sh; docs/internals/dependencies.md): one of each component of the install rules.
#   halftone          program       the program, its manual page, completion, an example
#   libhalftone0      library       libhalftone.so.0, the C interface
#   libhalftone-dev   development   headers, static libraries, CMake package
#   python3-halftone  python        the Python package, where HALFTONE_PYTHON is on
# Packages that binaries need are found by dpkg-shlibdeps; those of libhalftone-dev are named by the lines of
# halftone_dependencies.cmake.

# halftone_packages_of(<variable> <file>): the packages at the ends of lines of halftone_dependencies.cmake.
function(halftone_packages_of variable file)
  file(STRINGS ${file} lines REGEX "\\)  # [a-z0-9.+-]+$")
  list(TRANSFORM lines REPLACE ".*\\)  # " "")
  list(JOIN lines ", " packages)
  set(${variable} ${packages} PARENT_SCOPE)
endfunction()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME halftone)
set(CPACK_PACKAGE_VENDOR halftone)
set(CPACK_PACKAGE_CONTACT "halftone maintainers <maintainers@halftone.example>")
# CPack puts another summary in front of that of each package.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${CMAKE_PROJECT_NAME} built using CMake")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)

set(text "halftone chooses for every operator of an ONNX network its data type
(float32, float16, bfloat16, int8) and its implementation, measures time
and accuracy, and writes what it found as the configuration files that
compilers read.")

# halftone_package(<component> <name> SUMMARY <line> SECTION <section> [DEPENDS <list>] [SHLIBS]): the package of a
# component. SHLIBS: it has binaries, whose libraries dpkg-shlibdeps finds. Every package gets its copyright and
# changelog.
function(halftone_package component name)
  cmake_parse_arguments(ARG "SHLIBS" "SUMMARY;SECTION;DEPENDS" "" ${ARGN})
  string(TOUPPER ${component} upper)
  foreach(row IN ITEMS "PACKAGE_NAME;${name}" "PACKAGE_SECTION;${ARG_SECTION}" "PACKAGE_DEPENDS;${ARG_DEPENDS}"
                       "PACKAGE_SHLIBDEPS;${ARG_SHLIBS}")
    list(GET row 0 key)
    list(SUBLIST row 1 -1 value)
    set(CPACK_DEBIAN_${upper}_${key} "${value}" PARENT_SCOPE)
  endforeach()
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${ARG_SUMMARY}\n${text}" PARENT_SCOPE)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
    COMPONENT ${component})
  install(FILES ${PROJECT_BINARY_DIR}/debian/changelog.gz ${PROJECT_BINARY_DIR}/debian/changelog.Debian.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
    COMPONENT ${component})
endfunction()

string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH where that is set
set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
file(CONFIGURE OUTPUT debian/changelog.Debian CONTENT "halftone (${version}) unstable; urgency=low

  * Packages of halftone ${PROJECT_VERSION}; changelog.gz says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
execute_process(COMMAND gzip -9nc ${PROJECT_BINARY_DIR}/debian/changelog.Debian
  OUTPUT_FILE ${PROJECT_BINARY_DIR}/debian/changelog.Debian.gz COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND gzip -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  OUTPUT_FILE ${PROJECT_BINARY_DIR}/debian/changelog.gz COMMAND_ERROR_IS_FATAL ANY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS CHANGELOG.md)
halftone_packages_of(development_packages ${CMAKE_CURRENT_LIST_DIR}/halftone_dependencies.cmake)

halftone_package(program halftone SUMMARY "finds the fastest mix of precisions of an ONNX network" SECTION science SHLIBS)
halftone_package(library libhalftone0 SUMMARY "runs tuned ONNX networks - C interface" SECTION libs SHLIBS)
halftone_package(development libhalftone-dev SUMMARY "tunes and runs ONNX networks - development files" SECTION libdevel
  DEPENDS "libhalftone0 (= ${version}), ${development_packages}")
set(CPACK_COMPONENTS_ALL program library development)
if(HALFTONE_PYTHON)
  # The module is of one minor version of Python.
  execute_process(COMMAND /usr/bin/python3 -c
    "import sys; print('python3 (>= 3.{}), python3 (<< 3.{})'.format(sys.version_info[1], sys.version_info[1] + 1))"
    OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  halftone_package(python python3-halftone SUMMARY "finds the fastest mix of precisions - Python package" SECTION python
    DEPENDS "${python}, python3-numpy" SHLIBS)
  # Compiled files of Python are made when the package is installed, and go with it.
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/python/postinst
    ${CMAKE_CURRENT_LIST_DIR}/debian/python/prerm)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
# CPack adds a call of ldconfig, which the trigger makes superfluous: lintian's maintscript-calls-ldconfig.
# A program that links libhalftone.so depends on the package of its interface.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_BINARY_DIR}/debian/triggers)
file(CONFIGURE OUTPUT debian/shlibs CONTENT "libhalftone 0 libhalftone0 (>= ${version})\n")
file(CONFIGURE OUTPUT debian/triggers CONTENT "activate-noawait ldconfig\n")
include(CPack)
