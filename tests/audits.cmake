# Every contract of kernels/ as a ctest entry, by the function that users of the installed package call.
include("${PROJECT_SOURCE_DIR}/cmake/FoldproofAddAudit.cmake")
add_executable(foldproof::foldproof ALIAS foldproof)

file(GLOB_RECURSE contracts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernels/*.toml")
list(FILTER contracts EXCLUDE REGEX "/foldproof-cases/") # failing cases that an audit by hand kept
list(FILTER contracts EXCLUDE REGEX "/kernels/matrix.toml$") # what must stand is no contract
foreach(contract IN LISTS contracts)
  file(STRINGS "${contract}" id REGEX "^id *= *\"" LIMIT_COUNT 1)
  string(REGEX REPLACE "^id *= *\"([^\"]*)\".*" "\\1" id "${id}")
  if(id STREQUAL "")
    cmake_path(GET contract STEM id)
  endif()
  # A defect must show in as many cases as an audit has by default; of a clean kernel a few are enough here.
  set(cases 12)
  if(contract MATCHES "/kernels/defects/")
    set(cases 40)
  endif()
  foldproof_add_audit(NAME "audit.${id}" CONTRACT "${contract}" CASES ${cases} LABELS emulated property)
endforeach()

# An element that is dropped, repeated or one too many is found in every type, with every operator.
add_test(NAME audit.lossy COMMAND foldproof audit "${CMAKE_CURRENT_SOURCE_DIR}/lossy" --cases 20 --jobs 2
                                                  --store "${CMAKE_CURRENT_BINARY_DIR}/lossy-cases")
set_tests_properties(audit.lossy PROPERTIES LABELS "emulated;property" PROCESSORS 2 TIMEOUT 600)

# Right kernels of unusual makes stay clean.
add_test(NAME audit.right COMMAND foldproof audit "${CMAKE_CURRENT_SOURCE_DIR}/right" --jobs 2
                                                  --store "${CMAKE_CURRENT_BINARY_DIR}/right-cases")
set_tests_properties(audit.right PROPERTIES LABELS "emulated;property" PROCESSORS 2 TIMEOUT 600)

# Each tree loses one statement at a time; the floor is what is noticed today, rounded down. All kernels take an hour:
# that is for a machine with more cores.
add_test(NAME mutate.trees COMMAND foldproof mutate "${PROJECT_SOURCE_DIR}/kernels/tree" --jobs 2 --floor 97)
add_test(NAME mutate.warps COMMAND foldproof mutate "${PROJECT_SOURCE_DIR}/kernels/warp" --jobs 2 --floor 99)
set_tests_properties(mutate.trees mutate.warps PROPERTIES LABELS "emulated;property" PROCESSORS 2 TIMEOUT 600)

# They compile kernels.
set_tests_properties(audit.lossy audit.right mutate.trees mutate.warps PROPERTIES
                     SKIP_REGULAR_EXPRESSION "nvcc was not found")
