# Compiler settings of every target in the project, and the two functions with which modules declare themselves.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

find_program(FOLDPROOF_CCACHE ccache)
if(FOLDPROOF_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${FOLDPROOF_CCACHE}")
endif()

# Newer compilers report more warnings, some of them false; these must not break the build.
set(is_compiler_of_ci OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(is_compiler_of_ci ON)
endif()
option(FOLDPROOF_WERROR "Treat warnings as errors (default: only with the compiler of CI, GCC 12)" ${is_compiler_of_ci})

# -Wno-restrict: false positives for std::string's operator+ in GCC 12 (GCC bug 105651).
# -g1: line tables for stack traces; full debug information takes a quarter of the build time (Debug has it).
# -ffp-contract=off: a multiply-add fused by the compiler would change the bits under test.
add_library(foldproof_flags INTERFACE)
target_compile_options(foldproof_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wno-sign-conversion $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
                       $<$<BOOL:${FOLDPROOF_WERROR}>:-Werror> -ffp-contract=off -fno-fast-math
                       $<$<CONFIG:RelWithDebInfo>:-g1>)
if(FOLDPROOF_SANITIZE)
  # False positives of GCC 12 when sanitizers are enabled: Boost's cpp_int, and copies of initializer lists.
  target_compile_options(foldproof_flags INTERFACE -fsanitize=address,undefined
                         -fno-sanitize-recover=all -fno-omit-frame-pointer -Wno-maybe-uninitialized -Wno-array-bounds
                         -Wno-stringop-overread)
  target_link_options(foldproof_flags INTERFACE -fsanitize=address,undefined)
endif()

# A unit of several sources parses their headers once: a clean build takes a third of the CPU time. Names in anonymous
# namespaces of the same module must therefore differ.
option(FOLDPROOF_UNITY "Compile several sources at a time; OFF rebuilds faster after a change" ON)
function(foldproof_unity target batch)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${FOLDPROOF_UNITY} UNITY_BUILD_BATCH_SIZE ${batch})
endfunction()

# For modules that spend no time in loops: optimizing them takes a third of their compile time.
function(foldproof_optimise_less target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
endfunction()

# foldproof_library(MODULE [DEPENDS target...]): builds the module's library from every .cpp in the folder tree.
# Headers directly in the module are public (#include "module/name.h"); headers in subfolders are private.
function(foldproof_library module)
  cmake_parse_arguments(ARG "" "" "DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  add_library(foldproof_${module} STATIC ${sources})
  add_library(foldproof::${module} ALIAS foldproof_${module})
  target_include_directories(foldproof_${module} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(foldproof_${module} PUBLIC ${ARG_DEPENDS} PRIVATE foldproof_flags ${ARG_PRIVATE_DEPENDS})
  foldproof_unity(foldproof_${module} 16)
endfunction()

# foldproof_tests(NAME LABELS label... DEPENDS target... [NVCC] [FULL] [OPTIMIZED]): one Catch2 program from every .cpp of
# tests/NAME.
# OPTIMIZED: the tests themselves loop over many values; others spend more time in the compiler than in their own code.
# NVCC: test cases tagged [nvcc] form a separate entry, which ctest reports as skipped if there is no nvcc.
# FULL: those that are tagged [full], too, run only with ./x test --full, since each takes seconds.
# Test cases run in an order that differs each time, since none may depend on another; Catch2 prints the seed.
function(foldproof_tests name)
  cmake_parse_arguments(ARG "NVCC;FULL;OPTIMIZED" "" "DEPENDS;LABELS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE ${ARG_DEPENDS} foldproof_flags foldproof_catch_main)
  target_include_directories(test_${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_compile_definitions(test_${name} PRIVATE FOLDPROOF_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             FOLDPROOF_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/${name}/data")
  if(ARG_OPTIMIZED)
    foldproof_optimise_less(test_${name})
    foldproof_unity(test_${name} 8)
  else()
    target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O0>)
    foldproof_unity(test_${name} 16)
  endif()
  set(entries unit.${name})
  set(order --order rand --rng-seed time)
  set(without_nvcc "")
  if(ARG_NVCC)
    set(without_nvcc ~[nvcc])
    add_test(NAME unit.${name}.nvcc COMMAND test_${name} [nvcc]~[full] ${order})
    list(APPEND entries unit.${name}.nvcc)
  endif()
  if(ARG_FULL)
    add_test(NAME full.${name} COMMAND test_${name} [full] ${order} CONFIGURATIONS Full)
    list(APPEND entries full.${name})
  endif()
  add_test(NAME unit.${name} COMMAND test_${name} ${without_nvcc} ${order})
  set_tests_properties(${entries} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600 SKIP_RETURN_CODE 3)
endfunction()
