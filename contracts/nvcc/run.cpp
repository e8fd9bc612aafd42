#include "contracts/nvcc/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/child.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "contracts/declarations.h"
#include "contracts/nvcc/flags.h"
#include "contracts/nvcc/toolkit.h"

namespace foldproof {

namespace fs = std::filesystem;

namespace {

/// What the last pair of quotes contains; empty if there is none.
std::string last_quoted(const std::string& text) {
  const std::size_t end = text.rfind('"');
  if (end == std::string::npos || end == 0) return "";
  const std::size_t begin = text.rfind('"', end - 1);
  return begin == std::string::npos ? "" : text.substr(begin + 1, end - begin - 1);
}

/// The prerequisites of a rule for make, such as `foldproof.o: a.cu b\ c.h`, as GCC and Clang write them.
std::vector<std::string> prerequisites(std::string_view rule) {
  std::vector<std::string> files;
  rule.remove_prefix(std::min(rule.find(": "), rule.size()));
  std::string file;
  for (std::size_t i = 1; i <= rule.size(); ++i) {
    const char c = i < rule.size() ? rule[i] : '\n', next = i + 1 < rule.size() ? rule[i + 1] : '\n';
    const bool is_escaped =
        (c == '\\' && (next == ' ' || next == '#' || next == '\n')) || (c == '$' && next == '$');
    if (is_escaped) ++i;
    if (is_escaped && next != '\n') {
      file += next;
    } else if (is_escaped || c == ' ' || c == '\n') {
      if (!file.empty()) files.push_back(std::exchange(file, {}));
    } else {
      file += c;
    }
  }
  return files;
}

}  // namespace

void refuse_entry(const Unit& unit, std::size_t index, const std::string& said) {
  if (unit.host)
    throw EntryError(
        fmt::format("the entry \"{}\" is not a function in {} that can be called on the host: {}",
                    unit.entries.at(index), unit.source.string(), said),
        {}, index);
  if (said.find("overloaded") != std::string::npos)
    throw OverloadedEntry(
        fmt::format("the kernel \"{}\" is overloaded in {}; name its parameters, too, as in "
                    "\"{}(const float*, float*)\"",
                    unit.entries.at(index), unit.source.string(), unit.entries.at(index)),
        {}, index);
  if (const std::size_t end = said.find(is_macro); end != std::string::npos) {
    const std::string macro = last_quoted(said.substr(0, end)), file = unit.source.filename().string();
    throw EntryError(
        fmt::format("the entry \"{}\" contains \"{}\", which {}, so a launch in {} may start another kernel; "
                    "write the value of the macro, or add `#undef {}` at the end of {}",
                    unit.entries.at(index), macro, is_macro, file, macro, file),
        {}, index);
  }
  std::vector<std::string> names;
  for (const DeclaredKernel& kernel : kernels_declared(read_text_file(unit.source, largest_source)))
    if (std::ranges::find(names, kernel.name) == names.end()) names.push_back(kernel.name);
  throw EntryError(
      fmt::format(
          "the entry \"{}\" does not exist in {} ({}): {}", unit.entries.at(index), unit.source.string(),
          names.empty() ? "it declares no kernel" : fmt::format("it declares {}", fmt::join(names, ", ")),
          said),
      {}, index);
}

namespace {

constexpr std::size_t largest_output = std::size_t{1} << 30;

constexpr std::string_view no_space =
    "nvcc cannot write its temporary files: no space is left on the device; set TMPDIR";

/// nvcc needs a host compiler even for PTX. If one was named explicitly and does not work, that is a usage
/// error.
[[noreturn]] void refuse_host_compiler(const Unit& unit, const std::string& said) {
  const bool is_named = std::ranges::any_of(unit.flags, [](const std::string& flag) {
    return flag.starts_with("-ccbin") || flag.starts_with("--compiler-bindir");
  });
  if (is_named)
    throw InputError(fmt::format("nvcc cannot run the host compiler that -ccbin names ({})", said));
  std::error_code error;
  constexpr std::uintmax_t little = 1 << 20;  // nvcc does not say that it cannot write
  if (fs::space(fs::temp_directory_path(error), error).available < little)
    throw Unsupported(std::string(no_space));
  throw Unsupported(
      fmt::format("nvcc found no working host compiler ({}); install g++ 12 or later (apt "
                  "install g++), or name one with --nvcc \"-ccbin PATH\"",
                  said));
}

/// What this machine lacks, if nvcc, its host compiler or LLVM says so.
std::optional<std::string> lack_said(const std::string& output) {
  const std::string memory = fmt::format("nvcc needs more than {} MiB of memory, the limit of this run",
                                         memory_limit_of_programs() >> 20);
  const std::pair<std::string_view, std::string> lacks[] = {
      {"No space left on device", std::string(no_space)},
      {"File size limit exceeded",
       "a file that nvcc writes exceeds the file size limit; raise it (ulimit -f)"},
      {"Resource temporarily unavailable",
       "nvcc cannot start its programs: the limit on processes is reached (ulimit -u)"},
      {"out of memory allocating", memory},
      {"virtual memory exhausted", memory},
      {"error: out of memory", memory},
      {"ERROR: out of memory", memory},
      {"nvcc: Terminated", "nvcc was terminated by a signal"},
      {"nvcc: Hangup", "nvcc was terminated by a signal"},
      {"died due to signal", "a program that nvcc started was terminated by a signal"},
      {"signal terminated program", "a program that nvcc started was terminated by a signal"}};
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(' ')) continue;  // a quoted line of the source
    for (const auto& [said, sentence] : lacks)
      if (line.find(said) != std::string::npos) return sentence;
  }
  return std::nullopt;
}

