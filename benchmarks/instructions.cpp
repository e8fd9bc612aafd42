// foldproof-lab instructions: compares the instructions of the emulated device with a GPU, form by form, and
// generates the page docs/ptx.md.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/printable.h"
#include "base/task_pool.h"
#include "benchmarks/instruction_comparison.h"
#include "benchmarks/instruction_page.h"
#include "benchmarks/verbs.h"
#include "command/compilation.h"
#include "command/gpu_workers.h"
#include "command/shared_options.h"
#include "devices/emulated/runner.h"
#include "devices/gpus.h"

namespace foldproof {
namespace {

struct InstructionsArguments {
  std::string record, gpu;
  std::vector<std::string> tests, rows;
  unsigned jobs = default_jobs();
  bool page = false;
};

/// The architecture with its own features, which the driver compiles for.
std::string target_of(const std::string& architecture) {
  constexpr std::string_view common = "sm_90";
  if (!architecture.starts_with("sm_")) return std::string(common);
  // Since sm_90 an architecture has a variant with the instructions that no other one has.
  return architecture.size() > common.size() || architecture >= common ? architecture + "a" : architecture;
}

std::vector<FormGroup> chosen_groups(const std::vector<std::string>& rows) {
  for (const std::string& id : rows) {
    const auto row = std::ranges::find(isa::rows(), id, &isa::Row::id);
    if (row == isa::rows().end()) throw InputError(fmt::format("ptx.def has no row \"{}\"", id));
    if (const std::string why = why_not_measured(*row); !why.empty())
      throw InputError(fmt::format("the row {} cannot be compared: {}", id, why));
  }
  std::vector<FormGroup> groups = form_groups();
  std::erase_if(groups, [&](const FormGroup& group) {
    return !rows.empty() && std::ranges::find(rows, group.row->id) == rows.end();
  });
  return groups;
}

/// Evidence that the devices did not run the group to its end.
GpuEvidence failed(const FormGroup& group, const std::string& reason) {
  GpuEvidence evidence;
  evidence.row = named_row(*group.row, group.type, group.type2);
  evidence.failed[reason] = group.forms.size();
  return evidence;
}

/// One entry per row and types, in the order of ptx.def.
std::vector<GpuEvidence> merged(const std::vector<std::optional<GpuEvidence>>& groups) {
  std::vector<GpuEvidence> all;
  for (const std::optional<GpuEvidence>& evidence : groups) {
    if (!evidence) continue;
    const auto same = std::ranges::find(all, evidence->row, &GpuEvidence::row);
    if (same == all.end())
      all.push_back(*evidence);
    else
      same->add(*evidence);
  }
  return all;
}

struct ComparedForms {
  GpuRecord record;
  bool interrupted = false;  ///< the record lacks what was not compared
};

ComparedForms compare_all(const std::vector<FormGroup>& groups, unsigned jobs) {
  std::vector<std::optional<GpuEvidence>> results(groups.size());
  GpuWorkers workers(gpu_worker_options(std::chrono::seconds(60)));
  ProgressLine line;
  std::size_t ended = 0;
  TaskPool pool;
  pool.tasks = groups.size();
  pool.processes = jobs;
  pool.starting = [&](std::size_t, unsigned slot) { workers.prepare(slot); };
  pool.work = [&](std::size_t task, const auto&) {
    const auto gpu = workers.runner();
    const auto emulated = emulated::make_runner();
    const std::string target = target_of(gpus().architecture);
    return pack(to_json(compared(groups[task], *emulated, *gpu, target)));
  };
  pool.finished = [&](std::size_t task, const Outcome& outcome) {
    if (outcome.ending != Outcome::Ending::interrupted)
      results[task] = outcome.ending == Outcome::Ending::finished ? gpu_evidence_from(unpack(outcome.text))
                                                                  : failed(groups[task], outcome.reason());
    line.show(fmt::format("compared: {} of {} groups of forms", ++ended, groups.size()));
  };
  const bool whole = pool.run();
  line.clear();
  return {{gpus().name, merged(results)}, !whole};
}

std::string forms_text(std::string_view what, const std::map<std::string, std::uint64_t>& forms_by_reason) {
  std::string text;
  for (const auto& [reason, forms] : forms_by_reason)
    text += fmt::format("{}: {} form{}: {}\n", what, forms, forms == 1 ? "" : "s", printable(reason));
  return text;
}

/// The totals, what differs, and why forms did not run.
std::string text_of(const GpuRecord& record) {
  GpuEvidence defined, open;
  std::string differences;
  for (const GpuEvidence& evidence : record.rows) {
    (evidence.why_open.empty() ? defined : open).add(evidence);
    if (evidence.is_difference()) differences += "different: " + printable(evidence.difference) + "\n";
  }
  std::string text = fmt::format("{}\n{:<12} {:>8} {:>12} {:>12} {:>10} {:>10}\n", printable(record.device),
                                 "results", "forms", "operand sets", "equal", "f64 NaNs", "different");
  const auto line = [&](const char* name, const GpuEvidence& sum) {
    text += fmt::format("{:<12} {:>8} {:>12} {:>12} {:>10} {:>10}\n", name, sum.forms, sum.operand_sets,
                        sum.equal, sum.other_nan, sum.different());
  };
  line("defined", defined);
  line("open", open);
  text += differences;
  defined.add(open);
  return text + forms_text("refused", defined.refused) + forms_text("failed", defined.failed);
}

int compare(const InstructionsArguments& a, const Console& console) {
  if (!a.record.empty()) check_output(a.record);
  present_gpus();
  const ComparedForms comparison = compare_all(chosen_groups(a.rows), a.jobs);
  const GpuRecord& record = comparison.record;
  if (!a.record.empty() && !comparison.interrupted) write_output(a.record, record.text());
  console.print_as_asked([&] { return to_json(record); }, [&] { return text_of(record); });
  if (comparison.interrupted) return exit_interrupted;
  const auto has_failed = [](const GpuEvidence& evidence) { return !evidence.failed.empty(); };
  const auto ran = [](const GpuEvidence& evidence) { return evidence.forms > 0; };
  if (std::ranges::any_of(record.rows, &GpuEvidence::is_difference)) return exit_findings;
  const bool is_whole =
      std::ranges::none_of(record.rows, has_failed) && std::ranges::any_of(record.rows, ran);
  return is_whole ? exit_ok : exit_unable;
}

int print_page(const InstructionsArguments& a, const Console& console) {
  TestEvidence tests;
  for (const std::string& file : a.tests) add_test_record(tests, file);
  std::optional<GpuRecord> gpu;
  if (!a.gpu.empty()) gpu = GpuRecord::load(a.gpu);
  console.print(instruction_page(tests, gpu));
  return exit_ok;
}

}  // namespace

Run attach_instructions(CLI::App& app, Console& console) {
  auto a = std::make_shared<InstructionsArguments>();
  const auto record = app.add_option("--record", a->record, "Write the comparison to this file, for --gpu");
  const auto rows = app.add_option("--rows", a->rows, "Compare only these rows of ptx.def");
  add_jobs(app, a->jobs);
  const auto page = app.add_flag("--page", a->page, "Generate docs/ptx.md instead of comparing");
  const auto tests =
      app.add_option("--tests", a->tests, "Records that test programs wrote to the file in FOLDPROOF_RECORD");
  const auto gpu = app.add_option("--gpu", a->gpu, "The record of a comparison; without it, none was made");
  record->type_name("FILE")->excludes(page);
  rows->type_name("ROW")->excludes(page);
  tests->type_name("FILE")->needs(page);
  gpu->type_name("FILE")->needs(page);
  page->needs(tests);
  return [a, &console] { return a->page ? print_page(*a, console) : compare(*a, console); };
}

}  // namespace foldproof
