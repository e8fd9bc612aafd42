#include "contracts/nvcc/build_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view remedy =
    "omit --compile-commands and give the flags with -I, -D, --std and --nvcc";

bool begins_with_any(std::string_view word, std::span<const std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return word.starts_with(prefix); });
}

bool is_any(std::string_view word, std::span<const std::string_view> names) {
  return std::ranges::find(names, word) != names.end();
}

/// "-arch" and "--arch" of "--arch=sm_90": the name of a flag without its value and dashes.
std::string_view name_of_flag(std::string_view word) {
  word = word.substr(0, word.find('='));
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

/// Flags of nvcc with a value, which may be the next word and look like a flag, that do not affect the device
/// code.
constexpr std::string_view with_value_of_nvcc[] = {"o",
                                                   "output-file",
                                                   "x",
                                                   "ccbin",
                                                   "compiler-bindir",
                                                   "arbin",
                                                   "archiver-binary",
                                                   "arch",
                                                   "gpu-architecture",
                                                   "code",
                                                   "gpu-code",
                                                   "gencode",
                                                   "generate-code",
                                                   "MF",
                                                   "dependency-output",
                                                   "MT",
                                                   "dependency-target-name",
                                                   "MQ",
                                                   "Xlinker",
                                                   "linker-options",
                                                   "Xptxas",
                                                   "ptxas-options",
                                                   "Xnvlink",
                                                   "nvlink-options",
                                                   "Xarchive",
                                                   "archive-options",
                                                   "Xfatbin",
                                                   "L",
                                                   "library-path",
                                                   "l",
                                                   "library",
                                                   "odir",
                                                   "output-directory",
                                                   "ldir",
                                                   "libdevice-directory",
                                                   "target-dir",
                                                   "target-directory",
                                                   "keep-dir",
                                                   "t",
                                                   "threads",
                                                   "split-compile",
                                                   "split-compile-extended",
                                                   "m",
                                                   "machine",
                                                   "cudart",
                                                   "cudadevrt",
                                                   "opt-info",
                                                   "optimization-info",
                                                   "dopt",
                                                   "ftemplate-backtrace-limit",
                                                   "ftemplate-depth",
                                                   "static-global-template-stub",
                                                   "device-entity-has-hidden-visibility",
                                                   "fdevice-time-trace",
                                                   "time",
                                                   "run-args",
                                                   "idp",
                                                   "input-drive-prefix",
                                                   "ddp",
                                                   "dependency-drive-prefix",
                                                   "dp",
                                                   "drive-prefix",
                                                   "e",
                                                   "entries",
                                                   "diag-error",
                                                   "diag-warn",
                                                   "hls",
                                                   "host-linker-script",
                                                   "brief-diag",
                                                   "brief-diagnostics",
                                                   "jtd",
                                                   "jump-table-density",
                                                   "device-stack-protector",
                                                   "compress-mode",
                                                   "frandom-seed",
                                                   "sanitize"};

/// Flags of nvcc that include -rdc=true.
constexpr std::string_view relocatable[] = {"dc", "device-c", "dlto", "dlink-time-opt", "lto"};

/// Flags whose value is for the front ends of the device compiler, and what is harmless there.
constexpr std::string_view for_front_end[] = {"Xcudafe", "cudafe-options", "Xcicc", "cicc-options"};
constexpr std::string_view harmless_in_front_end[] = {"--diag_", "--display_error_number", "--no_warnings"};

/// Flags whose value, a list separated by commas, is for the host compiler.
constexpr std::string_view for_host_compiler[] = {"Xcompiler", "compiler-options"};

/// With one of these, nvcc also gives it every flag that nvcc does not have.
constexpr std::string_view forwarding[] = {"forward-unknown-to-host-compiler", "forward-unknown-opts"};

/// Those without a value.
constexpr std::string_view without_value_of_nvcc[] = {"E",
                                                      "preprocess",
                                                      "M",
                                                      "generate-dependencies",
                                                      "MM",
                                                      "generate-nonsystem-dependencies",
                                                      "MD",
                                                      "generate-dependencies-with-compile",
                                                      "MMD",
                                                      "generate-nonsystem-dependencies-with-compile",
                                                      "MP",
                                                      "generate-dependency-targets",
                                                      "c",
                                                      "compile",
                                                      "cuda",
                                                      "cubin",
                                                      "fatbin",
                                                      "ptx",
                                                      "dw",
                                                      "device-w",
                                                      "dlink",
                                                      "device-link",
                                                      "link",
                                                      "lib",
                                                      "run",
                                                      "objtemp",
                                                      "objdir-as-tempdir",
                                                      "gen-opt-lto",
                                                      "nohdinitlist",
                                                      "no-host-device-initializer-list",
                                                      "nohdmoveforward",
                                                      "no-host-device-move-forward",
                                                      "noprof",
                                                      "dont-use-profile",
                                                      "dryrun",
                                                      "verbose",
                                                      "keep",
                                                      "save-temps",
                                                      "clean",
                                                      "clean-targets",
                                                      "nodlink",
                                                      "no-device-link",
                                                      "profile",
                                                      "debug",
                                                      "extra-device-vectorization",
                                                      "keep-device-functions",
                                                      "src-in-ptx",
                                                      "source-in-ptx",
                                                      "res-usage",
                                                      "resource-usage",
                                                      "no-compress",
                                                      "err-no",
                                                      "display-error-number",
                                                      "no-err-no",
                                                      "no-display-error-number",
                                                      "aug-hls",
                                                      "augment-host-linker-script",
                                                      "r",
                                                      "relocatable-link",
                                                      "reloc-ptx",
                                                      "relocatable-ptx",
                                                      "jobserver",
                                                      "forward-unknown-to-host-linker"};

/// Flags of the host compiler that change neither macros nor included files: whole ones, and prefixes.
constexpr std::string_view without_effect[] = {"-w",
                                               "-v",
                                               "-s",
                                               "-c",
                                               "-p",
                                               "-pg",
                                               "-pipe",
                                               "-Q",
                                               "-pedantic",
                                               "-pedantic-errors",
                                               "-rdynamic",
                                               "--coverage",
                                               "-no-canonical-prefixes",
                                               "-shared",
                                               "-pie",
                                               "-no-pie",
                                               "--verbose"};
constexpr std::string_view prefixes_without_effect[] = {"-W",
                                                        "-g",
                                                        "-L",
                                                        "-l",
                                                        "-M",
                                                        "-static",
                                                        "--param=",
                                                        "-save-temps",
                                                        "-fprofile",
                                                        "-fuse-ld=",
                                                        "-frandom-seed=",
                                                        "-ffile-prefix-map=",
                                                        "-fdebug-prefix-map=",
                                                        "-fmacro-prefix-map=",
                                                        "-fdiagnostics",
                                                        "-fcolor-diagnostics",
                                                        "-fmessage-length=",
                                                        "-ftime-trace"};

/// The others that are harmless and have a value in the next word.
constexpr std::string_view with_value_of_host[] = {"-o",       "-x",      "-MF", "-MT", "-MQ",
                                                   "-Xlinker", "--param", "-u",  "-z",  "-aux-info"};

/// How a flag of a compiler other than nvcc begins if it may give it macros or files that Foldproof would
/// not use.
constexpr std::string_view of_other_preprocessors[] = {
    "-i",     "--include", "--imacros",      "--sysroot", "-nostdinc",
    "-undef", "-Wp,",      "-Xpreprocessor", "-Xclang",   "@"};
/// Those that g++ also has.
constexpr std::string_view common_to_compilers[] = {"-fopenmp",  "-ffast-math", "-fno-exceptions",
                                                    "-fno-rtti", "-pthread",    "-funsigned-char"};

/// Features `-fNAME=VALUE` whose value is a word. Values of others may be files or commands.
constexpr std::string_view features_with_word[] = {"align-functions",     "align-jumps",
                                                   "align-loops",         "inline-limit",
                                                   "no-sanitize",         "no-sanitize-recover",
                                                   "sanitize-coverage",   "sanitize-recover",
                                                   "abi-version",         "cf-protection",
                                                   "constexpr-depth",     "constexpr-loop-limit",
                                                   "constexpr-ops-limit", "excess-precision",
                                                   "fp-contract",         "lto",
                                                   "max-errors",          "sanitize",
                                                   "template-depth",      "tls-model",
                                                   "vect-cost-model",     "visibility",
                                                   "zero-call-used-regs"};

/// Warnings that change what g++ predefines: __DEPRECATED, __cpp_runtime_arrays.
bool changes_macros_as_warning(std::string_view flag) {
  return flag.ends_with("deprecated") || flag.ends_with("pedantic") || flag == "-pedantic-errors";
}

/// Folders of headers that only the host compiler has; the value may follow directly.
constexpr std::string_view folders_of_host[] = {"-iquote", "-idirafter"};

/// The usual character set, which nvcc also has.
bool names_utf8(std::string word) {
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word == "-finput-charset=utf-8" || word == "-fexec-charset=utf-8";
}

/// Whether the host compiler may predefine other macros with this flag, such as _OPENMP or __AVX2__. A
/// feature without a value names no file.
bool may_affect_macros(std::string_view flag) {
  if (flag.starts_with("-f")) {
    const std::size_t equals = flag.find('=');
    return equals == std::string_view::npos || is_any(flag.substr(2, equals - 2), features_with_word);
  }
  return flag == "-ansi" || flag == "-pthread" || flag.starts_with("-m") || flag.starts_with("-O") ||
         flag.starts_with("-std=");
}

/// Throws InputError for a word that only a shell would understand: its value is unknown.
void check_no_shell(const FlagWord& word) {
  constexpr std::string_view operators[] = {"&&", "||", ";", "|", "&", ">", "<", ">>", "2>&1"};
  const std::string& text = word.value;
  if (text.find_first_of("$`") == std::string::npos && !text.starts_with('#') && !is_any(text, operators))
    return;
  throw InputError(fmt::format("the command has \"{}\", which a shell would interpret; {}", text, remedy),
                   word.where);
}

/// Throws InputError for what a shell would expand, outside of macros.
void check_no_patterns(std::span<const FlagWord> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& text = words[i].value;
    const bool is_macro = text.starts_with("-D") || text.starts_with("-U") || text.starts_with("--define") ||
                          (i > 0 && (words[i - 1].value == "-D" || words[i - 1].value == "-U"));
    if (!is_macro && (text.find_first_of("*?[") != std::string::npos || text.starts_with('~')))
      throw InputError(fmt::format("the command has \"{}\", which a shell would expand; {}", text, remedy),
                       words[i].where);
  }
}

