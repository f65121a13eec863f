# halftone_library(search SOURCES tuner.cc ... DEPS halftone::exec [PRIVATE_DEPS TBB::tbb] [COLD] [COLD_SOURCES ...])
#   Static library halftone_search with the alias halftone::search. COLD: it reads, writes and calls, no run of
#   a network or search waits for its code, so that it is compiled with less optimisation (halftone_cold);
#   COLD_SOURCES: these files do.
# halftone_test(ir_shape_test SOURCES shape_test.cc DEPS halftone::ir [LABEL fast|slow] [EVERY_ISA] [MAX_ISA avx2]
#               [ANY_ISA] [TRAPS amx_bf16 ... [NOT_TRAPPED "Slow.*:A.B"]] [PROGRAM] [COST 20])
#   GoogleTest binary and a ctest entry with the label (default fast). Under HALFTONE_UNITY the tests of
#   a folder are one binary, and each entry runs those of its sources.
#   EVERY_ISA runs it again for each instruction set of kernels/cpu_isa.cc, as if the CPU had no more;
#   MAX_ISA for those named, and for those that the folder's HALFTONE_TESTS_MAX_ISA names unless the test is slow,
#   built with sanitizers, or says ANY_ISA: it chooses no kernel, or takes long. TRAPS runs it for the kernels of these sets alone, whose instructions are executed
#   in software where the CPU lacks them (tests/kernels/traps), without the tests that NOT_TRAPPED names. PROGRAM:
#   the tests run halftone, whose path is HALFTONE_BINARY. COST: seconds, where they are many: ctest starts the
#   longest first, and in a new build it knows no others.
# halftone_test_runs_program(<ctest entry>...): each of these runs halftone.
include(GNUInstallDirs)

