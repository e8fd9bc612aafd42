// From CUDA source to PTX: nvcc, a generated translation unit that instantiates the entries, and a cache.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "devices/image.h"

namespace foldproof {

struct CompileOptions {
  std::string nvcc;                        ///< empty: $NVCC, then PATH, then /usr/local/cuda/bin/nvcc
  std::vector<std::string> flags;          ///< of the command line: -std, -D, -I, then --nvcc "…"
  std::string arch;                        ///< overrides the contract's, such as "compute_80"
  std::string machine;                     ///< "sm_90": also make machine code for it, where ptxas is there
  std::filesystem::path compile_commands;  ///< folder of a compile_commands.json to take flags from
  std::filesystem::path cache;             ///< folder of the PTX cache; empty: default_cache()
};

/// Where PTX is kept unless an option says otherwise: ptx_folder_of the program that runs.
std::filesystem::path default_cache();

/// `ptx` beside a program in a build tree, which is told by its CMakeCache.txt; of an installed one in
/// user_cache().
std::filesystem::path ptx_folder_of(const std::filesystem::path& program);

/// Compiles `source` so that each of `entries` (C++ spelling; may be empty) is instantiated. A .ptx file is
/// read as it is. Throws InputError with nvcc's first error, its file, line and column; Unsupported where
/// there is no nvcc or no host compiler for it.
std::shared_ptr<const Image> compile_source(const std::filesystem::path& source,
                                            const std::vector<std::string>& entries,
                                            const std::vector<std::string>& flags,
                                            const CompileOptions& options);

/// Compiles a contract's source and fills in `lowered` of every launch. Throws InputError, naming the
/// entries that exist, when a launch names one that does not.
std::shared_ptr<const Image> compile_contract(Contract& contract, const CompileOptions& options);

}  // namespace foldproof
