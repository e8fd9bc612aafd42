# Rules for `cmake --install`: the program, the kernels as example contracts, the documents, completion for
# shells, the manual page, and the CMake package.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/foldproof")
install(TARGETS foldproof RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY kernels DESTINATION share/foldproof
        FILES_MATCHING PATTERN "*.cu" PATTERN "*.cuh" PATTERN "*.toml" PATTERN "*.md")
# The links of README and of docs/ lead to files of this folder.
set(documents "${CMAKE_INSTALL_DATADIR}/doc/foldproof")
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE DESTINATION "${documents}")
install(DIRECTORY docs examples DESTINATION "${documents}"
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.txt" PATTERN "*.cu" PATTERN "*.toml"
        PATTERN "foldproof-cases" EXCLUDE PATTERN "build*" EXCLUDE)
foreach(file IN ITEMS Dockerfile devices/emulated/isa/ptx.def properties/distributions.def
                      properties/mutation/mutations.def properties/relations/relations.def properties/transforms.def
                      sanitizer/compute_sanitizer/self_test.cu sanitizer/kinds.def tests/prose/words.yml)
  cmake_path(GET file PARENT_PATH parent)
  install(FILES "${file}" DESTINATION "${documents}/${parent}")
endforeach()
install(CODE "file(CREATE_LINK ../../foldproof/kernels
                   \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${documents}/kernels\" SYMBOLIC)")
set(program "${CMAKE_INSTALL_BINDIR}/foldproof")
configure_package_config_file(cmake/foldproofConfig.cmake.in "${PROJECT_BINARY_DIR}/package/foldproofConfig.cmake"
                              INSTALL_DESTINATION "${package_folder}" PATH_VARS program)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/foldproofConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/foldproofConfig.cmake"
              "${PROJECT_BINARY_DIR}/foldproofConfigVersion.cmake"
              cmake/FoldproofAddAudit.cmake
              cmake/FoldproofTargetFlags.cmake
        DESTINATION "${package_folder}")

# find_package(foldproof) with foldproof_DIR set to the build folder uses the program there.
set(program foldproof)
configure_package_config_file(cmake/foldproofConfig.cmake.in "${PROJECT_BINARY_DIR}/foldproofConfig.cmake"
                              INSTALL_DESTINATION . INSTALL_PREFIX "${PROJECT_BINARY_DIR}" PATH_VARS program)
foreach(module IN ITEMS FoldproofAddAudit FoldproofTargetFlags)
  configure_file(cmake/${module}.cmake "${PROJECT_BINARY_DIR}/${module}.cmake" COPYONLY)
endforeach()

# The program writes the completion scripts and its manual page.
set(written)
function(foldproof_written file folder)  # and then the verb and its arguments
  cmake_path(GET file PARENT_PATH parent)
  file(MAKE_DIRECTORY "${parent}")
  add_custom_command(OUTPUT "${file}" COMMAND foldproof ${ARGN} > "${file}" DEPENDS foldproof VERBATIM)
  install(FILES "${file}" DESTINATION "share/${folder}")
  set(written ${written} "${file}" PARENT_SCOPE)
endfunction()
set(pages "${PROJECT_BINARY_DIR}/written")
foldproof_written("${pages}/bash/foldproof" bash-completion/completions completion bash)
foldproof_written("${pages}/zsh/_foldproof" zsh/site-functions completion zsh)
foldproof_written("${pages}/fish/foldproof.fish" fish/vendor_completions.d completion fish)
foldproof_written("${pages}/man/foldproof.1" man/man1 manual)
add_custom_target(foldproof_written ALL DEPENDS ${written})
