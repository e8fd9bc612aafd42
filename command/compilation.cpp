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

void Compilation::note_other_kernels(Subject& subject) const {
  if (!subject.covers_source || subject.contract.is_host_function()) return;
  const std::vector<EntrySignature> kernels = entries_of(subject.image->ptx.module());
  std::set<std::string> launched;
  const bool is_ptx = subject.contract.source.extension() == ".ptx";
  for (const Subject* other : covering_.at(source_of(subject.contract)))
    for (const Instance& instance : other->contract.instances)
      for (const LaunchContract& launch : instance.launches)
        if (other->image && (is_ptx || other->image == subject.image))
          launched.insert(launch.lowered);
        else  // another unit may have other names for kernels with internal linkage
          for (const EntrySignature* kernel : named_by(launch.entry, kernels))
            launched.insert(kernel->lowered);
  std::vector<std::string> others;
  std::string first;
  for (const EntrySignature& kernel : kernels) {
    if (launched.contains(kernel.lowered) || is_of_toolkit(kernel, subject.files_read)) continue;
    if (others.empty()) first = identifying_name(kernels, kernel);
    others.push_back(kernel.spelled);
  }
  if (others.empty()) return;
  constexpr std::size_t shown = 3;
  const std::string more = others.size() > shown ? fmt::format(" and {} more", others.size() - shown) : "";
  const bool is_one = others.size() == 1;
  others.resize(std::min(others.size(), shown));
  subject.not_audited.push_back(fmt::format("no contract launches {}{}; to audit {}, pass --entry \"{}\"",
                                            fmt::join(others, ", "), more, is_one ? "it" : "one of them",
                                            first));
}

Compilation::Compilation(std::vector<Subject>& subjects, const CompileOptions& options) : options_(options) {
  const TimeLimit reading(options.deadline);
  for (const Subject& subject : subjects)
    if (subject.covers_source) covering_[source_of(subject.contract)].push_back(&subject);
  std::map<std::string, std::size_t> groups;
  std::vector<Subject*> of_ptx;
  for (Subject& subject : subjects) {
    if (subject.obstacle || subject.image) continue;
    if (subject.contract.source.extension() == ".ptx") {
      read_ptx(subject);
      if (subject.image) of_ptx.push_back(&subject);
    } else {
      add_to_group(subject, groups);
    }
  }
  for (Subject* subject : of_ptx) note_other_kernels(*subject);
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

std::vector<const Contract*> Compilation::others_of(const Group& group) const {
  std::vector<const Contract*> others;
  for (const Group& other : groups_)
    if (&other != &group && source_of(other.front()->contract) == source_of(group.front()->contract))
      for (const Subject* subject : other) others.push_back(&subject->contract);
  return others;
}

/// Compiles the group as one unit, and writes the result, and for each subject what its contract leaves out.
void Compilation::write_compiled(const Group& group, ByteWriter& writer) const {
  Contract all = merged(group);
  CompiledSource source = compiled_contract(all, options_);
  source.write(writer);
  const std::string text = std::move(source.text);
  const bool covers = std::ranges::any_of(group, &Subject::covers_source);
  const std::vector<DeclaredKernel> templates =
      covers ? templates_among(kernels_declared(text)) : std::vector<DeclaredKernel>{};
  std::vector<Contract> contracts;
  std::vector<EntrySignature> kernels;
  const bool has_launches = text.find("<<<") != std::string::npos;
  if (has_launches || !templates.empty()) {  // otherwise the PTX is not parsed here
    const auto image = adopt(all, std::move(source));
    kernels = entries_of(image->ptx.module());
    std::vector<Contract*> named;
    for (const Subject* subject : group) contracts.push_back(subject->contract);
    for (Contract& contract : contracts) named.push_back(&contract);
    set_lowered(all, named);
  }
  const std::vector<std::string> unused = without_instance(templates, kernels);
  for (std::size_t i = 0; i < group.size(); ++i) {
    std::vector<std::string> uncovered;
    if (!contracts.empty()) {
      std::vector<const Contract*> others = others_of(group);
      for (const Contract& contract : contracts)
        if (&contract != &contracts[i]) others.push_back(&contract);
      uncovered = uncovered_launches(contracts[i], others, kernels, text);
    }
    if (group[i]->covers_source)
      for (const std::string& name : unused)
        uncovered.push_back(fmt::format("no contract launches an instance of the template {}", name));
    writer.number(uncovered.size());
    for (const std::string& launch : uncovered) writer.text(launch);
  }
}

void Compilation::take_compiled(const Group& group, ByteReader& reader) {
  CompiledSource source = CompiledSource::read(reader);
  const std::vector<std::string> files_read = std::move(source.files_read);
  Contract all = merged(group);
  const std::shared_ptr<const Image> image = adopt(all, std::move(source));
  std::vector<Contract*> contracts;
  for (Subject* subject : group) contracts.push_back(&subject->contract);
  set_lowered(all, contracts);
  for (Subject* subject : group) {
    subject->image = image;
    subject->files_read = files_read;
    for (std::uint64_t left = reader.length(); left > 0; --left)
      subject->not_audited.push_back(reader.text());
  }
  for (Subject* subject : group) note_other_kernels(*subject);
}

/// The result begins with the number of units. If the group cannot be compiled as one, each contract is a
/// unit of its own, so that an error in one does not affect the others.
std::string Compilation::work(std::size_t task) const {
  const Group& group = groups_[task];
  ByteWriter writer;
  try {
    writer.number(1);
    write_compiled(group, writer);
  } catch (const InputError&) {
    if (group.size() == 1) throw;
    writer = ByteWriter();
    writer.number(group.size());
    for (Subject* subject : group) {
      try {
        ByteWriter own;
        write_compiled({subject}, own);
        writer.text("");
        writer.bytes(own.message());
      } catch (const InputError& error) {
        writer.text(error.sentence());
        writer.text(error.position().file);
        writer.number(error.position().line);
        writer.number(error.position().column);
      }
    }
  }
  return {reinterpret_cast<const char*>(writer.message().data()), writer.message().size()};
}

void Compilation::take(const Group& group, const std::string& compiled) {
  ByteReader reader(std::as_bytes(std::span(compiled)));
  if (reader.number() == 1) return take_compiled(group, reader);
  for (Subject* subject : group) {
    if (const std::string sentence = reader.text(); !sentence.empty()) {
      std::string file = reader.text();
      const auto line = static_cast<unsigned>(reader.number());
      fail(*subject, InputError(sentence, {std::move(file), line, static_cast<unsigned>(reader.number())}));
      continue;
    }
    const std::vector<std::byte> bytes = reader.bytes();
    ByteReader own{bytes};
    take_compiled({subject}, own);
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
