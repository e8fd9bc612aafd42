#include "contracts/nvcc/build_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
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

/// Flags of nvcc with a value, which may be the next word and look like a flag, that decide nothing here.
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
                                                   "Xcudafe",
                                                   "Xfatbin",
                                                   "Xcicc",
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

/// Flags whose value, a list separated by commas, is for the host compiler.
constexpr std::string_view for_host_compiler[] = {"Xcompiler", "compiler-options"};

/// With one of these, nvcc also gives it every flag that nvcc does not have.
constexpr std::string_view forwarding[] = {"forward-unknown-to-host-compiler", "forward-unknown-opts"};

/// Those without a value, and linker's and profiler's, that decide nothing here.
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
constexpr std::string_view without_effect[] = {
    "-w",        "-v",      "-s",   "-c",        "-p",
    "-pg",       "-pipe",   "-Q",   "-pedantic", "-pedantic-errors",
    "-rdynamic", "-shared", "-pie", "-no-pie",   "--verbose"};
constexpr std::string_view prefixes_without_effect[] = {"-W",
                                                        "-g",
                                                        "-L",
                                                        "-l",
                                                        "-M",
                                                        "-static",
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
constexpr std::string_view features_with_word[] = {
    "abi-version",         "cf-protection",    "constexpr-depth",    "constexpr-loop-limit",
    "constexpr-ops-limit", "excess-precision", "fp-contract",        "lto",
    "max-errors",          "sanitize",         "template-depth",     "tls-model",
    "vect-cost-model",     "visibility",       "zero-call-used-regs"};

/// Whether the host compiler may predefine other macros with this flag, such as _OPENMP or __AVX2__. A
/// feature without a value names no file.
bool may_predefine(std::string_view flag) {
  if (flag.starts_with("-f")) {
    const std::size_t equals = flag.find('=');
    return equals == std::string_view::npos || is_any(flag.substr(2, equals - 2), features_with_word);
  }
  return flag == "-ansi" || flag == "-pthread" || flag.starts_with("-m") || flag.starts_with("-O") ||
         flag.starts_with("-std=");
}

/// The compiler of the command: the first word, or one after a launcher such as ccache. Throws InputError
/// for what changes what the compiler gets, such as a shell or a variable.
std::string compiler_of(std::span<const FlagWord> words) {
  constexpr std::string_view others[] = {"env", "sh",   "bash",  "dash", "zsh",  "ksh",
                                         "csh", "fish", "xargs", "perl", "nice", "time"};
  constexpr std::string_view compilers[] = {"nvcc", "clang", "g++", "c++"};
  for (const FlagWord& word : words) {
    if (word.value.starts_with('-')) break;
    const std::string program = fs::path(word.value).filename().string();
    const auto names = [&](std::string_view compiler) { return program.find(compiler) != std::string::npos; };
    if (word.value.find('=') != std::string::npos || is_any(program, others) || program.starts_with("python"))
      throw InputError(
          fmt::format("the command begins with \"{}\", so it is unknown what the compiler gets; {}",
                      word.value, remedy),
          word.where);
    if (std::ranges::any_of(compilers, names)) return program;
  }
  return words.empty() ? "" : fs::path(words.front().value).filename().string();
}

/// The words of a command, divided into those for nvcc, those that it passes to the host compiler, and those
/// that it does not have.
struct DividedWords {
  std::vector<FlagWord> own, host, unknown;

  explicit DividedWords(std::span<const FlagWord> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i].value;
      const std::string_view name = word.starts_with('-') ? name_of_flag(word) : "";
      const bool has_value = word.find('=') != std::string::npos;
      if (is_any(name, with_value_of_nvcc)) {
        if (!has_value) ++i;
      } else if (is_any(name, for_host_compiler)) {
        if (!has_value && ++i == words.size()) break;
        add_list(has_value ? word.substr(word.find('=') + 1) : words[i].value, words[i].where);
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
  void add_list(std::string list, const Position& where) {
    std::ranges::replace(list, ',', ' ');
    for (std::string& value : split_command(list)) host.push_back({std::move(value), where});
  }
};

[[noreturn]] void refuse(const FlagWord& word) {
  throw InputError(fmt::format("the flag \"{}\" for the host compiler may change what is compiled, but "
                               "Foldproof does not use it; {}",
                               word.value, remedy),
                   word.where);
}

/// What decides among the flags of the host compiler: those of the table, and flags that change macros.
struct HostFlags {
  std::vector<FlagWord> of_table, predefining;

  explicit HostFlags(std::span<const FlagWord> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i].value;
      const FlagRow* row = row_of(word);
      if (is_any(word, with_value_of_host)) {
        ++i;
      } else if (row != nullptr && (row->value == FlagValue::definition || row->value == FlagValue::file)) {
        of_table.push_back(words[i]);
        if (word == row->name && i + 1 < words.size()) of_table.push_back(words[++i]);
      } else if (word.starts_with("-Wp,") || word.starts_with('@')) {
        refuse(words[i]);
      } else if (word.starts_with('-') && !is_any(word, without_effect) &&
                 !begins_with_any(word, prefixes_without_effect)) {
        may_predefine(word) ? predefining.push_back(words[i]) : refuse(words[i]);
      }
    }
  }
};

/// Each after the prefix.
std::vector<std::string> checked(std::span<const FlagWord> words, std::string_view prefix) {
  std::vector<std::string> flags;
  for (const FlagWord& word : words) {
    if (const auto character = refused_character(word.value, FlagValue::flag))
      throw InputError(
          fmt::format("the flag {} contains {}, which nvcc could pass to a shell", word.value, *character),
          word.where);
    flags.push_back(fmt::format("{}{}", prefix, word.value));
  }
  return flags;
}

/// The flags that nvcc forwards to the host compiler, in its form.
std::vector<std::string> forwarded_flags(std::span<const FlagWord> unknown) {
  std::vector<FlagWord> words;
  std::ranges::copy_if(unknown, std::back_inserter(words),
                       [](const FlagWord& word) { return !is_any(name_of_flag(word.value), forwarding); });
  std::vector<std::string> flags = checked(HostFlags(words).predefining, "");
  if (!flags.empty()) flags.insert(flags.begin(), "-forward-unknown-to-host-compiler");
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
  const std::string compiler = compiler_of(words);
  const DividedWords divided(words);
  const HostFlags host(divided.host);
  std::vector<std::string> flags;
  const auto add = [&](std::vector<std::string> more) { std::ranges::move(more, std::back_inserter(flags)); };
  // nvcc passes them to the host compiler before its own.
  add(harmless_flags(host.of_table, folder));
  add(checked(host.predefining, "-Xcompiler="));
  add(harmless_flags(divided.own, folder));
  const bool forwards = std::ranges::any_of(
      divided.unknown, [](const FlagWord& word) { return is_any(name_of_flag(word.value), forwarding); });
  if (forwards || compiler == "nvcc_wrapper")
    add(forwarded_flags(divided.unknown));
  else if (compiler.find("nvcc") == std::string::npos)
    add(flags_of_other_compiler(divided.unknown));
  return flags;
}

}  // namespace foldproof
