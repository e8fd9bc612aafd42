# docs/ptx.md is compared with the page that the laboratory generates from records of this run: which rows of ptx.def
# the tests compared with an expectation, and with how many operand sets. Included by tests/CMakeLists.txt, and run by
# the entry docs.ptx.
if(CMAKE_SCRIPT_MODE_FILE)
  set(gpu "")
  if(EXISTS "${GPU}")
    set(gpu --gpu "${GPU}")
  endif()
  execute_process(COMMAND "${LABORATORY}" instructions --page --tests ${TESTS} ${gpu} OUTPUT_VARIABLE fresh
                  COMMAND_ERROR_IS_FATAL ANY)
  file(READ "${PAGE}" page)
  if(NOT fresh STREQUAL page)
    file(WRITE "${FRESH}" "${fresh}")
    message(FATAL_ERROR "${PAGE} does not match the records of the tests; replace it with ${FRESH}")
  endif()
  return()
endif()

if(NOT TARGET test_isa OR NOT TARGET test_machine)
  return()
endif()
set(records "")
foreach(program isa machine)
  set(record "${CMAKE_CURRENT_BINARY_DIR}/${program}.rows.json")
  set_tests_properties(unit.${program} PROPERTIES ENVIRONMENT "FOLDPROOF_RECORD=${record}" FIXTURES_SETUP row_records)
  list(APPEND records "${record}")
endforeach()
add_test(NAME docs.ptx
         COMMAND "${CMAKE_COMMAND}" "-DLABORATORY=$<TARGET_FILE:foldproof-lab>" "-DTESTS=${records}"
                 "-DGPU=${PROJECT_SOURCE_DIR}/docs/ptx-h200.json"
                 "-DPAGE=${PROJECT_SOURCE_DIR}/docs/ptx.md" "-DFRESH=${CMAKE_CURRENT_BINARY_DIR}/ptx.md"
                 -P "${CMAKE_CURRENT_LIST_FILE}")
set_tests_properties(docs.ptx PROPERTIES LABELS unit FIXTURES_REQUIRED row_records)
