#include "command/compilation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/files.h"
#include "base/interrupts.h"
#include "base/memory.h"
#include "command/emulated.h"
#include "contracts/signature.h"
#include "contracts/uncovered_launches.h"

namespace foldproof {

namespace {

void give_up(Subject& subject) {
  subject.obstacle =
      Obstacle{Verdict::skipped, "the time budget was exhausted before its source was compiled"};
  subject.is_out_of_time = true;
}

std::string source_of(const Contract& contract) { return resolved_path(contract.source).string(); }

/// What the launches of all contracts need.
Contract merged(const Compilation::Group& group) {
  Contract all = group.front()->contract;
  for (const Subject* subject : std::span(group).subspan(1))
    std::ranges::copy(subject->contract.instances, std::back_inserter(all.instances));
  return all;
}

/// Sets `lowered` of the contracts' launches, in the order of merged().
void set_lowered(const Contract& all, const std::vector<Contract*>& contracts) {
  auto from = all.instances.begin();
  for (Contract* contract : contracts)
    for (Instance& instance : contract->instances) {
      for (std::size_t i = 0; i < instance.launches.size(); ++i)
        instance.launches[i].lowered = from->launches.at(i).lowered;
      ++from;
    }
}

std::vector<Contract*> pointers_to(std::vector<Contract>& contracts) {
  std::vector<Contract*> pointers;
  for (Contract& contract : contracts) pointers.push_back(&contract);
  return pointers;
}

std::size_t index_in(const Compilation::Group& group, const Subject* subject) {
  return static_cast<std::size_t>(std::ranges::find(group, subject) - group.begin());
}

/// The entries of all contracts, as they spell them, with the lowered names if they were compiled.
std::set<std::pair<std::string, std::string>> entries_of(const Compilation::Group& group) {
  std::set<std::pair<std::string, std::string>> entries;
  for (const Subject* subject : group)
    for (const Instance& instance : subject->contract.instances)
      for (const LaunchContract& launch : instance.launches) entries.emplace(launch.entry, launch.lowered);
  return entries;
}

/// The subject of a unit whose contract the error is about, or the only one; null if it is about something
/// else.
Subject* subject_named_by(const InputError& error, const Compilation::Group& unit) {
  if (unit.size() == 1) return unit.front();
  const auto is_meant = [&](const Subject* subject) {
    return subject->contract.file == error.position().file;
  };
  return std::ranges::count_if(unit, is_meant) == 1 ? *std::ranges::find_if(unit, is_meant) : nullptr;
}

/// What remains to be compiled of a unit without that subject. If none is at fault, each is a unit of its
/// own, since an instance of a template may be the reason.
std::vector<Compilation::Group> parts_without(const Subject* wrong, Compilation::Group unit) {
  std::vector<Compilation::Group> parts;
  if (wrong == nullptr) {
    for (Subject* subject : unit) parts.push_back({subject});
  } else {
    std::erase(unit, wrong);
    if (!unit.empty()) parts.push_back(std::move(unit));
  }
  return parts;
}

void write(const InputError& error, ByteWriter& writer) {
  writer.text(error.sentence());
  writer.text(error.position().file);
  writer.number(error.position().line);
  writer.number(error.position().column);
}

InputError read_error(ByteReader& reader) {
  std::string sentence = reader.text();
  Position position;
  position.file = reader.text();
  position.line = static_cast<unsigned>(reader.number());
  position.column = static_cast<unsigned>(reader.number());
  return InputError(sentence, position);
}

/// Contracts whose units have the same key can be one unit; those whose units contain more than their source
/// have none.
std::optional<std::string> key_of(const Contract& contract) {
  if (contract.is_host_function() || contract.call) return std::nullopt;
  return fmt::format("{}\n{}\n{}", source_of(contract), contract.arch, fmt::join(contract.flags, "\n"));
}

/// Whether the kernel comes from a library in the toolkit: CUB and Thrust declare kernels in headers. A file
/// that is not one of the toolkit's may use their namespaces as well.
bool is_of_toolkit(const EntrySignature& kernel, const std::vector<std::string>& files_read) {
  if (!kernel.spelled.starts_with("cub::") && !kernel.spelled.starts_with("thrust::")) return false;
  std::set<std::filesystem::path> toolkits;
  for (const std::string& file : files_read)
    if (file.ends_with("/cuda_runtime.h")) toolkits.insert(without_links(file).parent_path());
  if (toolkits.size() != 1) return false;
  const std::string_view name = unqualified(kernel.spelled);
  bool is_declared = false;
  for (const std::string& file : files_read) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) continue;  // such as the unit itself, which was removed
    const auto text = read_if_possible(file, largest_source);
    const bool mentions = !text || text->find(name) != std::string::npos;
    if (mentions && !is_below(file, *toolkits.begin())) return false;
    is_declared |= mentions;
  }
  return is_declared;
}

}  // namespace

