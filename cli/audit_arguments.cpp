#include "cli/audit_arguments.h"

#include <fmt/format.h>

#include "command/parse.h"
#include "command/program.h"
#include "command/shared_options.h"

namespace foldproof {

namespace {

bool is_selected(const Contract& contract, const Instance& instance, const std::string& only) {
  return only.empty() || contract.id == only || instance.label == only ||
         contract.id + " " + instance.label == only;
}

}  // namespace

void AuditArguments::attach(CLI::App& app, const std::string& about_cases,
                            const std::string& about_severity) {
  app.add_option("PATH", path, "Folder, .cu, .ptx or contract");
  app.add_option("--contract", contract, "Contract, if it is not next to the source")->type_name("FILE.toml");
  app.add_option("--entry", entry, about_entry)->type_name("NAME");
  reference.attach(app);
  app.add_option("--cases", cases, about_cases)
      ->check(quietly(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32)))
      ->type_name("N");
  app.add_option("--budget", budget, "Time budget for the whole run, such as 60s")->type_name("TIME");
  app.add_option("--seed", seed, "Seed: a number or \"random\"")->type_name("S");
  app.add_option(
         "--largest", largest,
         fmt::format("Maximum number of elements per case (default: {})", AuditOptions{}.largest_count))
      ->check(quietly(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 33)))
      ->type_name("N");
  app.add_option("--only", only, "Only kernels with this id, instances with this label, or \"ID LABEL\"")
      ->type_name("TEXT");
  add_fail_on(app, fail_on, about_severity);
  add_jobs(app, jobs);
  app.add_option("--shard", shard, "Part i of n of the instances")->type_name("i/n");
  source.attach(app);
}

SubjectChoice AuditArguments::choice() const {
  if (path.empty() && contract.empty())
    throw InputError(fmt::format(
        "no PATH given; specify a .cu or .ptx file, a contract, or a folder ({} with --trust for the bundled "
        "kernels)",
        shipped_kernels().string()));
  return {path, contract, entry_name(entry), source.trust(), reference.reference()};
}

Deadline AuditArguments::deadline() const {
  if (budget.empty()) return {};
  return std::chrono::steady_clock::now() + parse_duration(budget, "--budget");
}

std::vector<Assignment> AuditArguments::selected(const std::vector<Subject>& subjects) const {
  std::vector<Assignment> assignments;
  for (const auto& [subject, instance] : launching_instances(subjects, entry_name(entry)))
    if (is_selected(subject->contract, *instance, only)) assignments.push_back({subject, instance});
  if (assignments.empty())
    throw InputError(fmt::format("--only \"{}\" selects no instance; `foldproof list {}` lists the instances",
                                 only, path.empty() ? subjects.front().contract.source.string() : path));
  return assignments;
}

std::vector<Assignment> AuditArguments::sharded(const std::vector<Assignment>& assignments) const {
  const Shard part = parse_shard(shard);
  std::vector<Assignment> held;
  for (std::size_t i = 0; i < assignments.size(); ++i)
    if (part.holds(i)) held.push_back(assignments[i]);
  return held;
}

void say_that_it_is_guessed(const std::vector<Subject>& subjects, const Console& console) {
  if (subjects.empty() || !subjects.front().is_guessed()) return;
  if (!subjects.front().contract.as.empty())
    return console.note(fmt::format("audited as {}; the notes list the parameters and the launch",
                                    subjects.front().contract.as));
  console.note(
      subjects.front().has_other_contract
          ? "the contract next to the source is for another kernel; the notes list what was assumed"
          : "no contract found next to the source; the notes list what was assumed, and `foldproof init` "
            "writes it to a contract");
}

}  // namespace foldproof
