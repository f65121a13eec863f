# halftone_embed_texts(<library> NAME builtin_specs HEADER src/target/builtin_specs.h
#                      FUNCTION BuiltinSpecs FILES specs/a.ini specs/b.ini)
#   Compiles text files into the library, so that the installed program needs no data files: a source
#   file <NAME>.cc that defines the FUNCTION of HEADER as a span of {name without ending, text}.
function(halftone_embed_texts library)
  cmake_parse_arguments(ARG "" "NAME;HEADER;FUNCTION" "FILES" ${ARGN})
  set(rows "")
  foreach(file IN LISTS ARG_FILES)
    cmake_path(GET file STEM LAST_ONLY name)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    file(READ ${file} text)
    string(APPEND rows "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${ARG_NAME}.cc)
  # Writes only what changed, so that nothing is rebuilt in vain.
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"// Made by cmake/halftone_embed.cmake.
#include \"@ARG_HEADER@\"

namespace halftone {
namespace {

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
