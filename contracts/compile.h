// Compiles CUDA source to PTX: runs nvcc on a generated translation unit that instantiates the entries, and
// caches the result.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/child.h"
#include "contracts/contract.h"
#include "devices/image.h"

namespace foldproof {

struct CompileOptions {
  Deadline deadline;               ///< of every run of nvcc and ptxas
  std::string nvcc;                ///< empty: $NVCC, then PATH, then /usr/local/cuda/bin/nvcc
  std::vector<std::string> flags;  ///< from the command line: -std, -D, -I
  /// Those of --nvcc "…". They may contain paths relative to the current folder, so nvcc runs there.
  /// Otherwise it runs in a temporary folder: nvcc prefers a cuda_runtime.h of its folder to its own.
  std::vector<std::string> nvcc_flags;
  std::string arch;                        ///< overrides that of the contract, such as "compute_80"
  std::vector<std::string> project_flags;  ///< before those of the contract
  std::string project_arch;                ///< if neither the contract nor an option has one
  std::string machine;  ///< "sm_90": also generate machine code for it, if ptxas is available
  std::filesystem::path compile_commands;  ///< folder of a compile_commands.json that flags are read from
  std::filesystem::path cache;             ///< folder of the PTX cache; empty: default_cache()
};

/// The flags as nvcc gets them, with folders relative to the working folder. Throws InputError for a flag
/// that a contract may not have, or a value with a character that the shell of nvcc could interpret.
std::vector<std::string> checked_flags(const std::vector<std::string>& flags);
/// The same for flags of a file, each with its position; folders are relative to `folder`.
std::vector<std::string> checked_flags(const std::vector<std::pair<std::string, Position>>& flags,
                                       const std::filesystem::path& folder);

/// The folder of the PTX cache unless an option sets another: ptx_folder_of the running program.
std::filesystem::path default_cache();

/// For a program in a build tree, recognized by its CMakeCache.txt, the folder `ptx` next to it if it can be
/// made private; otherwise `ptx` in user_cache().
std::filesystem::path ptx_folder_of(const std::filesystem::path& program);

/// Compiles `source`. A .ptx file is read as it is. Throws InputError with nvcc's first error and its file,
/// line and column. If nvcc or a working host compiler is not found, throws InputError if it was named
/// explicitly, otherwise Unsupported.
std::shared_ptr<const Image> compile_source(const std::filesystem::path& source,
                                            const std::vector<std::string>& flags,
                                            const CompileOptions& options);

/// The text of `source`, a .cu file, with its macros expanded and without what it includes. Throws like
/// compile_source.
std::string preprocessed_source(const std::filesystem::path& source, const std::vector<std::string>& flags,
                                const CompileOptions& options);

/// What a compilation produces; a process can send it to another, without the text.
struct CompiledSource {
  std::vector<std::string> lowered;  ///< one per entry; for a contract, in the order of its launches
  Image image;
  /// That of a .cu file with its macros expanded and without what it includes; empty if nvcc does not show
  /// it.
  std::string text = {};
  std::vector<std::string> files_read = {};  ///< by the compiler; empty if it does not list them

  void write(ByteWriter& writer) const;
  static CompiledSource read(ByteReader& reader);
};

/// Compiles `source` so that `entry` (C++ spelling) is instantiated. Throws like compile_source, and
/// InputError that lists the existing entries if there is no such entry.
CompiledSource compiled_entry(const std::filesystem::path& source, const std::string& entry,
                              const CompileOptions& options);

/// Compiles a contract's source. If a launch names an entry that does not exist, throws InputError that lists
/// the existing entries.
CompiledSource compiled_contract(const Contract& contract, const CompileOptions& options);

/// Sets `lowered` of every launch.
std::shared_ptr<const Image> adopt(Contract& contract, CompiledSource source);

/// Both, one after the other.
std::shared_ptr<const Image> compile_contract(Contract& contract, const CompileOptions& options);

}  // namespace foldproof
