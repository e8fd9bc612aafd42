# Audits the catalogue on the first GPU of this machine; skipped with the reason if there is none.
add_test(NAME gpu.audit COMMAND foldproof audit "${PROJECT_SOURCE_DIR}/kernels" --trust --device cuda --case-limit 2s
                                                --store "${CMAKE_CURRENT_BINARY_DIR}/gpu-cases")
# Run by `ctest -T memcheck`: correct kernels, one process at a time.
add_test(NAME gpu.memcheck COMMAND foldproof audit "${PROJECT_SOURCE_DIR}/kernels/tree/sequential.toml" --device cuda
                                                   --jobs 1 --cases 8 --store "${CMAKE_CURRENT_BINARY_DIR}/gpu-cases")
# The exit status does not suffice: 3 also means that a kernel could not be run on an existing GPU.
set_tests_properties(gpu.audit gpu.memcheck PROPERTIES LABELS gpu RUN_SERIAL TRUE TIMEOUT 600
                                                       SKIP_REGULAR_EXPRESSION "no CUDA device available")

# memcheck reports an error for a test without a kernel, and the tests of wrong kernels are supposed to have errors: that
# step excludes all others.
get_property(others DIRECTORY PROPERTY TESTS)
list(REMOVE_ITEM others gpu.memcheck)
file(WRITE "${PROJECT_BINARY_DIR}/CTestCustom.cmake" "set(CTEST_CUSTOM_MEMCHECK_IGNORE\n")
foreach(test IN LISTS others)
  file(APPEND "${PROJECT_BINARY_DIR}/CTestCustom.cmake" "    \"${test}\"\n")
endforeach()
file(APPEND "${PROJECT_BINARY_DIR}/CTestCustom.cmake" ")\n")
