# halftone_embed_texts(<library> NAME builtin_specs HEADER src/target/builtin_specs.h
#                      FUNCTION BuiltinSpecs FILES specs/a.ini specs/b.ini)
#   Compiles text files into the library, so that the installed program needs no data files: a source
#   file <NAME>.cc that defines the FUNCTION of HEADER as a span of EmbeddedText. FILES are
#   relative to the calling folder, or absolute.
function(halftone_embed_texts library)
  cmake_parse_arguments(ARG "" "NAME;HEADER;FUNCTION" "FILES" ${ARGN})
  set(rows "")
  foreach(file IN LISTS ARG_FILES)
    cmake_path(GET file STEM LAST_ONLY name)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(SHA256 sha256 "${text}")
    string(APPEND rows "    {\"${name}\", R\"embedded(${text})embedded\"sv, \"${sha256}\"},\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${ARG_NAME}.cc)
  # Writes only what changed, so that nothing is rebuilt in vain.
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"// Made by cmake/halftone_embed.cmake.
#include \"@ARG_HEADER@\"

namespace halftone {
namespace {

using std::literals::operator\"\"sv;  // knows a length that clang 14 would not count to

constexpr EmbeddedText kTexts[] = {
@rows@};

}  // namespace

std::span<const EmbeddedText> @ARG_FUNCTION@() {
  return kTexts;
}

}  // namespace halftone
")
  target_sources(${library} PRIVATE ${source})
endfunction()
