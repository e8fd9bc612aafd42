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

enum class Value : unsigned char { none, word, flag, definition, file };

struct FlagRow {
  std::string_view name;
  Value value;
};

// nvcc composes command lines from its arguments and passes them to a shell. It puts arguments in double
// quotes and escapes a quote, but neither a backslash nor a dollar sign. An argument that begins with @ names
// a file of further options for the host compiler.
constexpr FlagRow flag_rows[] = {
    // definitions, include folders and files
    {"-D", Value::definition},
    {"--define-macro", Value::definition},
    {"-U", Value::definition},
    {"--undefine-macro", Value::definition},
    {"-I", Value::file},
    {"--include-path", Value::file},
    {"-isystem", Value::file},
    {"--system-include", Value::file},
    {"-include", Value::file},
    {"--pre-include", Value::file},
    // language
    {"-std", Value::word},
    {"--std", Value::word},
    {"-expt-relaxed-constexpr", Value::none},
    {"--expt-relaxed-constexpr", Value::none},
    {"-extended-lambda", Value::none},
    {"--extended-lambda", Value::none},
    {"-expt-extended-lambda", Value::none},
    {"--expt-extended-lambda", Value::none},
    {"-restrict", Value::none},
    {"--restrict", Value::none},
    {"-default-stream", Value::word},
    {"--default-stream", Value::word},
    {"-rdc", Value::word},
    {"--relocatable-device-code", Value::word},
    // floating point
    {"-ftz", Value::word},
    {"--ftz", Value::word},
    {"-prec-div", Value::word},
    {"--prec-div", Value::word},
    {"-prec-sqrt", Value::word},
    {"--prec-sqrt", Value::word},
    {"-fmad", Value::word},
    {"--fmad", Value::word},
    {"-use_fast_math", Value::none},
    {"--use_fast_math", Value::none},
    // optimization and debugging
    {"-O", Value::word},
    {"--optimize", Value::word},
    {"-maxrregcount", Value::word},
    {"--maxrregcount", Value::word},
    {"-G", Value::none},
    {"--device-debug", Value::none},
    {"-lineinfo", Value::none},
    {"--generate-line-info", Value::none},
    // warnings
    {"-w", Value::none},
    {"--disable-warnings", Value::none},
    {"-diag-suppress", Value::word},
    {"--diag-suppress", Value::word},
};

/// Flags of nvcc and of host compilers that Foldproof ignores, and whose value is the next word. A value may
/// look like a flag.
constexpr std::string_view with_separate_value[] = {"-o",
                                                    "--output-file",
                                                    "-x",
                                                    "--x",
                                                    "-ccbin",
                                                    "--compiler-bindir",
                                                    "-arch",
                                                    "--gpu-architecture",
                                                    "-code",
                                                    "--gpu-code",
                                                    "-gencode",
                                                    "--generate-code",
                                                    "-MF",
                                                    "--dependency-output",
                                                    "-MT",
                                                    "--dependency-target-name",
                                                    "-MQ",
                                                    "-Xlinker",
                                                    "--linker-options",
                                                    "-Xptxas",
                                                    "--ptxas-options",
                                                    "-Xnvlink",
                                                    "--nvlink-options",
                                                    "-Xarchive",
                                                    "--archive-options",
                                                    "-L",
                                                    "--library-path",
                                                    "-l",
                                                    "--library",
                                                    "-odir",
                                                    "--output-directory",
                                                    "-Xcudafe",
                                                    "-Xfatbin",
                                                    "-keep-dir",
                                                    "--keep-dir",
                                                    "-imacros",
                                                    "-t",
                                                    "--threads",
                                                    "-m",
                                                    "--machine",
                                                    "-cudart",
                                                    "--cudart"};

/// Flags whose value, a list separated by commas, is for the host compiler, which also preprocesses device
/// code.
constexpr std::string_view for_host_compiler[] = {"-Xcompiler", "--compiler-options"};

/// With one of these, nvcc also gives it every flag that nvcc does not have.
constexpr std::string_view forwarding[] = {"-forward-unknown-to-host-compiler",
                                           "--forward-unknown-to-host-compiler"};

