# foldproof_add_audit(NAME <name> SOURCE <file>...|CONTRACT <file>... [DEVICE emulated|cuda|all]
#                     [TARGET <target>] [CASES <n>] [SEED <s>] [TIMEOUT <seconds>] [LABELS <label>...]
#                     [ARGS <argument>...] [OPTIONAL|REQUIRED])
#
# Registers one ctest entry per file, which runs `foldproof audit` on it. The entry is <name> for a single file,
# otherwise <name>.<file's stem>. A SOURCE is audited with the contract next to it, or with a guessed one. ARGS are
# passed to the audit (-I, -D, --arch, --fail-on …), which runs in the source folder. The sources are compiled with the
# include folders, definitions and C++ standard of the TARGET, which must exist. An entry fails on an unexpected
# finding, an invalid contract, and anything that was not checked, such as for want of nvcc. Only what needs a GPU
# (DEVICE cuda, host functions) is skipped where there is none; ctest counts a skipped entry as passed. With OPTIONAL,
# an entry is also skipped if something was not checked for another reason. With REQUIRED, it fails instead of being
# skipped. If only some kernels of an entry need a GPU, it passes without one, and a kernel of the source that none of
# its contracts launches is only mentioned. Failing cases are kept in the build folder; they and those next to the
# contract run first.
function(foldproof_add_audit)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "OPTIONAL;REQUIRED" "NAME;TARGET;DEVICE;CASES;SEED;TIMEOUT"
                        "SOURCE;SOURCES;CONTRACT;CONTRACTS;LABELS;ARGS")
  if("${ARG_NAME}" STREQUAL "")
    message(FATAL_ERROR "foldproof_add_audit requires NAME")
  endif()
  # An unset variable leaves a keyword without a value: the entry would check less than intended, and pass.
  if(ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "foldproof_add_audit(NAME ${ARG_NAME} …): no value for ${ARG_KEYWORDS_MISSING_VALUES}")
  endif()
  math(EXPR last "${ARGC} - 1")
  foreach(index RANGE ${last})
    if("${ARGV${index}}" STREQUAL "")
      message(FATAL_ERROR "foldproof_add_audit(NAME ${ARG_NAME} …): an argument is empty")
    endif()
  endforeach()
  foreach(word IN LISTS ARG_LABELS ARG_SOURCE ARG_SOURCES ARG_CONTRACT ARG_CONTRACTS)
    if("${word}" MATCHES "^(REQ[A-Z]*ED|OPT[A-Z]*AL)$")
      message(FATAL_ERROR "foldproof_add_audit(NAME ${ARG_NAME} …): ${word} is not a keyword; write REQUIRED or OPTIONAL")
    endif()
  endforeach()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "foldproof_add_audit(NAME ${ARG_NAME} …): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(ARG_OPTIONAL AND ARG_REQUIRED)
    message(FATAL_ERROR "foldproof_add_audit(NAME ${ARG_NAME} …): OPTIONAL and REQUIRED exclude each other")
  endif()
  set(files ${ARG_SOURCE} ${ARG_SOURCES} ${ARG_CONTRACT} ${ARG_CONTRACTS})
  if("${files}" STREQUAL "")
    message(FATAL_ERROR "foldproof_add_audit(NAME ${ARG_NAME} …) requires SOURCE or CONTRACT")
  endif()
  # CMake does not split a list between brackets: such a file would hide those after it.
  if("${files}" MATCHES "[][]")
    message(FATAL_ERROR "foldproof_add_audit(NAME ${ARG_NAME} …): the name of a file contains a bracket; rename it")
  endif()
  if(DEFINED ARG_TARGET AND NOT TARGET "${ARG_TARGET}")
    message(FATAL_ERROR "foldproof_add_audit(NAME ${ARG_NAME} …): ${ARG_TARGET} is not a target of this project")
  endif()
  if(NOT DEFINED ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  # One process per entry: ctest -j distributes the entries over the cores.
  set(options --jobs 1 --store "${CMAKE_CURRENT_BINARY_DIR}/foldproof-cases" ${ARG_ARGS})
  foreach(option IN ITEMS DEVICE CASES SEED)
    if(DEFINED ARG_${option})
      string(TOLOWER "${option}" name)
      list(APPEND options "--${name}" "${ARG_${option}}")
    endif()
  endforeach()
  if(DEFINED ARG_TARGET)
    foldproof_flags_of_target(${ARG_TARGET} flags)
    list(APPEND options ${flags})
  endif()
  set(skip_status 3)
  if(NOT ARG_OPTIONAL)
    set(skip_status 77) # the status by which automake's test programs say the same
    list(APPEND options --skip-status ${skip_status})
  endif()
  list(LENGTH files count)
  foreach(file IN LISTS files)
    set(entry "${ARG_NAME}")
    if(count GREATER 1)
      cmake_path(GET file STEM stem)
      string(APPEND entry ".${stem}")
    endif()
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    add_test(NAME ${entry} COMMAND foldproof::foldproof audit "${file}" ${options}
             WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" COMMAND_EXPAND_LISTS)
    set_tests_properties(${entry} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT "${ARG_TIMEOUT}")
    if(NOT ARG_REQUIRED)
      set_tests_properties(${entry} PROPERTIES SKIP_RETURN_CODE ${skip_status})
    endif()
  endforeach()
endfunction()

# Sets `result` to generator expressions for the -I, -D and --std that compile sources of the target.
function(foldproof_flags_of_target target result)
  get_target_property(type ${target} TYPE)
  set(prefix "")
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(prefix INTERFACE_)
  endif()
  set(flags "")
  foreach(property IN ITEMS -I=${prefix}INCLUDE_DIRECTORIES -D=${prefix}COMPILE_DEFINITIONS)
    string(SUBSTRING "${property}" 0 2 flag)
    string(SUBSTRING "${property}" 3 -1 property)
    set(values "$<TARGET_PROPERTY:${target},${property}>")
    list(APPEND flags "$<$<BOOL:${values}>:${flag}$<JOIN:${values},$<SEMICOLON>${flag}>>")
  endforeach()
  set(standard "$<TARGET_PROPERTY:${target},CUDA_STANDARD>")
  list(APPEND flags "$<$<BOOL:${standard}>:--std=c++${standard}>")
  set(${result} ${flags} PARENT_SCOPE)
endfunction()