[[noreturn]] void refuse(const Unit& unit, const ProcessResult& result) {
  const Position source{unit.source.string()};
  if (const auto how = how_ended_by_signal(result)) throw Unsupported("nvcc " + *how, source);
  if (const auto lack = lack_said(result.output)) throw Unsupported(*lack, source);
  if (const auto said = complaint_about_host_compiler(result.output)) refuse_host_compiler(unit, *said);
  const Diagnostic error = first_error(result.output, result.status);
  if (const auto index = entry_of_diagnostic(error.where.file); index && *index < unit.entries.size())
    refuse_entry(unit, *index, error.sentence);
  throw InputError(fmt::format("nvcc cannot compile this: {}", error.sentence),
                   error.where.file.empty() ? source : error.where);
}

/// Makes the names of the unit's globals unpredictable, so that no source can define them.
std::string random_token() { return fmt::format("{:016x}", unpredictable_number()); }

/// Options for the output: PTX with line information, or a program that contains machine code for the
/// architecture and PTX for later ones.
std::vector<std::string> wishes(const Unit& unit) {
  if (!unit.host) return {"-ptx", "-lineinfo", "-arch=" + unit.arch};
  const std::string number = unit.arch.substr(std::string_view("compute_").size());
  return {fmt::format("-gencode=arch={0},code=[{0},sm_{1}]", unit.arch, number), "-ldl"};
}

void check_temporary(const fs::path& folder) {
  try {
    check_path_for_nvcc(folder);
  } catch (const InputError&) {
    throw InputError(
        "the temporary folder's path contains a character that nvcc does not pass on safely; set TMPDIR to "
        "another folder",
        {folder.string()});
  }
}

/// Throws InputError if nvcc would use a file of the current folder instead of its own header.
void check_current_folder() {
  const fs::path header = "cuda_runtime.h";  // nvcc includes it before the source
  std::error_code error;
  if (fs::exists(fs::symlink_status(header, error)))
    throw InputError(
        "nvcc would include this file instead of its own header, because it runs in the current folder if "
        "--nvcc, NVCC_PREPEND_FLAGS or NVCC_APPEND_FLAGS gives it flags; run foldproof in another folder",
        {header.string()});
}

