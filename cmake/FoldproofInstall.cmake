# Rules for `cmake --install`: the program, the kernels as example contracts, completion for shells, and the CMake
# package.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/foldproof")
install(TARGETS foldproof RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY kernels DESTINATION share/foldproof
        FILES_MATCHING PATTERN "*.cu" PATTERN "*.cuh" PATTERN "*.toml")
configure_package_config_file(cmake/foldproofConfig.cmake.in "${PROJECT_BINARY_DIR}/package/foldproofConfig.cmake"
                              INSTALL_DESTINATION "${package_folder}" PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/foldproofConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/foldproofConfig.cmake"
              "${PROJECT_BINARY_DIR}/package/foldproofConfigVersion.cmake"
              cmake/FoldproofAddAudit.cmake
        DESTINATION "${package_folder}")

# find_package(foldproof) with foldproof_DIR set to the build folder uses the program there.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/foldproofConfig.cmake" @ONLY CONTENT [[
if(NOT TARGET foldproof::foldproof)
  add_executable(foldproof::foldproof IMPORTED)
  set_target_properties(foldproof::foldproof PROPERTIES IMPORTED_LOCATION "@PROJECT_BINARY_DIR@/foldproof")
endif()
include("@PROJECT_SOURCE_DIR@/cmake/FoldproofAddAudit.cmake")
]])

# The program writes the completion scripts; each is named as its shell expects.
set(completions)
foreach(script IN ITEMS bash:bash-completion/completions:foldproof zsh:zsh/site-functions:_foldproof
                        fish:fish/vendor_completions.d:foldproof.fish)
  string(REPLACE ":" ";" script "${script}")
  list(GET script 0 shell)
  list(GET script 1 folder)
  list(GET script 2 name)
  set(file "${PROJECT_BINARY_DIR}/completion/${shell}/${name}")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/completion/${shell}")
  add_custom_command(OUTPUT "${file}" COMMAND foldproof completion ${shell} > "${file}" DEPENDS foldproof VERBATIM)
  install(FILES "${file}" DESTINATION "share/${folder}")
  list(APPEND completions "${file}")
endforeach()
add_custom_target(foldproof_completions ALL DEPENDS ${completions})
