# Third-party libraries: the system's version if installed, otherwise a pinned download.

include(FetchContent)
if(FOLDPROOF_OFFLINE)
  set(FETCHCONTENT_FULLY_DISCONNECTED ON)
endif()

# foldproof_dependency(NAME TARGET FETCH...): find_package(NAME), else FetchContent with the given arguments.
macro(foldproof_dependency name target)
  find_package(${name} QUIET)
  if(NOT TARGET ${target})
    if(FOLDPROOF_OFFLINE)
      message(FATAL_ERROR "${name} was not found and FOLDPROOF_OFFLINE forbids downloading it; "
                          "install the system package (./x setup does) or configure without FOLDPROOF_OFFLINE")
    endif()
    FetchContent_Declare(${name} ${ARGN})
    FetchContent_MakeAvailable(${name})
  endif()
endmacro()

foldproof_dependency(fmt fmt::fmt GIT_REPOSITORY https://github.com/fmtlib/fmt GIT_TAG 9.1.0)
foldproof_dependency(nlohmann_json nlohmann_json::nlohmann_json
                     GIT_REPOSITORY https://github.com/nlohmann/json GIT_TAG v3.11.2)
foldproof_dependency(tomlplusplus tomlplusplus::tomlplusplus
                     GIT_REPOSITORY https://github.com/marzer/tomlplusplus GIT_TAG v3.3.0)
foldproof_dependency(CLI11 CLI11::CLI11 GIT_REPOSITORY https://github.com/CLIUtils/CLI11 GIT_TAG v2.1.2)
foldproof_dependency(Catch2 Catch2::Catch2 GIT_REPOSITORY https://github.com/catchorg/Catch2 GIT_TAG v2.13.10)
foldproof_dependency(rapidcheck rapidcheck GIT_REPOSITORY https://github.com/emil-e/rapidcheck
                     GIT_TAG 08b505805af0d4ac37c9d3f93f87d03db29e6e1d)

# Debian ships these two as shared libraries only; both also work header-only.
function(foldproof_use_headers target definition)
  get_target_property(is_imported ${target} IMPORTED)
  if(is_imported)
    set_target_properties(${target} PROPERTIES INTERFACE_COMPILE_DEFINITIONS ${definition} INTERFACE_COMPILE_OPTIONS "")
  endif()
endfunction()
if(FOLDPROOF_PORTABLE)
  foldproof_use_headers(fmt::fmt FMT_HEADER_ONLY=1)
  foldproof_use_headers(tomlplusplus::tomlplusplus TOML_HEADER_ONLY=1)
endif()

# libsodium ships no CMake package, and is not built with CMake. The static library makes the programs run on
# machines without it.
find_path(FOLDPROOF_SODIUM_INCLUDE sodium.h)
find_library(FOLDPROOF_SODIUM NAMES libsodium.a sodium)
if(NOT FOLDPROOF_SODIUM_INCLUDE OR NOT FOLDPROOF_SODIUM)
  message(FATAL_ERROR "libsodium was not found; install libsodium-dev (./x setup does) or libsodium-devel")
endif()

find_package(Boost 1.74 REQUIRED)
find_package(Threads REQUIRED)