add_library(halftone_options INTERFACE)
target_include_directories(halftone_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(halftone_options INTERFACE cxx_std_20)
# No contraction of a*b+c into one rounding unless a kernel asks for it by name: results must not
# depend on the compiler's mood.
target_compile_options(halftone_options INTERFACE
  $<BUILD_INTERFACE:-Wall;-Wextra;-Wshadow;-Wnon-virtual-dtor;-Wno-missing-field-initializers;-ffp-contract=off>
  # Pragmas name warnings of gcc.
  $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-warning-option>>
  # Nobody replaces our functions by others of the same name: calls of them are inlined and direct in code for shared
  # libraries, too, as they are in clang.
  $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>>
  # gcc 12 warns of overlapping copies in "literal" + std::string (gcc bug 105651); clang has no such flag.
  $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>>
  # gcc collects garbage from 128 MiB on, in vain in a process that ends soon: a tenth of its time. The unit is KiB; the
  # largest unit of the build takes 1.2 GiB so (scripts/setup.sh counts on 1.5 a job).
  $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=2000000>>
  $<BUILD_INTERFACE:$<$<BOOL:${HALFTONE_WARNINGS_AS_ERRORS}>:-Werror>>)
if(HALFTONE_SANITIZE)
  # Fuzzers try the parsers. The kernels below them have tests of their own under preset asan, and take
  # an hour to build with all of this.
  set(spared $<AND:$<BOOL:${HALFTONE_FUZZ}>,$<STREQUAL:$<TARGET_PROPERTY:NAME>,halftone_kernels>>)
  target_compile_options(halftone_options INTERFACE
    $<BUILD_INTERFACE:$<$<NOT:${spared}>:-fsanitize=${HALFTONE_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>>)
  target_link_options(halftone_options INTERFACE $<BUILD_INTERFACE:-fsanitize=${HALFTONE_SANITIZE}>)
endif()

# halftone_cold(<target>): gcc 12 takes 40 % less time for such a target with -O1 than with -O3. Under
# HALFTONE_UNITY its groups read precompiled headers; other targets cannot, because gcc 12 warns of code in the
# standard library's headers with -O3 when they are precompiled. Presets that compile each file by itself read
# none either, and so find a missing #include.
function(halftone_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(HALFTONE_UNITY)
    target_precompile_headers(${target} REUSE_FROM halftone_cold_headers)
    # The preprocessed text names the precompiled header, which a compiler cache needs to know of.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  endif()
endfunction()

if(HALFTONE_UNITY)
  file(CONFIGURE OUTPUT headers.cc CONTENT "")
  add_library(halftone_cold_headers OBJECT ${PROJECT_BINARY_DIR}/headers.cc)
  target_link_libraries(halftone_cold_headers PRIVATE halftone_options fmt::fmt nlohmann_json::nlohmann_json)
  target_compile_options(halftone_cold_headers PRIVATE $<$<CONFIG:Release>:-O1>
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  target_precompile_headers(halftone_cold_headers PRIVATE <algorithm> <array> <chrono> <cmath> <filesystem>
    <functional> <map> <memory> <numeric> <optional> <set> <span> <string> <unordered_map> <vector> <fmt/format.h>
    <nlohmann/json.hpp>)
endif()

function(halftone_library name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;COLD_SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(halftone_${name} STATIC ${ARG_SOURCES})
  add_library(halftone::${name} ALIAS halftone_${name})
  target_link_libraries(halftone_${name} PUBLIC halftone_options ${ARG_DEPS})
  # BUILD_INTERFACE would lose the link; private dependencies of static libraries are re-exported
  # as link-only, which find_dependency() in the installed configuration file resolves.
  target_link_libraries(halftone_${name} PRIVATE ${ARG_PRIVATE_DEPS})
  set_property(GLOBAL APPEND PROPERTY HALFTONE_LIBRARIES halftone_${name})
  if(ARG_COLD)
    halftone_cold(halftone_${name})
  endif()
  if(ARG_COLD_SOURCES)
    add_library(halftone_${name}_cold OBJECT ${ARG_COLD_SOURCES})
    target_link_libraries(halftone_${name}_cold PRIVATE halftone_options ${ARG_DEPS} ${ARG_PRIVATE_DEPS})
    halftone_cold(halftone_${name}_cold)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL halftone_unity halftone_${name}_cold)")
    target_sources(halftone_${name} PRIVATE $<TARGET_OBJECTS:halftone_${name}_cold>)
  endif()
  set_target_properties(halftone_${name} PROPERTIES EXPORT_NAME ${name})
  # Sources may be added until the end of the folder.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL halftone_unity halftone_${name})")
endfunction()

# Half of the time of a whole build would go into optimising tests: they run for seconds, in the libraries. A folder
# whose tests compute themselves sets HALFTONE_TESTS_COMPUTE.
foreach(kind test computing_test)
  add_library(halftone_${kind}_options INTERFACE)
  # The preprocessed text names the precompiled header, which a compiler cache needs to know of.
  target_compile_options(halftone_${kind}_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endforeach()
target_compile_options(halftone_test_options INTERFACE $<$<CONFIG:Release>:-O0>)
target_compile_options(halftone_computing_test_options INTERFACE $<$<CONFIG:Release>:-O1>)

# halftone_instruction_sets(<variable>): "baseline" and the names of the rows of kernels/cpu_isa.cc.
function(halftone_instruction_sets variable)
  set(table ${PROJECT_SOURCE_DIR}/kernels/cpu_isa.cc)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(READ ${table} text)
  string(REGEX MATCHALL "InstructionSet{[^\"]*\"[a-z0-9_]+\"" rows "${text}")
  list(TRANSFORM rows REPLACE ".*\"(.*)\"" "\\1")
  if(NOT rows)
    message(FATAL_ERROR "${table}: expected rows InstructionSet{kIsa..., \"name\", found none")
  endif()
  set(${variable} baseline ${rows} PARENT_SCOPE)
endfunction()

# halftone_test_filter(<variable> <source>...): a filter of GoogleTest for the tests of these sources.
function(halftone_test_filter variable)
  set(filter "")
  foreach(source IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(READ ${source} text)
    string(REGEX MATCHALL "\n(TYPED_)?TEST(_F|_P)?\\([A-Za-z0-9_]+,[ \n]*[A-Za-z0-9_]+\\)" tests "${text}")
    foreach(test IN LISTS tests)
      string(REGEX MATCH "(TEST|TEST_F|TEST_P|TYPED_TEST)\\(([A-Za-z0-9_]+),[ \n]*([A-Za-z0-9_]+)\\)" test "${test}")
      if(CMAKE_MATCH_1 STREQUAL TEST_P)
        list(APPEND filter "*/${CMAKE_MATCH_2}.${CMAKE_MATCH_3}/*")
      elseif(CMAKE_MATCH_1 STREQUAL TYPED_TEST)
        list(APPEND filter "${CMAKE_MATCH_2}/*.${CMAKE_MATCH_3}")
      else()
        list(APPEND filter "${CMAKE_MATCH_2}.${CMAKE_MATCH_3}")
      endif()
    endforeach()
  endforeach()
  if(NOT filter)
    message(FATAL_ERROR "expected TEST(...) at the left margin, found none: ${ARGN}")
  endif()
  list(JOIN filter ":" filter)
  set(${variable} ${filter} PARENT_SCOPE)
endfunction()

# Their latencies decide nothing: the program measures each for a hundredth of the time (docs/internals/latency.md).
function(halftone_test_runs_program)
  set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT HALFTONE_LATENCY_BUDGET=0.02)
endfunction()

function(halftone_test name)
  cmake_parse_arguments(ARG "EVERY_ISA;ANY_ISA;PROGRAM" "LABEL;COST;NOT_TRAPPED" "SOURCES;DEPS;MAX_ISA;TRAPS" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL fast)
  endif()
  set(binary ${name})
  set(filter "")
  if(HALFTONE_UNITY)  # one binary a folder
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE folder)
    string(REPLACE "/" "_" folder ${folder})
    set(binary halftone_${folder}_tests)
    list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
    halftone_test_filter(filter ${ARG_SOURCES})
    set(filter --gtest_filter=${filter})
  endif()
  if(NOT TARGET ${binary})
    add_executable(${binary})
    if(HALFTONE_TESTS_COMPUTE)
      set(kind computing_test)
    else()
      set(kind test)
    endif()
    target_link_libraries(${binary} PRIVATE halftone_${kind}_options halftone_test_support GTest::gmock GTest::gtest_main)
    target_precompile_headers(${binary} REUSE_FROM halftone_${kind}_headers)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL halftone_unity ${binary})")
  endif()
  target_sources(${binary} PRIVATE ${ARG_SOURCES})
  target_link_libraries(${binary} PRIVATE ${ARG_DEPS})
  if(ARG_PROGRAM)
    target_compile_definitions(${binary} PRIVATE HALFTONE_BINARY="$<TARGET_FILE:halftone>")
    add_dependencies(${binary} halftone)
  endif()
  # One ctest entry per call: gtest reports the cases that fail, start-up is paid once.
  add_test(NAME ${name} COMMAND ${binary} ${filter})
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL}
    ENVIRONMENT "GTEST_BRIEF=1;HALFTONE_OPS_INFO=builtin;HALFTONE_SOURCE_DIR=${PROJECT_SOURCE_DIR};TEST_TMPDIR=${PROJECT_BINARY_DIR}/test_files/")
  if(ARG_PROGRAM)
    halftone_test_runs_program(${name})
  endif()
  if(ARG_COST)
    set_tests_properties(${name} PROPERTIES COST ${ARG_COST})
  endif()
  # A race does not depend on the instruction set; under the thread sanitizer each would take minutes.
  if(ARG_EVERY_ISA AND NOT HALFTONE_SANITIZE MATCHES "thread")
    halftone_instruction_sets(ARG_MAX_ISA)
    target_link_libraries(${binary} PRIVATE halftone_each_isa_once)
  elseif(ARG_LABEL STREQUAL "fast" AND HALFTONE_TESTS_MAX_ISA AND NOT ARG_ANY_ISA AND NOT HALFTONE_SANITIZE)
    list(APPEND ARG_MAX_ISA ${HALFTONE_TESTS_MAX_ISA})
    target_link_libraries(${binary} PRIVATE halftone_each_isa_once)
  endif()
  if(HALFTONE_SANITIZE MATCHES "thread")
    set(ARG_TRAPS "")
  endif()
  set(trapped ${filter})
  if(NOT trapped)
    set(trapped --gtest_filter=*)
  endif()
  foreach(isa ${ARG_TRAPS})
    add_test(NAME ${name}.traps.${isa} COMMAND ${binary} ${trapped}:-${ARG_NOT_TRAPPED})
    set_tests_properties(${name}.traps.${isa} PROPERTIES LABELS ${ARG_LABEL} SKIP_REGULAR_EXPRESSION "SKIPPED: "
      ENVIRONMENT "GTEST_BRIEF=1;HALFTONE_OPS_INFO=builtin;HALFTONE_SOURCE_DIR=${PROJECT_SOURCE_DIR};TEST_TMPDIR=${PROJECT_BINARY_DIR}/test_files/;HALFTONE_TEST_TRAPS=${isa}"
      ENVIRONMENT_MODIFICATION "HALFTONE_MAX_ISA=unset:")  # the CPU that it traps for has no limit
  endforeach()
  # The same binary again as if the CPU had no more than this (kernels/cpu_isa.h), with files of its own: the runs may
  # overlap.
  foreach(isa ${ARG_MAX_ISA})
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/test_files/${isa}")
    add_test(NAME ${name}.${isa} COMMAND ${binary} ${filter})
    set_tests_properties(${name}.${isa} PROPERTIES LABELS ${ARG_LABEL}
      ENVIRONMENT "GTEST_BRIEF=1;HALFTONE_OPS_INFO=builtin;HALFTONE_SOURCE_DIR=${PROJECT_SOURCE_DIR};TEST_TMPDIR=${PROJECT_BINARY_DIR}/test_files/${isa}/;HALFTONE_MAX_ISA=${isa}")
    if(ARG_PROGRAM)
      halftone_test_runs_program(${name}.${isa})
    endif()
  endforeach()
endfunction()

# Where tests write: a folder of this build, so that two builds may be tested at once.
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/test_files")
