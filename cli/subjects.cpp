#include "cli/subjects.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <system_error>

#include "cli/processes.h"

namespace foldproof {

namespace {

namespace fs = std::filesystem;

fs::path contract_beside(const fs::path& source) { return fs::path(source).replace_extension(".toml"); }

std::vector<fs::path> contract_files(const fs::path& path, const fs::path& contract) {
  if (!contract.empty()) return {contract};
  if (path.empty()) return contracts_below(shipped_kernels());
  std::error_code error;
  if (fs::is_directory(path, error)) {
    auto files = contracts_below(path);
    if (files.empty())
      throw InputError(fmt::format(
          "the folder {} holds no contract; `foldproof init FILE.cu` writes a first one", path.string()));
    return files;
  }
  if (!fs::exists(path, error)) throw InputError(fmt::format("there is no file {}", path.string()));
  if (path.extension() == ".toml") return {path};
  return {contract_beside(path)};
}

/// Complains about all but the last of several errors and throws that one.
void throw_last(const std::vector<InputError>& errors, const Console& console) {
  if (errors.empty()) return;
  for (std::size_t i = 0; i + 1 < errors.size(); ++i)
    console.complain(errors[i].sentence(), errors[i].position());
  throw errors.back();
}

}  // namespace

std::vector<Subject> load_subjects(const fs::path& path, const fs::path& contract, const Console& console) {
  std::vector<Subject> subjects;
  std::vector<InputError> errors;
  for (const fs::path& file : contract_files(path, contract)) {
    try {
      subjects.push_back({load_contract(file), nullptr});
    } catch (const InputError& error) {
      errors.push_back(error);
    }
  }
  throw_last(errors, console);
  return subjects;
}

void compile_subjects(std::vector<Subject>& subjects, const CompileOptions& options, unsigned jobs,
                      const Console& console, ProgressLine& line) {
  // The processes fill the PTX cache, so that compiling again here only reads.
  std::vector<InputError> errors;
  std::size_t done = 0;
  Tasks tasks;
  tasks.count = subjects.size();
  tasks.jobs = jobs;
  tasks.work = [&](std::size_t task, const auto&) {
    compile_contract(subjects[task].contract, options);
    return std::string();
  };
  tasks.finished = [&](std::size_t, const Outcome& outcome) {
    ++done;
    if (outcome.ending == Outcome::Ending::wrong_input) errors.emplace_back(outcome.text, outcome.position);
  };
  tasks.progress = [&](std::uint64_t) {
    line.show(fmt::format("compiling: {} of {} sources", done, subjects.size()));
  };
  if (!run_in_processes(tasks)) throw Interrupted{};
  throw_last(errors, console);
  for (Subject& subject : subjects) subject.image = compile_contract(subject.contract, options).image;
}

fs::path shipped_kernels() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& folder : {program.parent_path().parent_path() / FOLDPROOF_INSTALLED_KERNELS,
                                 fs::path(FOLDPROOF_SOURCE_KERNELS)})
    if (fs::is_directory(folder, error)) return folder;
  throw InputError("the kernels that come with Foldproof are not there; name a file or a folder");
}

unsigned default_jobs() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&cores)));
}

}  // namespace foldproof