/// Features of the host compiler, `-fNAME` or `-fno-NAME`, that decide which macros it predefines. Many
/// others name files, such as -fplugin.
constexpr std::string_view predefining_features[] = {"PIC",
                                                     "PIE",
                                                     "aligned-new",
                                                     "cf-protection",
                                                     "char8_t",
                                                     "concepts",
                                                     "coroutines",
                                                     "exceptions",
                                                     "fast-math",
                                                     "finite-math-only",
                                                     "freestanding",
                                                     "hosted",
                                                     "math-errno",
                                                     "openacc",
                                                     "openmp",
                                                     "pic",
                                                     "pie",
                                                     "rtti",
                                                     "sanitize",
                                                     "short-enums",
                                                     "short-wchar",
                                                     "signed-char",
                                                     "stack-protector",
                                                     "stack-protector-all",
                                                     "stack-protector-strong",
                                                     "unsafe-math-optimizations",
                                                     "unsigned-char"};

/// Prefixes of its flags for instruction sets, which do the same.
constexpr std::string_view predefining_machines[] = {"-march=", "-mcpu=", "-mavx", "-msse",
                                                     "-mfma",   "-mf16c", "-mbmi", "-mpopcnt"};

/// Those of its flags that change what it preprocesses, and that nvcc does not have.
constexpr std::string_view unsupported_of_preprocessor[] = {
    "-imacros",  "--imacros", "-iquote",   "-idirafter", "-iprefix",      "-iwithprefix",
    "-isysroot", "--sysroot", "-nostdinc", "-undef",     "-Xpreprocessor"};

std::string_view punctuation_of(Value value) {
  switch (value) {
    case Value::none: return "";
    case Value::word: return "_+-.,";
    case Value::flag: return "_+-.,=";
    case Value::definition: return " _-./+,:=%~#^()[]{}<>*?!";
    case Value::file: return " _-./+:=@%~#^()[]{}<>*?!";
  }
  return "";
}

/// The first character that is not allowed, as a reader sees it.
std::optional<std::string> refused_character(std::string_view text, Value value) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_letter = byte >= 0x80 || std::isalnum(byte) != 0;  // also those of UTF-8
    if (is_letter || punctuation_of(value).find(c) != std::string_view::npos) continue;
    return byte < 0x20 || byte == 0x7f ? fmt::format("the control character {:#04x}", byte)
                                       : fmt::format("the character {}", c);
  }
  return std::nullopt;
}

const FlagRow* row_of(std::string_view word) {
  const auto names = [&](const FlagRow& row) {
    if (!word.starts_with(row.name)) return false;
    const std::string_view rest = word.substr(row.name.size());
    const bool is_letter = row.name.size() == 2;  // its value may follow directly
    return rest.empty() || (row.value != Value::none && (is_letter || rest.starts_with('=')));
  };
  const auto* row = std::ranges::find_if(flag_rows, names);
  return row == std::end(flag_rows) ? nullptr : row;
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
  if (row.value == Value::file) {
    value = resolved_path(folder / value).string();
    check_path_for_nvcc(value);
  }
  if (row.name.ends_with("-std")) value = as_nvcc_spells(value);
  return fmt::format("{}{}{}", row.name, row.name.size() == 2 ? "" : "=", value);
}

/// Whether the host compiler predefines other macros with this flag, such as _OPENMP or __AVX2__.
bool predefines_macros(std::string_view flag) {
  const auto begins = [&](std::string_view prefix) { return flag.starts_with(prefix); };
  if (flag == "-pthread" || begins("-O") || std::ranges::any_of(predefining_machines, begins)) return true;
  if (!begins("-f")) return false;
  std::string_view feature = flag.substr(2, flag.find('=') - 2);
  if (feature.starts_with("no-")) feature.remove_prefix(3);
  return std::ranges::find(predefining_features, feature) != std::end(predefining_features);
}

/// The words of a command, divided into those for nvcc and those that it passes to the host compiler.
struct DividedWords {
  std::vector<FlagWord> own, host;

