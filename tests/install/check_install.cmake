# Installs a build into a folder of its own, builds the consumers against that folder, runs the installed program and
# the consumers.
#   cmake -DBUILD=<build folder> -DSOURCE=<repository> -DGENERATOR=<name> -DCXX=<compiler> -DCC=<compiler> -DFLAGS=<flags> -P check_install.cmake
set(prefix ${BUILD}/tests/install/prefix)
set(builds ${BUILD}/tests/install/builds)
file(REMOVE_RECURSE ${prefix} ${builds})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
foreach(program consumer consumer_c)
  run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/${program} -B ${builds}/${program} -G ${GENERATOR}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_C_COMPILER=${CC}
    -DCMAKE_C_FLAGS=${FLAGS} -DCMAKE_PREFIX_PATH=${prefix} -DEXAMPLES=${SOURCE}/examples)
  run(${CMAKE_COMMAND} --build ${builds}/${program})
endforeach()
run(${prefix}/bin/halftone --version)
# Links under the names of other tools are commands of the program.
foreach(name IN ITEMS aoe atc qaic-compile qaic-exec)
  execute_process(COMMAND ${prefix}/lib/halftone/${name} --help OUTPUT_VARIABLE of_link COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${prefix}/bin/halftone ${name} --help OUTPUT_VARIABLE of_command COMMAND_ERROR_IS_FATAL ANY)
  if(NOT of_link STREQUAL of_command)
    message(FATAL_ERROR "lib/halftone/${name}: expected the help of halftone ${name}, found '${of_link}'")
  endif()
endforeach()
run(${builds}/consumer/consumer ${SOURCE}/examples/digits/model.onnx)
# A point, run by programs of C++ and of C.
set(point ${BUILD}/tests/install/point)
run(${prefix}/bin/halftone explain --model=${SOURCE}/examples/digits/model.onnx --precision_mode=force_fp16 --output=${point})
foreach(program consumer/04_run_point consumer_c/05_run_point)
  execute_process(COMMAND ${builds}/${program} ${SOURCE}/examples/digits/model.onnx ${point} OUTPUT_VARIABLE text
    COMMAND_ERROR_IS_FATAL ANY)
  if(NOT text MATCHES "the digit is a 7")
    message(FATAL_ERROR "${program}: expected 'the digit is a 7', found '${text}'")
  endif()
endforeach()
run(${builds}/consumer_c/qaic_graph ${SOURCE}/examples/digits/model.onnx)
run(gzip -dfk ${prefix}/share/man/man1/halftone.1.gz)
foreach(text share/man/man1/halftone.1 share/bash-completion/completions/halftone)
  file(STRINGS ${prefix}/${text} lines LIMIT_COUNT 3)
  if(NOT lines MATCHES "halftone")
    message(FATAL_ERROR "${prefix}/${text}: expected a text about halftone, found '${lines}'")
  endif()
endforeach()
