#include "contracts/nvcc/flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>

#include "base/files.h"
#include "base/text.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

// nvcc composes command lines from its arguments and passes them to a shell. It puts arguments in double
// quotes and escapes a quote, but neither a backslash nor a dollar sign. An argument that begins with @ names
// a file of further options for the host compiler.
constexpr FlagRow flag_rows[] = {
    // definitions, include folders and files
    {"-D", FlagValue::definition},
    {"--define-macro", FlagValue::definition},
    {"-U", FlagValue::definition},
    {"--undefine-macro", FlagValue::definition},
    {"-I", FlagValue::file},
    {"--include-path", FlagValue::file},
    {"-isystem", FlagValue::file},
    {"--system-include", FlagValue::file},
    {"-include", FlagValue::file},
    {"--pre-include", FlagValue::file},
    // language
    {"-std", FlagValue::word},
    {"--std", FlagValue::word},
    {"-expt-relaxed-constexpr", FlagValue::none},
    {"--expt-relaxed-constexpr", FlagValue::none},
    {"-extended-lambda", FlagValue::none},
    {"--extended-lambda", FlagValue::none},
    {"-expt-extended-lambda", FlagValue::none},
    {"--expt-extended-lambda", FlagValue::none},
    {"-restrict", FlagValue::none},
    {"--restrict", FlagValue::none},
    {"-default-stream", FlagValue::word},
    {"--default-stream", FlagValue::word},
    {"-rdc", FlagValue::word},
    {"--relocatable-device-code", FlagValue::word},
    {"-ewp", FlagValue::none},
    {"--extensible-whole-program", FlagValue::none},
    {"-noeh", FlagValue::none},
    {"--no-exceptions", FlagValue::none},
    {"-allow-unsupported-compiler", FlagValue::none},
    {"--allow-unsupported-compiler", FlagValue::none},
    // floating point
    {"-ftz", FlagValue::word},
    {"--ftz", FlagValue::word},
    {"-prec-div", FlagValue::word},
    {"--prec-div", FlagValue::word},
    {"-prec-sqrt", FlagValue::word},
    {"--prec-sqrt", FlagValue::word},
    {"-fmad", FlagValue::word},
    {"--fmad", FlagValue::word},
    {"-use_fast_math", FlagValue::none},
    {"--use_fast_math", FlagValue::none},
    // optimization and debugging
    {"-O", FlagValue::word},
    {"--optimize", FlagValue::word},
    {"-maxrregcount", FlagValue::word},
    {"--maxrregcount", FlagValue::word},
    {"-G", FlagValue::none},
    {"--device-debug", FlagValue::none},
    {"-lineinfo", FlagValue::none},
    {"--generate-line-info", FlagValue::none},
    // warnings
    {"-w", FlagValue::none},
    {"--disable-warnings", FlagValue::none},
    {"-diag-suppress", FlagValue::word},
    {"--diag-suppress", FlagValue::word},
};

std::string_view punctuation_of(FlagValue value) {
  switch (value) {
    case FlagValue::none: return "";
    case FlagValue::word: return "_+-.,";
    case FlagValue::flag: return "_+-.=";
    case FlagValue::plain_file: return "_+-./";
    case FlagValue::definition: return " _-./+,:=%~#^()[]{}<>*?!";
    case FlagValue::file: return " _-./+:=@%~#^()[]{}<>*?!";
  }
  return "";
}

/// nvcc does not support gnu++17.
std::string as_nvcc_spells(const std::string& standard) {
  return standard.starts_with("gnu++") ? "c" + standard.substr(3) : standard;
}

std::string flag_of(const FlagRow& row, std::string value, const fs::path& folder, const Position& where) {
  if (value.empty()) throw InputError(fmt::format("the flag {} requires a value", row.name), where);
  if (const auto character = refused_character(value, row.value))
    throw InputError(
        fmt::format("the value of {} contains {}, which nvcc could pass to a shell", row.name, *character),
        where);
  if (row.value == FlagValue::file) {
    value = resolved_path(folder / value).string();
    check_path_for_nvcc(value);
  }
  if (row.name.ends_with("-std")) value = as_nvcc_spells(value);
  return fmt::format("{}{}{}", row.name, row.name.size() == 2 ? "" : "=", value);
}

}  // namespace

const FlagRow* row_of(std::string_view word) {
  const auto names = [&](const FlagRow& row) {
    if (!word.starts_with(row.name)) return false;
    const std::string_view rest = word.substr(row.name.size());
    const bool is_letter = row.name.size() == 2;  // its value may follow directly
    return rest.empty() || (row.value != FlagValue::none && (is_letter || rest.starts_with('=')));
  };
  const auto* row = std::ranges::find_if(flag_rows, names);
  return row == std::end(flag_rows) ? nullptr : row;
}

std::optional<std::string> refused_character(std::string_view text, FlagValue value) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_letter = byte >= 0x80 || std::isalnum(byte) != 0;  // also those of UTF-8
    if (is_letter || punctuation_of(value).find(c) != std::string_view::npos) continue;
    return byte < 0x20 || byte == 0x7f ? fmt::format("the control character {:#04x}", byte)
                                       : fmt::format("the character {}", c);
  }
  return std::nullopt;
}

std::vector<std::string> harmless_flags(std::span<const FlagWord> words, const fs::path& folder) {
  std::vector<std::string> flags;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const FlagWord& word = words[i];
    const FlagRow* row = row_of(word.value);
    if (row == nullptr) {
      throw InputError(fmt::format("the flag \"{}\" is not allowed here; docs/contracts.md lists the flags "
                                   "that are, and --nvcc on the command line accepts any flag",
                                   word.value),
                       word.where);
    }
    if (row->value == FlagValue::none) {
      flags.push_back(word.value);
    } else {
      std::string value = word.value.substr(row->name.size());
      if (value.empty() && i + 1 < words.size())
        value = words[++i].value;
      else if (value.starts_with('='))
        value.erase(0, 1);
      flags.push_back(flag_of(*row, std::move(value), folder, words[i].where));
    }
  }
  return flags;
}

void check_path_for_nvcc(const fs::path& path) {
  if (const auto character = refused_character(path.string(), FlagValue::file))
    throw InputError(fmt::format("the path contains {}, which nvcc does not pass on safely; rename the file "
                                 "or the folder",
                                 *character),
                     {path.string()});
}

}  // namespace foldproof
