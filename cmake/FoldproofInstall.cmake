# Rules for `cmake --install`: the program, the kernels as example contracts, and the CMake package.
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