std::string Compilation::other_kernels(const Subject& subject) const {
  if (!subject.image || !subject.covers_source || subject.contract.is_host_function()) return "";
  const std::vector<EntrySignature> kernels = entries_of(subject.image->ptx.module());
  std::set<std::string> lowered, launched;
  for (const EntrySignature& kernel : kernels) lowered.insert(kernel.lowered);
  for (const auto& [entry, name] : entries_of(covering_.at(source_of(subject.contract)))) {
    if (lowered.contains(name))
      launched.insert(name);
    else  // not compiled, or in another unit with other names for kernels with internal linkage
      for (const EntrySignature* kernel : named_by(entry, kernels)) launched.insert(kernel->lowered);
  }
  std::vector<std::string> others;
  std::string first;
  for (const EntrySignature& kernel : kernels) {
    if (launched.contains(kernel.lowered) || is_of_toolkit(kernel, subject.files_read)) continue;
    if (others.empty()) first = identifying_name(kernels, kernel);
    others.push_back(kernel.spelled);
  }
  if (others.empty()) return "";
  constexpr std::size_t shown = 3;
  const std::string more = others.size() > shown ? fmt::format(" and {} more", others.size() - shown) : "";
  const bool is_one = others.size() == 1;
  others.resize(std::min(others.size(), shown));
  return fmt::format("no contract launches {}{}; to audit {}, pass --entry \"{}\"", fmt::join(others, ", "),
                     more, is_one ? "it" : "one of them", first);
}

Compilation::Compilation(std::vector<Subject>& subjects, const CompileOptions& options) : options_(options) {
  const TimeLimit reading(options.deadline);
  for (Subject& subject : subjects)
    if (subject.covers_source) covering_[source_of(subject.contract)].push_back(&subject);
  std::map<std::string, std::size_t> groups;
  for (Subject& subject : subjects) {
    if (subject.obstacle || subject.image) continue;
    if (subject.contract.source.extension() == ".ptx") {
      read_ptx(subject);
    } else {
      add_to_group(subject, groups);
    }
  }
}

void Compilation::add_to_group(Subject& subject, std::map<std::string, std::size_t>& groups) {
  waiting_.insert(&subject);
  if (const auto key = key_of(subject.contract)) {
    const auto [at, is_new] = groups.try_emplace(*key, groups_.size());
    if (!is_new) return groups_[at->second].push_back(&subject);
  }
  groups_.push_back({&subject});
}

void Compilation::read_ptx(Subject& subject) {
  if (is_late()) return give_up(subject);
  try {
    subject.image = compile_contract(subject.contract, options_);
  } catch (const InputError& error) {
    fail(subject, error);
  }
}

void Compilation::fail(Subject& subject, const InputError& error) {
  subject.obstacle = Obstacle{Verdict::error, error.what()};
  errors_.emplace(&subject, error);
}

bool Compilation::is_late() const {
  return options_.deadline && std::chrono::steady_clock::now() >= *options_.deadline;
}

Compilation::Group Compilation::with_skipped(const Group& group) const {
  Group all = group;
  const auto key = key_of(group.front()->contract);
  const auto covering = covering_.find(source_of(group.front()->contract));
  if (!key || covering == covering_.end()) return all;
  for (Subject* subject : covering->second)
    if (subject->obstacle && subject->obstacle->verdict == Verdict::skipped &&
        key_of(subject->contract) == key)
      all.push_back(subject);
  return all;
}