/// The compiler of the command: the first word, or one after launchers without flags. Throws InputError for
/// any other program, such as a shell, which may change what the compiler gets.
std::string compiler_of(std::span<const FlagWord> words) {
  constexpr std::string_view launchers[] = {"ccache", "sccache", "distcc", "icecc", "buildcache", "gomacc"};
  constexpr std::string_view compilers[] = {"nvcc", "clang", "gcc", "g++", "c++"};
  for (const FlagWord& word : words) {
    const std::string program = fs::path(word.value).filename().string();
    const auto names = [&](std::string_view compiler) { return program.find(compiler) != std::string::npos; };
    const bool is_variable = word.value.find('=') != std::string::npos;
    if (!is_variable && is_any(program, launchers)) continue;
    if (!is_variable && std::ranges::any_of(compilers, names)) return program;
    throw InputError(
        fmt::format("the command begins with \"{}\", so it is unknown what the compiler gets; {}", word.value,
                    remedy),
        word.where);
  }
  throw InputError(fmt::format("an entry of the database has no command; {}", remedy),
                   words.empty() ? Position{} : words.front().where);
}

[[noreturn]] void refuse(const FlagWord& word) {
  throw InputError(
      fmt::format("the flag \"{}\" may change what is compiled, but Foldproof does not use it; {}",
                  word.value, remedy),
      word.where);
}

