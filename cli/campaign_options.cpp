#include "cli/campaign_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"

namespace foldproof {

namespace {

/// A dozen cases contain all classes of counts; with larger counts, a race produces millions of records.
constexpr std::uint64_t cases_under_a_tool = 12, largest_count_under_a_tool = 4096;

/// Cases must not depend on the results of earlier ones, nor on what other processes store meanwhile.
void suit_a_tool(AuditOptions& options) {
  options.guided = 0;
  options.shrinks = options.tries_stored = false;
}

/// The folder of failing cases next to a contract.
std::filesystem::path store_beside(const Subject& subject) { return subject.folder / case_store_folder; }

/// Where failing cases go unless --store names another folder. Nothing if the folder next to the contract
/// cannot be written, so that they go to the user's cache.
std::optional<std::filesystem::path> default_store(const Subject& subject) {
  if (access(subject.folder.empty() ? "." : subject.folder.c_str(), W_OK) != 0) return std::nullopt;
  return store_beside(subject);
}

}  // namespace

void check_number(const std::vector<Assignment>& assignments) {
  if (assignments.size() > most_instances)
    throw InputError(
        fmt::format("the run has {} instances, but the limit is {}; select some with "
                    "--only or --shard",
                    assignments.size(), most_instances));
}

void add_case_limit(CLI::App& app, std::string& value) {
  app.add_option("--case-limit", value,
                 fmt::format("Time limit per case (default: {}s, or {}s on a GPU)",
                             emulated_case_limit.count(), gpu_case_limit.count()))
      ->type_name("TIME");
}

std::uint64_t cases_of(const Assignment& assignment, const CampaignOptions& options) {
  if (assignment.is_large) return 0;  // they have their own
  if (options.only_case) return 1;
  if (options.cases) return *options.cases;
  if (assignment.tool != nullptr) return cases_under_a_tool;
  const std::uint64_t most = AuditOptions{}.cases;
  if (!options.shares_cases) return most;
  return std::clamp(shared_cases / assignment.subject->contract.instances.size(), least_cases, most);
}

CampaignOptions options_of(const Assignment& assignment, const CampaignOptions& options,
                           const TaskReporter& reporter) {
  CampaignOptions own = options;
  own.audit.cases = cases_of(assignment, options);
  own.audit.notes_missed = own.audit.cases >= AuditOptions{}.cases || options.cases;  // not for shared cases
  own.audit.store = options.store ? options.store : default_store(*assignment.subject);
  if (const auto beside = store_beside(*assignment.subject); own.audit.store != beside)
    own.audit.other_stores = {beside};
  own.audit.largest_count = options.largest_count.value_or(
      assignment.tool != nullptr ? largest_count_under_a_tool : AuditOptions{}.largest_count);
  own.audit.case_limit = options.case_limit.value_or(emulated_case_limit);
  own.audit.progress = [&reporter](std::uint64_t done, std::uint64_t) { reporter.done(done); };
  if (assignment.tool != nullptr) suit_a_tool(own.audit);
  return own;
}

}  // namespace foldproof