/// The contracts of the unit's source that are compiled elsewhere.
std::vector<const Contract*> Compilation::others_of(const Group& unit) const {
  std::vector<const Contract*> others;
  for (const Group& group : groups_)
    for (const Subject* subject : group)
      if (source_of(subject->contract) == source_of(unit.front()->contract) &&
          std::ranges::find(unit, subject) == unit.end())
        others.push_back(&subject->contract);
  return others;
}

/// Whether a contract outside of the unit may launch an instance of the template.
bool Compilation::is_launched_elsewhere(const std::string& name, const Group& unit) const {
  const auto covering = covering_.find(source_of(unit.front()->contract));
  if (covering == covering_.end()) return false;
  Group elsewhere;
  std::ranges::copy_if(covering->second, std::back_inserter(elsewhere),
                       [&](Subject* subject) { return std::ranges::find(unit, subject) == unit.end(); });
  return std::ranges::any_of(entries_of(elsewhere), [&](const auto& entry) {
    return unqualified(signature_of_spelling(entry.first).spelled) == unqualified(name);
  });
}

/// Compiles one unit, and writes the result, and for each subject what its contract leaves out.
void Compilation::write_unit(const Group& unit, ByteWriter& writer) const {
  Contract all = merged(unit);
  CompiledSource source = compiled_contract(all, options_);
  const std::string text = std::exchange(source.text, {});
  source.write(writer);
  const std::vector<DeclaredKernel> templates = std::ranges::any_of(unit, &Subject::covers_source)
                                                    ? templates_among(kernels_declared(text))
                                                    : std::vector<DeclaredKernel>{};
  std::vector<Contract> contracts;
  std::vector<EntrySignature> kernels;
  const bool has_launches = text.find("<<<") != std::string::npos;
  if (unit.size() > 1 || has_launches || !templates.empty()) {  // otherwise the PTX is not parsed here
    const auto image = adopt(all, std::move(source));
    // Throws if the device refuses one kernel, which would keep the others from running.
    if (unit.size() > 1) checked_runner()->entries(image);
    kernels = entries_of(image->ptx.module());
    for (const Subject* subject : unit) contracts.push_back(subject->contract);
    set_lowered(all, pointers_to(contracts));
  }
  std::vector<std::string> unused = without_instance(templates, kernels);
  std::erase_if(unused, [&](const std::string& name) { return is_launched_elsewhere(name, unit); });
  for (std::size_t i = 0; i < unit.size(); ++i) {
    std::vector<std::string> uncovered;
    if (has_launches) {
      std::vector<const Contract*> others = others_of(unit);
      for (const Contract& contract : contracts)
        if (&contract != &contracts[i]) others.push_back(&contract);
      uncovered = uncovered_launches(contracts[i], others, kernels, text);
    }
    if (unit[i]->covers_source)
      for (const std::string& name : unused)
        uncovered.push_back(fmt::format("no contract launches an instance of the template {}", name));
    writer.number(uncovered.size());
    for (const std::string& launch : uncovered) writer.text(launch);
  }
}

void Compilation::take_unit(const Group& unit, ByteReader& reader) {
  CompiledSource source = CompiledSource::read(reader);
  const std::vector<std::string> files_read = std::move(source.files_read);
  Contract all = merged(unit);
  const std::shared_ptr<const Image> image = adopt(all, std::move(source));
  std::vector<Contract*> contracts;
  for (Subject* subject : unit) contracts.push_back(&subject->contract);
  set_lowered(all, contracts);
  for (Subject* subject : unit) {
    std::vector<std::string> uncovered;
    for (std::uint64_t left = reader.length(); left > 0; --left) uncovered.push_back(reader.text());
    if (subject->obstacle) continue;
    subject->image = image;
    subject->files_read = files_read;
    std::ranges::move(uncovered, std::back_inserter(subject->not_audited));
  }
}