/// The words of a command, divided into those for nvcc, those that it passes to the host compiler or to the
/// front ends of the device compiler, and those that it does not have.
struct DividedWords {
  std::vector<FlagWord> own, host, front_end, unknown;

  explicit DividedWords(std::span<const FlagWord> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i].value;
      const std::string_view name = word.starts_with('-') ? name_of_flag(word) : "";
      const bool has_value = word.find('=') != std::string::npos;
      if (is_any(name, with_value_of_nvcc)) {
        if (!has_value) ++i;
      } else if (is_any(name, for_host_compiler) || is_any(name, for_front_end)) {
        if (!has_value && ++i == words.size()) break;
        add_list(has_value ? word.substr(word.find('=') + 1) : words[i].value, words[i].where,
                 is_any(name, for_front_end) ? front_end : host);
      } else if (is_any(name, relocatable)) {
        own.push_back({"-rdc=true", words[i].where});
      } else if (const FlagRow* row = row_of(word)) {
        own.push_back(words[i]);
        const bool has_separate_value = row->value != FlagValue::none && word == row->name;
        if (has_separate_value && i + 1 < words.size()) own.push_back(words[++i]);
      } else if (!is_any(name, without_value_of_nvcc)) {
        unknown.push_back(words[i]);
      }
    }
  }

 private:
  static void add_list(std::string list, const Position& where, std::vector<FlagWord>& words) {
    // A quoted or escaped comma, or a quoted blank, divides otherwise in nvcc and in the shell that it calls.
    if (list.find_first_of("\\\"'") != std::string::npos) refuse({list, where});
    std::ranges::replace(list, ',', ' ');
    for (std::string& value : split_command(list)) words.push_back({std::move(value), where});
  }
};

