#include "command/compilation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
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

std::vector<std::string> launched_by(const Contract& contract, std::string LaunchContract::*name) {
  std::vector<std::string> names;
  for (const Instance& instance : contract.instances)
    for (const LaunchContract& launch : instance.launches) names.push_back(launch.*name);
  return names;
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
  const std::vector<std::string> lowered = launched_by(subject.contract, &LaunchContract::lowered);
  std::set<std::string> launched(lowered.begin(), lowered.end());
  const std::vector<EntrySignature> kernels = entries_of(subject.image->ptx.module());
  for (const std::string& name : launched_.at(source_of(subject.contract)))
    for (const EntrySignature* kernel : named_by(name, kernels)) launched.insert(kernel->lowered);
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
  for (const Subject& subject : subjects) {
    if (!subject.covers_source) continue;
    auto& launched = launched_[source_of(subject.contract)];
    for (std::string& name : launched_by(subject.contract, &LaunchContract::entry))
      launched.insert(std::move(name));
  }
  for (Subject& subject : subjects) {
    if (subject.obstacle || subject.image) continue;
    if (subject.contract.source.extension() == ".ptx") {
      read_ptx(subject);
    } else {
      sources_.push_back(&subject);
      waiting_.insert(&subject);
    }
  }
}

void Compilation::read_ptx(Subject& subject) {
  if (is_late()) return give_up(subject);
  try {
    subject.image = compile_contract(subject.contract, options_);
    note_other_kernels(subject);
  } catch (const InputError& error) {
    fail(subject, error);
  }
}

void Compilation::take(Subject& subject, const std::string& compiled) {
  try {
    ByteReader reader(std::as_bytes(std::span(compiled)));
    CompiledSource source = CompiledSource::read(reader);
    subject.files_read = std::move(source.files_read);
    subject.image = adopt(subject.contract, std::move(source));
    for (std::uint64_t left = reader.length(); left > 0; --left) subject.not_audited.push_back(reader.text());
    note_other_kernels(subject);
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

std::vector<const Contract*> Compilation::others_of(const Subject& subject) const {
  std::vector<const Contract*> others;
  for (const Subject* other : sources_)
    if (other != &subject && source_of(other->contract) == source_of(subject.contract))
      others.push_back(&other->contract);
  return others;
}

std::string Compilation::work(std::size_t task) const {
  const Subject& subject = *sources_[task];
  Contract contract = subject.contract;
  CompiledSource source = compiled_contract(contract, options_);
  ByteWriter writer;
  source.write(writer);
  std::vector<std::string> uncovered;
  const std::string text = std::move(source.text);
  const std::vector<DeclaredKernel> templates =
      subject.covers_source ? templates_among(kernels_declared(text)) : std::vector<DeclaredKernel>{};
  if (text.find("<<<") != std::string::npos || !templates.empty()) {  // otherwise the PTX is not parsed here
    const auto image = adopt(contract, std::move(source));
    const std::vector<EntrySignature> kernels = entries_of(image->ptx.module());
    uncovered = uncovered_launches(contract, others_of(subject), kernels, text);
    for (const std::string& name : without_instance(templates, kernels))
      uncovered.push_back(fmt::format("no contract launches an instance of the template {}", name));
  }
  writer.number(uncovered.size());
  for (const std::string& launch : uncovered) writer.text(launch);
  return {reinterpret_cast<const char*>(writer.message().data()), writer.message().size()};
}

void Compilation::finished(std::size_t task, Outcome outcome) {
  using Ending = Outcome::Ending;
  Subject& subject = *sources_[task];
  if (outcome.ending == Ending::unsupported && is_late())
    outcome.ending = Ending::out_of_time;  // nvcc was ended at the deadline
  switch (outcome.ending) {
    case Ending::finished: take(subject, outcome.text); break;
    case Ending::wrong_input: fail(subject, InputError(outcome.text, outcome.position)); break;
    case Ending::out_of_time: give_up(subject); break;
    case Ending::interrupted: break;
    default:
      if (outcome.position.file.empty()) outcome.position.file = subject.contract.source.string();
      subject.obstacle = Obstacle{Verdict::error, outcome.reason()};
      if (!lack_) lack_.emplace(outcome.text, outcome.position);
  }
  waiting_.erase(&subject);
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
