#include "command/subjects.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/files.h"
#include "base/interrupts.h"
#include "base/memory.h"
#include "command/guessed_contracts.h"
#include "contracts/guess.h"
#include "contracts/signature.h"
#include "devices/gpus.h"

namespace foldproof {

namespace {

namespace fs = std::filesystem;

Subject subject_of(Contract contract) {
  fs::path folder = settled_path(contract.file.empty() ? contract.source : contract.file).parent_path();
  Subject subject{.contract = std::move(contract), .folder = std::move(folder)};
  if (const auto& no_fit = subject.contract.no_fit)
    subject.obstacle = Obstacle{Verdict::no_fit, no_fit->reason};
  return subject;
}

std::vector<fs::path> contracts_of_folder(const fs::path& folder) {
  auto files = contracts_below(folder);
  if (files.empty())
    throw InputError(fmt::format("the folder {} contains no contract; `foldproof init FILE.cu` writes one",
                                 folder.string()));
  return files;
}

bool names_source(const SubjectChoice& choice) {
  std::error_code error;
  return fs::is_regular_file(choice.path, error) && choice.path.extension() != ".toml";
}

/// The contracts to which the choice refers; none if one is to be guessed.
std::vector<fs::path> contract_files(const SubjectChoice& choice) {
  std::error_code error;
  if (!choice.path.empty() && !fs::exists(choice.path, error))
    throw InputError("the file does not exist", {choice.path.string()});
  if (!choice.contract.empty()) {
    // Otherwise PATH would seem to be audited.
    if (!choice.path.empty() && !names_source(choice))
      throw InputError("--contract applies to one source; specify a .cu or .ptx file, or no PATH",
                       {choice.path.string()});
    return {choice.contract};
  }
  if (choice.path.empty()) return contracts_of_folder(shipped_kernels());
  if (fs::is_directory(choice.path, error)) return contracts_of_folder(choice.path);
  return choice.path.extension() == ".toml" ? std::vector{choice.path} : contracts_of(choice.path);
}

/// Throws InputError if the contract is about another source, which would otherwise seem to be audited.
void check_source(const SubjectChoice& choice, const Contract& contract) {
  std::error_code error;
  if (!names_source(choice) || fs::equivalent(choice.path, contract.source, error)) return;
  throw InputError(
      fmt::format("this contract is for {}, not for {}; set \"path\" in [source] to the right source",
                  contract.source.string(), choice.path.string()),
      {contract.file.string()});
}

/// No contract launches the chosen entry. Throws InputError unless the choice is one source without
/// --contract.
std::vector<Subject> subjects_without_contract(const SubjectChoice& choice, const CompileOptions& options) {
  if (choice.contract.empty() && names_source(choice)) {
    std::vector<Subject> subjects = guessed_subjects(choice.path, choice.entry, options);
    for (Subject& subject : subjects) subject.has_other_contract = true;
    return subjects;
  }
  const fs::path where = choice.contract.empty() ? choice.path : choice.contract;
  const char* what = where.extension() == ".toml" ? "this contract does not launch" : "no contract launches";
  throw InputError(fmt::format("--entry: {} the kernel \"{}\"", what, choice.entry), {where.string()});
}

std::vector<Subject> subjects_of_reference(const SubjectChoice& choice, const CompileOptions& options) {
  if (!choice.contract.empty())
    throw InputError("--as and --contract cannot be combined: a kernel has only one contract");
  if (!names_source(choice))
    throw InputError("--as applies to one source; specify a .cu or .ptx file", {choice.path.string()});
  return guessed_subjects(choice.path, choice.entry, options, choice.reference);
}

/// Orders "A2" before "A10" before "B1": by letters, then by number.
bool comes_before(const Subject& left, const Subject& right) {
  const auto key = [](const std::string& id) {
    const std::size_t digits = std::min(id.find_first_of("0123456789"), id.size());
    return std::make_tuple(id.substr(0, digits), id.size(), id);
  };
  return key(left.contract.id) < key(right.contract.id);
}

bool launches(const Instance& instance, const std::string& entry,
              bool (*names)(const std::string& spelling, const std::string& entry)) {
  return std::ranges::any_of(instance.launches,
                             [&](const LaunchContract& launch) { return names(launch.entry, entry); });
}

void keep_launching(std::vector<Subject>& subjects, const std::string& entry) {
  const auto chosen = launching_instances(subjects, entry);
  std::erase_if(subjects, [&](const Subject& subject) {
    return std::ranges::none_of(chosen, [&](const auto& pair) { return pair.first == &subject; });
  });
}

}  // namespace

std::vector<Subject> guessed_subjects(const fs::path& source, const std::string& entry,
                                      const CompileOptions& options,
                                      const std::optional<Reference>& reference) {
  constexpr std::size_t most_kernels = 32;  // an audit then takes about a minute
  std::vector<Subject> subjects;
  for (GuessedContract& guess : guessed_contracts(source, entry, options, reference, most_kernels)) {
    subjects.push_back(subject_of(std::move(guess.contract)));
    Subject& subject = subjects.back();
    subject.image = std::move(guess.image);
    if (guess.is_out_of_time) {
      subject.obstacle =
          Obstacle{Verdict::skipped,
                   "the time budget was exhausted before trial runs showed what the kernel computes"};
      subject.is_out_of_time = true;
      continue;
    }
    if (!subject.contract.assumptions.empty()) subject.notes.push_back(assumed(subject.contract));
    subject.not_audited = std::move(guess.not_audited);
  }
  return subjects;
}

std::vector<std::pair<const Subject*, const Instance*>> launching_instances(
    const std::vector<Subject>& subjects, const std::string& entry) {
  for (const auto names : {is_same_spelling, instantiates}) {
    std::vector<std::pair<const Subject*, const Instance*>> chosen;
    for (const Subject& subject : subjects)
      for (const Instance& instance : subject.contract.instances)
        if (entry.empty() || subject.is_guessed() || launches(instance, entry, names))
          chosen.emplace_back(&subject, &instance);
    if (!chosen.empty()) return chosen;
  }
  return {};
}

LoadedSubjects load_readable_subjects(const SubjectChoice& choice, const CompileOptions& options) {
  const TimeLimit reading(options.deadline);
  if (choice.reference) return {subjects_of_reference(choice, options), {}};
  const std::vector<fs::path> files = contract_files(choice);
  if (files.empty()) return {guessed_subjects(choice.path, choice.entry, options), {}};
  LoadedSubjects loaded;
  const bool are_shipped = choice.path.empty() && choice.contract.empty();
  const bool covers_source =
      choice.entry.empty() && choice.contract.empty() && choice.path.extension() != ".toml";
  for (const fs::path& file : files) {
    try {
      Contract contract = load_contract(file, are_shipped ? Trust::full : choice.trust);
      check_source(choice, contract);
      loaded.subjects.push_back(subject_of(std::move(contract)));
      loaded.subjects.back().covers_source = covers_source;
    } catch (const InputError& error) {
      loaded.errors.push_back(error);
    } catch (const std::bad_alloc&) {
      throw Unsupported(fmt::format("the contracts need more than {} MiB of memory", memory_limit() >> 20),
                        {file.string()});
    }
  }
  keep_launching(loaded.subjects, choice.entry);
  if (loaded.subjects.empty() && loaded.errors.empty())
    loaded.subjects = subjects_without_contract(choice, options);
  std::stable_sort(loaded.subjects.begin(), loaded.subjects.end(), comes_before);
  return loaded;
}

void complain(std::span<const InputError> errors, const Console& console) {
  for (const InputError& error : errors) console.complain(error.sentence(), error.position());
}

void throw_last(const std::vector<InputError>& errors, const Console& console) {
  if (errors.empty()) return;
  complain(std::span(errors).first(errors.size() - 1), console);
  throw errors.back();
}

std::vector<Subject> load_subjects(const SubjectChoice& choice, const CompileOptions& options,
                                   const Console& console) {
  LoadedSubjects loaded = load_readable_subjects(choice, options);
  throw_last(loaded.errors, console);
  return std::move(loaded.subjects);
}

std::vector<Subject> load_right_subjects(const fs::path& path, const CompileOptions& options,
                                         const Console& console) {
  std::vector<Subject> subjects = load_subjects({path, {}, {}, Trust::full}, options, console);
  std::erase_if(subjects, [](const Subject& subject) {
    return subject.contract.is_host_function() || !subject.contract.expected.empty();
  });
  return subjects;
}

std::vector<std::pair<const Subject*, const Instance*>> checked_instances(
    const std::vector<Subject>& subjects) {
  std::vector<std::pair<const Subject*, const Instance*>> instances;
  for (const Subject& subject : subjects)
    for (const Instance& instance : subject.contract.instances)
      if (instance.reduction) instances.emplace_back(&subject, &instance);
  return instances;
}

std::string skip_without_gpu(std::vector<Subject>& subjects, Deadline deadline) {
  const auto is_host_function = [](const Subject& subject) { return subject.contract.is_host_function(); };
  if (std::ranges::none_of(subjects, is_host_function)) return "";
  const Gpus& present = gpus(deadline);
  std::string device;
  for (Subject& subject : subjects) {
    if (!is_host_function(subject)) continue;
    std::string why = present.lack;
    if (present.count == 1 && uses_several_gpus(subject.contract))
      why = "only one CUDA device is available, but this kernel requires several";
    if (!why.empty()) {
      subject.obstacle = Obstacle{Verdict::skipped, std::move(why)};
      continue;
    }
    limit_gpus(subject.contract, present.count);
    device = present.name;
  }
  return device;
}

fs::path shipped_kernels() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& folder : {program.parent_path().parent_path() / FOLDPROOF_INSTALLED_KERNELS,
                                 fs::path(FOLDPROOF_SOURCE_KERNELS)})
    if (fs::is_directory(folder, error)) return folder;
  throw InputError("the bundled kernels were not found; specify a file or a folder");
}

unsigned default_jobs() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&cores)));
}

}  // namespace foldproof