/// nvcc passes the values of -Xcompiler to a shell without quotes, and divides them at commas.
void check_characters(const FlagWord& word, FlagValue value) {
  if (const auto character = refused_character(word.value, value))
    throw InputError(fmt::format("\"{}\" contains {}, which nvcc could pass to a shell, or at which it could "
                                 "divide the flag",
                                 word.value, *character),
                     word.where);
}

/// What decides among the flags of the host compiler: those of the table, and flags that change macros.
struct HostFlags {
  std::vector<FlagWord> of_table, predefining;
  std::vector<std::string> folders;  ///< each as two words

  HostFlags(std::span<const FlagWord> words, const fs::path& folder) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i].value;
      const FlagRow* row = row_of(word);
      if (is_any(word, with_value_of_host)) {
        ++i;
      } else if (row != nullptr && (row->value == FlagValue::definition || row->value == FlagValue::file)) {
        of_table.push_back(words[i]);
        if (word == row->name && i + 1 < words.size()) of_table.push_back(words[++i]);
      } else if (const auto* flag = std::ranges::find_if(
                     folders_of_host, [&](std::string_view name) { return word.starts_with(name); });
                 flag != std::end(folders_of_host)) {
        const std::string value = word.substr(flag->size());
        if (value.empty() && i + 1 == words.size()) refuse(words[i]);
        const fs::path path = resolved_path(folder / (value.empty() ? words[++i].value : value));
        check_characters({path.string(), words[i].where}, FlagValue::plain_file);
        folders.insert(folders.end(), {std::string(*flag), path.string()});
      } else if (names_utf8(word)) {
        continue;
      } else if (word.starts_with("-Wp,") || word.starts_with('@')) {
        refuse(words[i]);
      } else if (changes_macros_as_warning(word)) {
        predefining.push_back(words[i]);
      } else if (word.starts_with('-') && !is_any(word, without_effect) &&
                 !begins_with_any(word, prefixes_without_effect)) {
        may_affect_macros(word) ? predefining.push_back(words[i]) : refuse(words[i]);
      }
    }
  }
};

