// Runs of nvcc on the translation unit that contains a source and its entries.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/temporary_folders.h"
#include "contracts/nvcc/unit.h"

namespace foldproof {

/// The maximum size of PTX, in bytes.
inline constexpr std::size_t largest_ptx = std::size_t{256} << 20;

/// nvcc rejected one of the requested entries; `index` identifies it.
class EntryError : public InputError {
 public:
  EntryError(const std::string& sentence, Position where, std::size_t index)
      : InputError(sentence, std::move(where)), index_(index) {}
  std::size_t index() const { return index_; }

 private:
  std::size_t index_;
};

/// nvcc does not know which of several functions an entry names.
class OverloadedEntry : public EntryError {
  using EntryError::EntryError;
};

/// What one run of nvcc compiles.
struct Unit {
  std::filesystem::path source;
  std::vector<std::string> entries;
  std::string appendix;            ///< C++ after the source: kernels that wrap a `call`
  std::vector<std::string> flags;  ///< all flags, in order
  std::string arch;
  bool host = false;  ///< build a program that calls host functions
  /// nvcc runs in the current folder and not in a temporary one.
  bool runs_here = false;
};

/// Whether environment variables give nvcc flags.
bool has_flags_in_environment();

/// Throws EntryError for an entry of the unit; `said`: by nvcc.
[[noreturn]] void refuse_entry(const Unit& unit, std::size_t index, const std::string& said);

/// Whether the output may be cached: the key must cover all flags (option files contain more), and no flag
/// may move the intermediate files elsewhere.
bool is_cacheable(const Unit& unit);

/// Everything that determines the output of nvcc, except for what it reads.
std::string settings_of(const Unit& unit, std::string_view version);

/// Runs of nvcc on a unit, in a temporary folder. All throw InputError if nvcc rejects the unit, and
/// Unsupported if this machine lacks something.
class NvccRun {
 public:
  /// The unit must live as long as this object.
  NvccRun(const Unit& unit, std::filesystem::path nvcc, Deadline deadline);

  /// What the compiler reads, with everything that is included and without the name of the temporary folder.
  std::string preprocessed() const;
  UnitPtx ptx() const;
  /// The content of a program that calls host functions.
  std::string program() const;
  /// What the last compilation read, as preprocessed() describes it. nullopt unless the unit is cacheable.
  std::optional<std::string> text_compiled() const;
  /// The files that the last preprocessed() or ptx() read, as paths that are absolute, or relative to the
  /// current folder if the unit runs there. It is what the compiler says and not what line markers in the
  /// source claim. Empty if the compiler does not list them.
  std::vector<std::string> files_read() const;

 private:
  std::vector<std::string> kept() const;
  std::filesystem::path list_of_files() const { return folder_.path() / "foldproof.d"; }
  std::string without_names(std::string text) const;
  [[noreturn]] void refuse_output() const;
  std::string output_of(const std::vector<std::string>& options, std::size_t most) const;

  const Unit& unit_;
  std::filesystem::path nvcc_;
  Deadline deadline_;
  TemporaryFolder folder_;
  std::string token_;  ///< see translation_unit()
};

}  // namespace foldproof
