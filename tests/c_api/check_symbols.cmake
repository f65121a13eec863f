# libhalftone.so exports the functions of the C header, and no others.
#   cmake -DLIBRARY=<libhalftone.so> -DHEADER=<c_api.h> -DNM=<nm> -P check_symbols.cmake
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]+\n" exported "${text}")
list(TRANSFORM exported REPLACE "(@@.*)?\n" "")
list(REMOVE_ITEM exported HALFTONE_1)  # the name of the version itself
file(READ ${HEADER} header)
string(REGEX MATCHALL "halftone_[a-z_]+\\(" declared "${header}")
list(TRANSFORM declared REPLACE "\\(" "")
# Comments of the header name functions too.
list(REMOVE_DUPLICATES declared)
list(SORT declared)
list(SORT exported)
if(NOT declared STREQUAL exported)
  message(FATAL_ERROR "${LIBRARY}: expected the functions of ${HEADER}: ${declared}, found ${exported}")
endif()
