# Contents of the packages: each installed file belongs to one component, and each component has what its package
# promises. And the packages that libhalftone-dev depends on are those that the build needs.
#   cmake -DBUILD=<build folder> -DSOURCE=<repository> -DPYTHON=<ON or OFF> -P check_components.cmake
cmake_minimum_required(VERSION 3.25)
set(components program library development)
if(PYTHON)
  list(APPEND components python)
endif()
set(folder ${BUILD}/tests/install/components)
file(REMOVE_RECURSE ${folder})

# installed_files(<variable> <component>): relative to the prefix; all components for an empty one.
function(installed_files variable component)
  set(choice "")
  if(component)
    set(choice --component ${component})
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${folder}/${component} ${choice}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE files LIST_DIRECTORIES FALSE RELATIVE ${folder}/${component} ${folder}/${component}/*)
  list(SORT files)
  set(${variable} "${files}" PARENT_SCOPE)
endfunction()

# What a component's files look like, and files that it must have.
set(allowed_program "^(bin/halftone|lib/halftone/(aoe|atc|qaic-compile|qaic-exec)|share/(man|bash-completion)/.*|share/halftone/.*|share/doc/halftone/.*)$")
set(needed_program bin/halftone lib/halftone/aoe lib/halftone/atc lib/halftone/qaic-compile lib/halftone/qaic-exec share/halftone/impl_modes/high_precision.ini share/man/man1/halftone.1.gz share/bash-completion/completions/halftone
  share/doc/halftone/copyright share/doc/halftone/changelog.gz share/doc/halftone/changelog.Debian.gz
  share/doc/halftone/examples/digits/model.onnx share/doc/halftone/examples/digits/search_inputs.npy)
set(allowed_library "^(lib[^ ]*/libhalftone[.]so[.][0-9.]+|share/doc/libhalftone0/.*)$")
set(needed_library lib/libhalftone.so.0 share/doc/libhalftone0/copyright)
set(allowed_development "^(include/halftone/.*[.]h|lib[^ ]*/(libhalftone(_[a-z_]+[.]a|[.]so)|cmake/halftone/.*[.]cmake|pkgconfig/halftone[.]pc)|share/doc/libhalftone-dev/.*)$")
set(needed_development lib/libhalftone.so lib/libhalftone_api.a lib/cmake/halftone/halftoneConfig.cmake
  lib/cmake/halftone/halftone_dependencies.cmake lib/pkgconfig/halftone.pc include/halftone/c_api.h
  include/halftone/qaic_graph.h include/halftone/halftone.h share/doc/libhalftone-dev/copyright
  share/doc/libhalftone-dev/examples/04_run_point.cc share/doc/libhalftone-dev/examples/05_run_point.c)
set(allowed_python "halftone")
set(needed_python share/doc/python3-halftone/copyright)

set(in_components "")
foreach(component IN LISTS components)
  installed_files(files ${component})
  foreach(file IN LISTS files)
    if(NOT file MATCHES "${allowed_${component}}")
      message(SEND_ERROR "component ${component}: expected files that match ${allowed_${component}}, found ${file}")
    endif()
    if(file IN_LIST in_components)
      message(SEND_ERROR "component ${component}: ${file} is in another component, too")
    endif()
  endforeach()
  foreach(file IN LISTS needed_${component})
    string(REGEX REPLACE "^lib/" "lib[^ ]*/" pattern ${file})
    if(NOT ";${files};" MATCHES ";${pattern};")
      message(SEND_ERROR "component ${component}: expected ${file}, found none")
    endif()
  endforeach()
  list(APPEND in_components ${files})
endforeach()
file(RENAME ${folder} ${folder}_apart)
installed_files(files "")
list(SORT in_components)
if(NOT files STREQUAL in_components)
  list(REMOVE_ITEM files ${in_components})
  message(SEND_ERROR "expected a COMPONENT of ${components} at every install rule, found none at those of: ${files}")
endif()
file(REMOVE_RECURSE ${folder} ${folder}_apart)

# Every line that finds a library names its package, and packages.txt has it.
file(STRINGS ${SOURCE}/scripts/packages.txt listed REGEX "^[a-z0-9]")
list(TRANSFORM listed REPLACE " .*" "")
set(of_no_package "find_package\\(Threads|HALFTONE_PAGMO")  # of libc; found beside find_package(pagmo)
file(STRINGS ${SOURCE}/cmake/halftone_dependencies.cmake lines REGEX "^(find_package|pkg_check_modules|find_library)")
foreach(line IN LISTS lines)
  if(line MATCHES "${of_no_package}")
    continue()
  endif()
  if(NOT line MATCHES "[)]  # ([a-z0-9.+-]+)$")
    message(SEND_ERROR "cmake/halftone_dependencies.cmake: expected '# package' at the end of '${line}'")
  elseif(NOT CMAKE_MATCH_1 IN_LIST listed)
    message(SEND_ERROR "scripts/packages.txt: expected ${CMAKE_MATCH_1}, of cmake/halftone_dependencies.cmake, found none")
  endif()
endforeach()
