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
                          "install the system package (./x setup does) or configure without FOLDPROOF_OFFLINE.")
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

# xxHash: only its header is used; distributions do not ship a CMake package for it.
find_path(FOLDPROOF_XXHASH_INCLUDE xxhash.h)
if(NOT FOLDPROOF_XXHASH_INCLUDE)
  if(FOLDPROOF_OFFLINE)
    message(FATAL_ERROR "xxhash.h was not found and FOLDPROOF_OFFLINE forbids downloading it; "
                        "install the system package (./x setup does) or configure without FOLDPROOF_OFFLINE.")
  endif()
  FetchContent_Declare(xxhash GIT_REPOSITORY https://github.com/Cyan4973/xxHash GIT_TAG v0.8.1)
  FetchContent_MakeAvailable(xxhash)
  set(FOLDPROOF_XXHASH_INCLUDE "${xxhash_SOURCE_DIR}")
endif()

find_package(Boost 1.74 REQUIRED)
find_package(Threads REQUIRED)
