# PTX of every fixture in tests/ptx/data, compiled by the installed nvcc into ${FOLDPROOF_PTX_CORPUS_DIR}:
#   sm_90/calls.ptx  sm_90/calls-debug.ptx  sm_90/calls-fast.ptx
# That of the other architectures is compiled for ./x test --full, by the target foldproof_full_ptx_corpus.
# foldproof_use_ptx_corpus(TARGET) gives a test program the folder as FOLDPROOF_PTX_CORPUS_DIR; empty without nvcc.

set(FOLDPROOF_PTX_CORPUS_DIR "")
find_program(FOLDPROOF_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
if(FOLDPROOF_NVCC)
  set(FOLDPROOF_PTX_CORPUS_DIR "${CMAKE_CURRENT_BINARY_DIR}/ptx_corpus")
  execute_process(COMMAND "${FOLDPROOF_NVCC}" --list-gpu-arch OUTPUT_VARIABLE known_architectures)
endif()

# foldproof_ptx_fixture(NAME ARCHITECTURES 75 80 …): one .ptx per architecture and variant.
function(foldproof_ptx_fixture name)
  cmake_parse_arguments(ARG "" "" "ARCHITECTURES" ${ARGN})
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/ptx/data/${name}.cu")
  set(plain_flags -lineinfo)
  set(debug_flags -G)
  set(fast_flags -lineinfo -use_fast_math)
  foreach(architecture IN LISTS ARG_ARCHITECTURES)
    if(NOT known_architectures MATCHES "compute_${architecture}\n")
      continue()
    endif()
    set(folder "${FOLDPROOF_PTX_CORPUS_DIR}/sm_${architecture}")
    file(MAKE_DIRECTORY "${folder}")
    foreach(variant plain debug fast)
      string(REPLACE "-plain" "" stem "${name}-${variant}")
      add_custom_command(
        OUTPUT "${folder}/${stem}.ptx"
        COMMAND "${FOLDPROOF_NVCC}" -ptx -std=c++17 -arch=compute_${architecture} ${${variant}_flags}
                -o "${folder}/${stem}.ptx" "${source}"
        DEPENDS "${source}"
        COMMENT "PTX of ${name}.cu for sm_${architecture} (${variant})"
        VERBATIM)
      set_property(GLOBAL APPEND PROPERTY foldproof_ptx_corpus_${architecture} "${folder}/${stem}.ptx")
    endforeach()
  endforeach()
endfunction()

if(FOLDPROOF_NVCC)
  foreach(fixture trees warps formats groups calls)
    foldproof_ptx_fixture(${fixture} ARCHITECTURES 75 80 90 100)
  endforeach()
  foldproof_ptx_fixture(block_reduce ARCHITECTURES 90)
endif()
get_property(ptx_corpus GLOBAL PROPERTY foldproof_ptx_corpus_90)
add_custom_target(foldproof_ptx_corpus DEPENDS ${ptx_corpus})
foreach(architecture 75 80 100)
  get_property(more GLOBAL PROPERTY foldproof_ptx_corpus_${architecture})
  list(APPEND ptx_corpus ${more})
endforeach()
add_custom_target(foldproof_full_ptx_corpus DEPENDS ${ptx_corpus})

function(foldproof_use_ptx_corpus target)
  add_dependencies(${target} foldproof_ptx_corpus)
  target_compile_definitions(${target} PRIVATE FOLDPROOF_PTX_CORPUS_DIR="${FOLDPROOF_PTX_CORPUS_DIR}")
endfunction()

if(TARGET test_ptx)
  foldproof_use_ptx_corpus(test_ptx)
  add_test(NAME full.ptx COMMAND test_ptx [corpus] CONFIGURATIONS Full)
  set_tests_properties(full.ptx PROPERTIES LABELS emulated TIMEOUT 600 SKIP_RETURN_CODE 3)
endif()
