# One ctest entry for each contract in kernels/, added by the function that users of the installed package call.
include("${PROJECT_SOURCE_DIR}/cmake/FoldproofAddAudit.cmake")
add_executable(foldproof::foldproof ALIAS foldproof)

file(GLOB_RECURSE contracts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernels/*.toml")
list(FILTER contracts EXCLUDE REGEX "/foldproof-cases/") # failing cases stored by audits run by hand
list(FILTER contracts EXCLUDE REGEX "/kernels/matrix.toml$") # the list of required kernels is not a contract
foreach(contract IN LISTS contracts)
  file(STRINGS "${contract}" id REGEX "^id *= *\"" LIMIT_COUNT 1)
  string(REGEX REPLACE "^id *= *\"([^\"]*)\".*" "\\1" id "${id}")
  if(id STREQUAL "")
    cmake_path(GET contract STEM id)
  endif()
  # A defect must be found in the default number of cases; a few cases suffice for a clean kernel.
  set(cases 12)
  if(contract MATCHES "/kernels/defects/")
    set(cases 40)
  endif()
  foldproof_add_audit(NAME "audit.${id}" CONTRACT "${contract}" CASES ${cases} LABELS emulated property ARGS --trust)
  set_tests_properties("audit.${id}" PROPERTIES SKIP_REGULAR_EXPRESSION "nvcc was not found")
endforeach()

# A dropped, repeated or excess element is found for every type and every operator.
add_test(NAME audit.lossy COMMAND foldproof audit "${CMAKE_CURRENT_SOURCE_DIR}/lossy" --cases 20 --jobs 2
                                                  --store "${CMAKE_CURRENT_BINARY_DIR}/lossy-cases")
set_tests_properties(audit.lossy PROPERTIES LABELS "emulated;property" PROCESSORS 2 TIMEOUT 600)

# Correct kernels with unusual algorithms are clean.
add_test(NAME audit.right COMMAND foldproof audit "${CMAKE_CURRENT_SOURCE_DIR}/right" --jobs 2
                                                  --store "${CMAKE_CURRENT_BINARY_DIR}/right-cases")
set_tests_properties(audit.right PROPERTIES LABELS "emulated;property" PROCESSORS 2 TIMEOUT 600)

# Mutates one statement at a time; the floor is today's score, rounded down. All kernels would take an hour, which needs
# a machine with more cores.
add_test(NAME mutate.trees COMMAND foldproof mutate "${PROJECT_SOURCE_DIR}/kernels/tree" --jobs 2 --floor 97)
add_test(NAME mutate.warps COMMAND foldproof mutate "${PROJECT_SOURCE_DIR}/kernels/warp" --jobs 2 --floor 99)
set_tests_properties(mutate.trees mutate.warps PROPERTIES LABELS "emulated;property" PROCESSORS 2 TIMEOUT 600)

# These compile kernels.
set_tests_properties(audit.lossy audit.right mutate.trees mutate.warps PROPERTIES
                     SKIP_REGULAR_EXPRESSION "nvcc was not found")

# Arguments of foldproof_add_audit with which an entry would check less than was meant.
function(add_refused_audit name arguments sentence)
  add_test(NAME add_audit.${name} COMMAND ${CMAKE_COMMAND} "-DCALL=foldproof_add_audit(${arguments})"
                                          -P "${CMAKE_CURRENT_SOURCE_DIR}/refused_audit.cmake")
  set_tests_properties(add_audit.${name} PROPERTIES LABELS cli PASS_REGULAR_EXPRESSION "${sentence}")
endfunction()
add_refused_audit(empty_device "NAME a SOURCE a.cu DEVICE \"\"" "an argument is empty")
add_refused_audit(no_device "NAME a SOURCE a.cu DEVICE \${unset} REQUIRED" "no value for DEVICE")
add_refused_audit(misspelled "NAME a SOURCE a.cu LABELS gpu REQIRED" "REQIRED is not a")
add_refused_audit(contradiction "NAME a SOURCE a.cu OPTIONAL REQUIRED" "exclude each other")
add_refused_audit(bracket "NAME a SOURCE a[.cu b.cu" "contains a bracket or a semicolon")
add_refused_audit(bracket_in_option "NAME a SOURCE a.cu ARGS -I [1 --strict" "contains a bracket or a semicolon")
add_refused_audit(folder "NAME a SOURCE good y.cu" "SOURCE good is not a .cu or .ptx file")
add_refused_audit(source_as_contract "NAME a CONTRACT a.cu" "CONTRACT a.cu is not a .toml file")
add_refused_audit(generator "NAME a SOURCE right\$<1:\$><0:1>.cu" "the name of a file contains \\$")
add_refused_audit(variable "NAME a SOURCE a@b.cu" "the name of a file contains @")
string(ASCII 27 escape)
string(ASCII 194 133 next_line) # U+0085 in UTF-8
add_refused_audit(control "NAME a SOURCE a${escape}b.cu" "a[ \n]+control[ \n]+character")
add_refused_audit(control_above_ascii "NAME a SOURCE a${next_line}b.cu" "a[ \n]+control[ \n]+character")
add_refused_audit(shown_name "NAME a SOURCE ::error::${escape}x" "SOURCE[ \n]+:.error:..x[ \n]+is[ \n]+not")
add_refused_audit(same_stem "NAME a SOURCE one/k.cu two/k.cu" "already[ \n]+an[ \n]+entry[ \n]+a.k")
# a.cu would be audited instead.
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/semicolon/a.cu;b.cu" "")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/semicolon/a.cu" "")
add_refused_audit(semicolon "NAME a SOURCE ${CMAKE_CURRENT_BINARY_DIR}/semicolon/a.cu b.cu" "contains[ \n]+a[ \n]+semicolon")
# A bracket joins all names of the folder.
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/bracket/A[.txt" "")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/bracket/b.cu;c.cu" "")
add_refused_audit(bracket_in_folder "NAME a SOURCE ${CMAKE_CURRENT_BINARY_DIR}/bracket/b.cu c.cu" "contains[ \n]+a[ \n]+bracket")
