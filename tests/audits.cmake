# Every contract of kernels/ as a ctest entry, by the function that users of the installed package call.
include("${PROJECT_SOURCE_DIR}/cmake/FoldproofAddAudit.cmake")
add_executable(foldproof::foldproof ALIAS foldproof)

file(GLOB_RECURSE contracts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernels/*.toml")
list(FILTER contracts EXCLUDE REGEX "/foldproof-cases/") # failing cases that an audit by hand kept
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

# Quick kernels of four sorts lose one statement at a time; the floor is what is noticed today, rounded down.
foreach(mutated IN ITEMS "tree/sequential 100" "tree/warp_tail 100" "warp/block_shuffle 94" "grid/last_block 80")
  separate_arguments(mutated UNIX_COMMAND "${mutated}")
  list(GET mutated 0 kernel)
  list(GET mutated 1 floor)
  cmake_path(GET kernel STEM name)
  add_test(NAME "mutate.${name}"
           COMMAND foldproof mutate "${PROJECT_SOURCE_DIR}/kernels/${kernel}.toml" --floor ${floor})
  set_tests_properties("mutate.${name}" PROPERTIES LABELS "emulated;property" TIMEOUT 600)
endforeach()
