# foldproof_add_audit(NAME <name> SOURCE <file>...|CONTRACT <file>... [DEVICE emulated|cuda|all]
#                     [TARGET <target>] [CASES <n>] [SEED <s>] [TIMEOUT <seconds>] [LABELS <label>...]
#                     [ARGS <argument>...] [OPTIONAL|REQUIRED])
#
# Registers one ctest entry per file, which runs `foldproof audit` on it. The entry is <name> for a single file,
# otherwise <name>.<file's stem>. A SOURCE is audited with the contract next to it, or with a guessed one. ARGS are
# passed to the audit (-I, -D, --arch, --fail-on …), which runs in the source folder. With TARGET, sources are compiled
# with the include folders, definitions, C++ standard and first architecture of that target, whose architectures must be
# set before the call. An entry fails on an unexpected finding, an invalid contract, and anything that was not checked,
# such as for want of nvcc. Only what needs a GPU
# (DEVICE cuda, host functions) is skipped where there is none; ctest counts a skipped entry as passed. With OPTIONAL,
# an entry is also skipped if something was not checked for another reason. With REQUIRED, it fails instead of being
# skipped, and also if only some kernels need a GPU that is missing, or if the report says "not audited" of a kernel, a
# launch or a stored case. Failing cases are kept in the build folder; they and those next to the contract run first.
cmake_policy(PUSH)
cmake_policy(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/FoldproofTargetFlags.cmake")

# Names of files come from outside. CI services interpret "::" and "##" at the beginning of a line, at which CMake may
# wrap the sentence, and terminals control characters.
function(foldproof_refuse name sentence)
  string(REGEX REPLACE "[^ -~]" "?" sentence "${sentence}")
  string(REPLACE "::" ":?" sentence "${sentence}")
  string(REPLACE "##" "#?" sentence "${sentence}")
  message(FATAL_ERROR "foldproof_add_audit(NAME ${name} …): ${sentence}")
endfunction()

# file(GLOB) turns a name with a semicolon into two names, which may be those of other files. In the list of all names
# of the folder, the second one does not begin with the folder, unless a bracket joins the elements of the list.
function(foldproof_refuse_semicolons name files)
  set(folders "")
  foreach(file IN LISTS files)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    cmake_path(GET file PARENT_PATH folder)
    list(APPEND folders "${folder}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    file(GLOB entries LIST_DIRECTORIES true "${folder}/*")
    if("${entries}" MATCHES "[][]")
      foldproof_refuse("${name}" "a name in the folder ${folder} contains a bracket; rename that file or folder")
    endif()
    foreach(entry IN LISTS entries)
      cmake_path(IS_PREFIX folder "${entry}" is_below)
      if(NOT is_below)
        foldproof_refuse("${name}" "a name in the folder ${folder} contains a semicolon, before \"${entry}\"; \
rename that file or folder")
      endif()
    endforeach()
  endforeach()
endfunction()

function(foldproof_add_audit)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "OPTIONAL;REQUIRED" "NAME;TARGET;DEVICE;CASES;SEED;TIMEOUT"
                        "SOURCE;SOURCES;CONTRACT;CONTRACTS;LABELS;ARGS")
  if("${ARG_NAME}" STREQUAL "")
    message(FATAL_ERROR "foldproof_add_audit requires NAME")
  endif()
  # An unset variable leaves a keyword without a value: the entry would check less than intended, and pass.
  if(ARG_KEYWORDS_MISSING_VALUES)
    foldproof_refuse("${ARG_NAME}" "no value for ${ARG_KEYWORDS_MISSING_VALUES}")
  endif()
  math(EXPR last "${ARGC} - 1")
  foreach(index RANGE ${last})
    if("${ARGV${index}}" STREQUAL "")
      foldproof_refuse("${ARG_NAME}" "an argument is empty")
    endif()
    # CMake does not split a list between brackets, and splits one argument at a semicolon: another file would be
    # audited, or with other options.
    if("${ARGV${index}}" MATCHES "[][;]")
      foldproof_refuse("${ARG_NAME}" "${ARGV${index}} contains a bracket or a semicolon; rename the file, or pass the \
elements of a list without quotes")
    endif()
  endforeach()
  foreach(word IN LISTS ARG_LABELS ARG_SOURCE ARG_SOURCES ARG_CONTRACT ARG_CONTRACTS)
    if("${word}" MATCHES "^(REQ[A-Z]*RED|REQU?I?RE|OPTI?O?N?AL|[Rr]equired|[Oo]ptional)$")
      foldproof_refuse("${ARG_NAME}" "${word} is not a keyword; write REQUIRED or OPTIONAL")
    endif()
  endforeach()
  if(ARG_UNPARSED_ARGUMENTS)
    foldproof_refuse("${ARG_NAME}" "unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(ARG_OPTIONAL AND ARG_REQUIRED)
    foldproof_refuse("${ARG_NAME}" "OPTIONAL and REQUIRED exclude each other")
  endif()
  set(files ${ARG_SOURCE} ${ARG_SOURCES} ${ARG_CONTRACT} ${ARG_CONTRACTS})
  if("${files}" STREQUAL "")
    foldproof_refuse("${ARG_NAME}" "requires SOURCE or CONTRACT")
  endif()
  # A semicolon in a name that file(GLOB) finds becomes two names: usually one of another kind of file.
  foreach(file IN LISTS ARG_SOURCE ARG_SOURCES)
    if(NOT "${file}" MATCHES "\\.(cu|ptx)$")
      foldproof_refuse("${ARG_NAME}" "SOURCE ${file} is not a .cu or .ptx file")
    endif()
  endforeach()
  foreach(file IN LISTS ARG_CONTRACT ARG_CONTRACTS)
    if(NOT "${file}" MATCHES "\\.toml$")
      foldproof_refuse("${ARG_NAME}" "CONTRACT ${file} is not a .toml file")
    endif()
  endforeach()
  foreach(file IN LISTS files)
    # The folders above the project are the user's own.
    foreach(folder IN ITEMS "${CMAKE_BINARY_DIR}/" "${CMAKE_SOURCE_DIR}/")
      string(FIND "${file}" "${folder}" start)
      if(start EQUAL 0)
        string(LENGTH "${folder}" length)
        string(SUBSTRING "${file}" ${length} -1 file)
      endif()
    endforeach()
    # CMake and ctest interpret some of these, as in a generator expression or in @VARIABLE@, and would pass the name of
    # another file.
    if("${file}" MATCHES "[][$@\"'`\\<>(){}|&!?*#%^\n\r\t]")
      foldproof_refuse("${ARG_NAME}" "the name of a file contains ${CMAKE_MATCH_0}; rename it")
    endif()
    # Control characters, also those between U+0080 and U+009F, would reach the terminal in the names of entries.
    string(HEX "${file}" bytes)
    if("${bytes}" MATCHES "^(..)*([01].|7f|c2[89].)")
      foldproof_refuse("${ARG_NAME}" "the name of a file contains a control character; rename it")
    endif()
  endforeach()
  foldproof_refuse_semicolons("${ARG_NAME}" "${files}")
  if(DEFINED ARG_TARGET AND NOT TARGET "${ARG_TARGET}")
    foldproof_refuse("${ARG_NAME}" "${ARG_TARGET} is not a target of this project")
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
    foldproof_flags_of_target(${ARG_TARGET} "${ARG_ARGS}" flags)
    list(APPEND options ${flags})
  endif()
  set(skip_status 3)
  if(ARG_REQUIRED)
    list(APPEND options --strict)
  endif()
  if(NOT ARG_OPTIONAL)
    set(skip_status 77) # the status by which automake's test programs say the same
    list(APPEND options --skip-status ${skip_status})
  endif()
  list(LENGTH files count)
  set(entries "")
  foreach(file IN LISTS files)
    set(entry "${ARG_NAME}")
    if(count GREATER 1)
      cmake_path(GET file STEM LAST_ONLY stem)
      string(APPEND entry ".${stem}")
    endif()
    if(TEST "${entry}" OR entry IN_LIST entries)
      foldproof_refuse("${ARG_NAME}" "there is already an entry ${entry}; rename the file, or call foldproof_add_audit \
with another NAME for each folder")
    endif()
    list(APPEND entries "${entry}")
  endforeach()
  foreach(file entry IN ZIP_LISTS files entries)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    add_test(NAME ${entry} COMMAND foldproof::foldproof audit "${file}" ${options}
             WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" COMMAND_EXPAND_LISTS)
    set_tests_properties(${entry} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT "${ARG_TIMEOUT}")
    if(NOT ARG_REQUIRED)
      set_tests_properties(${entry} PROPERTIES SKIP_RETURN_CODE ${skip_status})
    endif()
  endforeach()
endfunction()

cmake_policy(POP)
