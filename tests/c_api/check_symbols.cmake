# libhalftone.so exports the functions of the C headers, and no others.
#   cmake -DLIBRARY=<libhalftone.so> -DHEADERS=<c_api.h>,<qaic_graph.h> -DNM=<nm> -P check_symbols.cmake
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]+\n" exported "${text}")
list(TRANSFORM exported REPLACE "(@@.*)?\n" "")
list(REMOVE_ITEM exported HALFTONE_1)  # the name of the version itself
string(REPLACE "," ";" headers ${HEADERS})
set(header "")
foreach(path IN LISTS headers)
  file(READ ${path} text)
  string(APPEND header "${text}")
endforeach()
string(REGEX MATCHALL "halftone_[a-z_]+\\(" declared "${header}")
list(TRANSFORM declared REPLACE "\\(" "")
# Comments of the header name functions too.
list(REMOVE_DUPLICATES declared)
list(SORT declared)
list(SORT exported)
if(NOT declared STREQUAL exported)
  message(FATAL_ERROR "${LIBRARY}: expected the functions of ${HEADERS}: ${declared}, found ${exported}")
endif()