/// Each after the prefix.
std::vector<std::string> checked(std::span<const FlagWord> words, std::string_view prefix) {
  std::vector<std::string> flags;
  for (const FlagWord& word : words) {
    check_characters(word, FlagValue::flag);
    flags.push_back(fmt::format("{}{}", prefix, word.value));
  }
  return flags;
}

/// -fsanitize=A,B as two flags, each with one name.
std::vector<FlagWord> with_single_sanitizers(std::span<const FlagWord> words) {
  std::vector<FlagWord> single;
  for (const FlagWord& word : words) {
    const std::size_t equals = word.value.find('=');
    if (equals == std::string::npos || word.value.find("sanitize") > equals) {
      single.push_back(word);
      continue;
    }
    std::istringstream names(word.value.substr(equals + 1));
    for (std::string name; std::getline(names, name, ',');)
      single.push_back({word.value.substr(0, equals + 1) + name, word.where});
  }
  return single;
}

std::vector<std::string> with_prefix(std::vector<std::string> words, std::string_view prefix) {
  for (std::string& word : words) word.insert(0, prefix);
  return words;
}

/// The flags that nvcc forwards to the host compiler, in its form.
std::vector<std::string> forwarded_flags(std::span<const FlagWord> unknown, const fs::path& folder) {
  std::vector<FlagWord> words;
  std::ranges::copy_if(unknown, std::back_inserter(words),
                       [](const FlagWord& word) { return !is_any(name_of_flag(word.value), forwarding); });
  const HostFlags host(words, folder);
  std::vector<std::string> flags = with_prefix(host.folders, "-Xcompiler=");
  if (host.predefining.empty()) return flags;
  flags.emplace_back("-forward-unknown-to-host-compiler");
  std::ranges::move(checked(with_single_sanitizers(host.predefining), ""), std::back_inserter(flags));
  return flags;
}

/// Of a compiler other than nvcc, whose flags g++ need not have.
std::vector<std::string> flags_of_other_compiler(std::span<const FlagWord> unknown) {
  std::vector<FlagWord> common;
  for (const FlagWord& word : unknown) {
    if (begins_with_any(word.value, of_other_preprocessors)) refuse(word);
    if (is_any(word.value, common_to_compilers) || word.value.starts_with("-march=")) common.push_back(word);
  }
  return checked(common, "-Xcompiler=");
}

}  // namespace

std::vector<std::string> flags_of_command(std::span<const FlagWord> words, const fs::path& folder) {
  for (const FlagWord& word : words) check_no_shell(word);
  check_no_patterns(words);
  const std::string compiler = compiler_of(words);
  const DividedWords divided(words);
  for (const FlagWord& word : divided.front_end)
    if (!begins_with_any(word.value, harmless_in_front_end)) refuse(word);
  const HostFlags host(divided.host, folder);
  std::vector<std::string> flags;
  const auto add = [&](std::vector<std::string> more) { std::ranges::move(more, std::back_inserter(flags)); };
  // nvcc passes them to the host compiler before its own.
  add(harmless_flags(host.of_table, folder));
  add(with_prefix(host.folders, "-Xcompiler="));
  add(checked(host.predefining, "-Xcompiler="));
  add(harmless_flags(divided.own, folder));
  const bool forwards = std::ranges::any_of(
      divided.unknown, [](const FlagWord& word) { return is_any(name_of_flag(word.value), forwarding); });
  if (forwards || compiler == "nvcc_wrapper")
    add(forwarded_flags(divided.unknown, folder));
  else if (compiler.find("nvcc") == std::string::npos)
    add(flags_of_other_compiler(divided.unknown));
  return flags;
}

}  // namespace foldproof
