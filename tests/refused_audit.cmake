# Run by cmake -P: carries out CALL, a call of foldproof_add_audit that is refused before it adds a test.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/FoldproofAddAudit.cmake")
cmake_language(EVAL CODE "${CALL}")