constexpr const char* variables_with_flags[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"};

std::string environment_variable(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

bool has_flags_in_environment() {
  return std::ranges::any_of(variables_with_flags,
                             [](const char* variable) { return !environment_variable(variable).empty(); });
}

bool is_cacheable(const Unit& unit) {
  std::vector<std::string> flags = unit.flags;
  for (const char* variable : variables_with_flags)
    std::ranges::move(split_command(environment_variable(variable)), std::back_inserter(flags));
  return std::ranges::none_of(flags, [](std::string_view flag) {
    if (flag.find('@') != std::string_view::npos) return true;  // an option file of the host compiler
    flag.remove_prefix(std::min(flag.find_first_not_of('-'), flag.size()));
    return flag.starts_with("options-file") || flag.starts_with("optf") || flag.starts_with("keep");
  });
}

std::string settings_of(const Unit& unit, std::string_view version) {
  std::vector<std::string> parts{"2", std::string(version), unit.arch};
  for (const auto* list : {&unit.flags, &unit.entries}) {
    parts.push_back(std::to_string(list->size()));
    parts.insert(parts.end(), list->begin(), list->end());
  }
  for (const char* variable : variables_with_flags) parts.push_back(environment_variable(variable));
  std::string joined;
  for (const std::string& part : parts) joined += fmt::format("{}:{}", part.size(), part);
  return joined;
}

NvccRun::NvccRun(const Unit& unit, fs::path nvcc, Deadline deadline)
    : unit_(unit), nvcc_(std::move(nvcc)), deadline_(deadline), token_(random_token()) {
  check_temporary(folder_.path());
}

std::string NvccRun::preprocessed() const { return without_names(output_of({"-E"}, largest_output)); }

UnitPtx NvccRun::ptx() const {
  std::string text = output_of(kept(), largest_ptx);
  if (text.find(".version") == std::string::npos) refuse_output();
  return without_addresses(ptx::Source(unit_.source.string(), std::move(text)), unit_.entries.size(), token_);
}

std::string NvccRun::program() const { return output_of({}, largest_output); }

std::optional<std::string> NvccRun::text_compiled() const {
  auto text = read_if_possible(folder_.path() / "foldproof.cpp1.ii", largest_output);
  return text ? std::optional(without_names(*std::move(text))) : std::nullopt;
}

std::vector<std::string> NvccRun::files_read() const {
  const auto rule = read_if_possible(list_of_files(), largest_output);
  return rule ? prerequisites(*rule) : std::vector<std::string>{};
}

std::vector<std::string> NvccRun::kept() const {
  if (!is_cacheable(unit_)) return {};
  return {"--keep", "--keep-dir=" + folder_.path().string()};
}

/// Without the token and the name of the temporary folder, which differ from run to run.
std::string NvccRun::without_names(std::string text) const {
  for (const std::string& name : {folder_.path().string(), token_})
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
      text.erase(at, name.size());
  return text;
}

void NvccRun::refuse_output() const {
  throw Unsupported(fmt::format("{} exited without an error but wrote no {}; is it nvcc?", nvcc_.string(),
                                unit_.host ? "program" : "PTX"),
                    {unit_.source.string()});
}

/// Throws InputError if the output has more than `most` bytes.
std::string NvccRun::output_of(const std::vector<std::string>& options, std::size_t most) const {
  const fs::path code = folder_.path() / "foldproof.cu", output = folder_.path() / "foldproof.out";
  write_temporary(code, unit_.host ? host_unit(unit_.source, unit_.entries)
                                   : translation_unit(unit_.source, unit_.entries, unit_.appendix, token_));
  std::vector<std::string> arguments{nvcc_.string()};
  for (const auto& some : {wishes(unit_), unit_.flags, options})
    arguments.insert(arguments.end(), some.begin(), some.end());
  // nvcc's own -MD does not go with -E, and believes line markers.
  if (!unit_.host) arguments.insert(arguments.end(), {"-Xcompiler", "-MD,-MF," + list_of_files().string()});
  arguments.insert(arguments.end(), {"-o", output.string(), code.string()});
  std::error_code error;
  for (const fs::path& earlier : {output, list_of_files()}) fs::remove(earlier, error);
  if (unit_.runs_here) check_current_folder();
  const ProcessResult result =
      run_process(arguments, folder_.path(), deadline_, unit_.runs_here ? fs::path() : folder_.path());
  if (result.status != 0) refuse(unit_, result);
  if (!fs::exists(output, error)) refuse_output();
  return read_text_file(output, most);
}

}  // namespace foldproof