  explicit DividedWords(std::span<const FlagWord> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i].value;
      const std::string name = word.substr(0, word.find('='));
      if (std::ranges::find(for_host_compiler, name) == std::end(for_host_compiler)) {
        own.push_back(words[i]);
        continue;
      }
      const bool is_separate = name.size() == word.size();
      if (is_separate && ++i == words.size()) break;
      std::string list = is_separate ? words[i].value : word.substr(name.size() + 1);
      std::ranges::replace(list, ',', ' ');
      for (std::string& value : split_command(list)) host.push_back({std::move(value), words[i].where});
    }
  }
};

bool is_any(Value) { return true; }

/// What also matters for device code among the flags of the host compiler.
bool is_for_preprocessor(Value value) { return value == Value::definition || value == Value::file; }

/// The flags in the table with such values. Drops the others, and the words that are values of other flags.
std::vector<FlagWord> words_in_table(std::span<const FlagWord> words, bool (*is_taken)(Value)) {
  std::vector<FlagWord> taken;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i].value;
    if (std::ranges::find(with_separate_value, word) != std::end(with_separate_value)) {
      ++i;
    } else if (const FlagRow* row = row_of(word); row != nullptr && is_taken(row->value)) {
      taken.push_back(words[i]);
      const bool has_separate_value = row->value != Value::none && word == row->name;
      if (has_separate_value && i + 1 < words.size()) taken.push_back(words[++i]);
    }
  }
  return taken;
}

/// Without them, another program than that of the build would be audited.
void check_preprocessing(std::span<const FlagWord> words) {
  for (const FlagWord& word : words)
    for (const std::string_view flag : unsupported_of_preprocessor)
      if (word.value.starts_with(flag))
        throw InputError(
            fmt::format(
                "the flag \"{}\" for the host compiler changes what is compiled, but Foldproof does not "
                "use it; omit --compile-commands and give the flags with -I, -D, --std and --nvcc",
                word.value),
            word.where);
}

/// Those that change which macros the host compiler predefines, each after the prefix.
std::vector<std::string> predefining_flags(std::span<const FlagWord> words, std::string_view prefix) {
  std::vector<std::string> flags;
  for (const FlagWord& word : words) {
    if (!predefines_macros(word.value)) continue;
    if (const auto character = refused_character(word.value, Value::flag))
      throw InputError(
          fmt::format("the flag {} contains {}, which nvcc could pass to a shell", word.value, *character),
          word.where);
    flags.push_back(fmt::format("{}{}", prefix, word.value));
  }
  return flags;
}

/// The words that nvcc forwards to the host compiler if the flag for that is among them.
std::vector<FlagWord> forwarded_words(std::span<const FlagWord> words) {
  std::vector<FlagWord> forwarded;
  if (std::ranges::find_first_of(words, forwarding, {}, &FlagWord::value) == words.end()) return forwarded;
  std::ranges::copy_if(words, std::back_inserter(forwarded),
                       [](const FlagWord& word) { return row_of(word.value) == nullptr; });
  return forwarded;
}

}  // namespace

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
    if (row->value == Value::none) {
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

std::vector<std::string> harmless_flags_among(std::span<const FlagWord> words, const fs::path& folder) {
  const DividedWords divided(words);
  const std::vector<FlagWord> forwarded = forwarded_words(divided.own);
  check_preprocessing(divided.host);
  check_preprocessing(forwarded);
  // nvcc passes them to the host compiler before its own.
  std::vector<std::string> flags = harmless_flags(words_in_table(divided.host, is_for_preprocessor), folder);
  std::ranges::move(predefining_flags(divided.host, "-Xcompiler="), std::back_inserter(flags));
  std::ranges::move(harmless_flags(words_in_table(divided.own, is_any), folder), std::back_inserter(flags));
  if (auto more = predefining_flags(forwarded, ""); !more.empty()) {
    flags.emplace_back(forwarding[0]);
    std::ranges::move(more, std::back_inserter(flags));
  }
  return flags;
}

void check_path_for_nvcc(const fs::path& path) {
  if (const auto character = refused_character(path.string(), Value::file))
    throw InputError(fmt::format("the path contains {}, which nvcc does not pass on safely; rename the file "
                                 "or the folder",
                                 *character),
                     {path.string()});
}

}  // namespace foldproof
