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

/// A kernel found in a source: what `audit` without a contract guesses from, and `sanitize` runs.
struct EntrySignature {
  std::string lowered;                  ///< as PTX spells it
  std::string spelled;                  ///< demangled, without return type and parameters: "sum<float, 128>"
  std::vector<std::string> parameters;  ///< demangled parameter types: "float const*"
};

struct Compiled {
  std::shared_ptr<const Image> image;
  std::vector<EntrySignature> entries;
};

/// Compiles `source` so that each of `entries` (C++ spelling; may be empty) is instantiated. A .ptx file is
/// read as it is. Throws InputError with nvcc's first error, its file, line and column; Unsupported where
/// there is no nvcc or no host compiler for it.
Compiled compile_source(const std::filesystem::path& source, const std::vector<std::string>& entries,
                        const std::vector<std::string>& flags, const CompileOptions& options);

/// Compiles a contract's source and fills in `lowered` of every launch. Throws InputError, naming the
/// entries that exist, when a launch names one that does not.
Compiled compile_contract(Contract& contract, const CompileOptions& options);

}  // namespace foldproof
