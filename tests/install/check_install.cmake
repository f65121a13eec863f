# Installs a build into a folder of its own, builds the consumer against that folder, runs both the
# installed program and the consumer.
#   cmake -DBUILD=<build folder> -DSOURCE=<repository> -DGENERATOR=<name> -DCXX=<compiler> -DFLAGS=<flags> -P check_install.cmake
set(prefix ${BUILD}/tests/install/prefix)
set(consumer ${BUILD}/tests/install/consumer)
file(REMOVE_RECURSE ${prefix} ${consumer})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/consumer -B ${consumer} -G ${GENERATOR}
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_PREFIX_PATH=${prefix}
  -DEXAMPLES=${SOURCE}/examples)
run(${CMAKE_COMMAND} --build ${consumer})
run(${prefix}/bin/halftone --version)
run(${consumer}/consumer ${SOURCE}/examples/digits/model.onnx)
foreach(text share/man/man1/halftone.1 share/bash-completion/completions/halftone)
  file(STRINGS ${prefix}/${text} lines LIMIT_COUNT 3)
  if(NOT lines MATCHES "halftone")
    message(FATAL_ERROR "${prefix}/${text}: expected a text about halftone, found '${lines}'")
  endif()
endforeach()
