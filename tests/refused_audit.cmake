# Run by cmake -P: carries out CALL, a call of foldproof_add_audit that is refused before it adds a test.
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/FoldproofAddAudit.cmake")
cmake_language(EVAL CODE "${CALL}")