/// The result consists of errors, and of units, each with the indices of its subjects.
std::string Compilation::work(std::size_t task) const {
  const Group all = with_skipped(groups_[task]);
  std::vector<Group> units{all};
  std::vector<std::pair<Subject*, InputError>> errors;
  ByteWriter compiled;
  std::uint64_t number = 0;
  while (!units.empty()) {
    const Group unit = std::move(units.back());
    units.pop_back();
    try {
      ByteWriter own;
      write_unit(unit, own);
      compiled.number(unit.size());
      for (const Subject* subject : unit) compiled.number(index_in(all, subject));
      compiled.bytes(own.message());
      ++number;
    } catch (const InputError& error) {
      Subject* wrong = subject_named_by(error, unit);
      if (wrong != nullptr) errors.emplace_back(wrong, error);
      std::ranges::move(parts_without(wrong, unit), std::back_inserter(units));
    } catch (const Unsupported&) {
      if (unit.size() == 1) throw;
      std::ranges::move(parts_without(nullptr, unit), std::back_inserter(units));
    }
  }
  ByteWriter writer;
  writer.number(errors.size());
  for (const auto& [subject, error] : errors) {
    writer.number(index_in(all, subject));
    write(error, writer);
  }
  writer.number(number);
  writer.bytes(compiled.message());
  return {reinterpret_cast<const char*>(writer.message().data()), writer.message().size()};
}

void Compilation::take(const Group& group, const std::string& compiled) {
  const Group all = with_skipped(group);
  ByteReader reader(std::as_bytes(std::span(compiled)));
  for (std::uint64_t left = reader.number(); left > 0; --left) {
    Subject& subject = *all.at(reader.number());
    const InputError error = read_error(reader);
    if (!subject.obstacle) fail(subject, error);
  }
  const std::uint64_t number = reader.number();
  const std::vector<std::byte> bytes = reader.bytes();
  ByteReader units(bytes);
  for (std::uint64_t k = 0; k < number; ++k) {
    Group unit;
    for (std::uint64_t left = units.number(); left > 0; --left) unit.push_back(all.at(units.number()));
    const std::vector<std::byte> own = units.bytes();
    ByteReader content(own);
    try {
      take_unit(unit, content);
    } catch (const InputError& error) {
      for (Subject* subject : unit)
        if (!subject->obstacle) fail(*subject, error);
    }
  }
}

void Compilation::finished(std::size_t task, Outcome outcome) {
  using Ending = Outcome::Ending;
  const Group& group = groups_[task];
  if (outcome.ending == Ending::unsupported && is_late())
    outcome.ending = Ending::out_of_time;  // nvcc was ended at the deadline
  if (outcome.ending == Ending::finished) take(group, outcome.text);
  for (Subject* subject : group) {
    waiting_.erase(subject);
    switch (outcome.ending) {
      case Ending::finished:
      case Ending::interrupted: break;
      case Ending::wrong_input: fail(*subject, InputError(outcome.text, outcome.position)); break;
      case Ending::out_of_time: give_up(*subject); break;
      default:
        if (outcome.position.file.empty()) outcome.position.file = subject->contract.source.string();
        subject->obstacle = Obstacle{Verdict::error, outcome.reason()};
        if (!lack_) lack_.emplace(outcome.text, outcome.position);
    }
  }
}

std::vector<InputError> Compilation::errors() const {
  std::vector<InputError> errors;
  for (const auto& [subject, error] : errors_) errors.push_back(error);
  return errors;
}

void Compilation::check(const Console& console) const {
  if (errors_.empty() && lack_) throw *lack_;
  if (lack_) console.complain(lack_->sentence(), lack_->position());
  throw_last(errors(), console);
}

bool run(Compilation& compilation, Deadline deadline, unsigned jobs, ProgressLine& line) {
  std::size_t done = 0;
  TaskPool pool;
  pool.tasks = compilation.tasks();
  pool.processes = jobs;
  pool.memory = memory_share(pool.tasks, pool.processes);
  pool.deadline = deadline;
  pool.work = [&](std::size_t task, const auto&) { return compilation.work(task); };
  pool.finished = [&](std::size_t task, Outcome outcome) {
    ++done;
    compilation.finished(task, std::move(outcome));
  };
  pool.progress = [&](std::uint64_t) {
    line.show(
        fmt::format("compiling: {} of {} sources; running for {:.0f} s", done, pool.tasks, line.elapsed()));
  };
  return pool.run();
}

void compile_subjects(std::vector<Subject>& subjects, const CompileOptions& options, unsigned jobs,
                      const Console& console, ProgressLine& line) {
  Compilation compilation(subjects, options);
  if (!run(compilation, options.deadline, jobs, line)) throw Interrupted{};
  compilation.check(console);
}

}  // namespace foldproof
