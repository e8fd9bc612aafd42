# The example project, built with an installed Foldproof as a user would: install, configure, ctest.
set(prefix "${PROJECT_BINARY_DIR}/example/prefix")
set(project "${PROJECT_BINARY_DIR}/example/build")

add_test(NAME example.install COMMAND ${CMAKE_COMMAND} --install "${PROJECT_BINARY_DIR}" --prefix "${prefix}")
add_test(NAME example.configure
         COMMAND ${CMAKE_COMMAND} -G "${CMAKE_GENERATOR}" -S "${PROJECT_SOURCE_DIR}/examples/project" -B "${project}"
                 "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM}")
add_test(NAME example.build_tree
         COMMAND ${CMAKE_COMMAND} -G "${CMAKE_GENERATOR}" -S "${PROJECT_SOURCE_DIR}/examples/project"
                 -B "${PROJECT_BINARY_DIR}/example/build_tree" "-Dfoldproof_DIR=${PROJECT_BINARY_DIR}"
                 "-DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM}")
add_test(NAME example.audit COMMAND ${CMAKE_CTEST_COMMAND} --test-dir "${project}" --output-on-failure --no-tests=error)
add_test(NAME example.links COMMAND ${CMAKE_COMMAND} "-DFOLDER=${prefix}/share/doc/foldproof"
                                    -P "${CMAKE_CURRENT_SOURCE_DIR}/installed_links.cmake")
set_tests_properties(example.links PROPERTIES FIXTURES_REQUIRED installed)
set_tests_properties(example.install PROPERTIES FIXTURES_SETUP installed)
set_tests_properties(example.configure PROPERTIES FIXTURES_SETUP configured FIXTURES_REQUIRED installed)
set_tests_properties(example.audit PROPERTIES FIXTURES_REQUIRED "installed;configured"
                     ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/example/cache")
set_tests_properties(example.install example.links example.configure example.build_tree example.audit
                     PROPERTIES LABELS cli TIMEOUT 300)

# Audits with the flags of a target, found in the build tree.
set(targets "${PROJECT_BINARY_DIR}/example/targets")
add_test(NAME example.configure_target
         COMMAND ${CMAKE_COMMAND} -G "${CMAKE_GENERATOR}" -S "${CMAKE_CURRENT_SOURCE_DIR}/target_project" -B "${targets}"
                 "-Dfoldproof_DIR=${PROJECT_BINARY_DIR}" "-DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM}")
add_test(NAME example.target COMMAND ${CMAKE_CTEST_COMMAND} --test-dir "${targets}" --output-on-failure --no-tests=error)
set_tests_properties(example.configure_target PROPERTIES FIXTURES_SETUP with_target)
set_tests_properties(example.target PROPERTIES FIXTURES_REQUIRED with_target
                     ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/example/cache")
set_tests_properties(example.configure_target example.target PROPERTIES LABELS cli TIMEOUT 300)
