// Runs small PTX kernels under one check, by default the race check, and returns its findings. The bodies are
// those of machine/fixture.h: buffer0 …, tid, lane, cta, ntid are defined; the body's first line is line 2.
//
//   CHECK(verdict(R"( … )", {.block = {64, 1, 1}}) == "shared-race");
//   CHECK(verdict<BarrierCheck>(R"( … )", {.block = {64, 1, 1}}) == "barrier-divergence");
#pragma once

#include <set>

#include "machine/fixture.h"
#include "sanitizer/race/race_check.h"

namespace foldproof::sanitizer_tests {

using machine_tests::contains;
using machine_tests::Setting;
using machine_tests::words;
using machine_tests::zeros;

inline const std::string cluster_sync = "barrier.cluster.arrive; barrier.cluster.wait; ";

/// A single check.
template <class Check>
Observers only() {
  Observers checks;
  checks.push_back(std::make_unique<Check>());
  return checks;
}

enum class Definedness : bool { ignored, tracked };

/// The findings of the observers in `launches` launches of the body, run as one job, including the replay
/// that they may request. If definedness is tracked, buffer0 is the output.
inline std::vector<Finding> findings_of(const std::string& body, const Setting& setting,
                                        Observers observers = only<RaceCheck>(), int launches = 1,
                                        Definedness definedness = Definedness::ignored) {
  Job job = machine_tests::job_of(body, setting);
  const bool tracks = definedness == Definedness::tracked;
  if (!job.buffers.empty()) job.buffers[0].read_back = tracks;
  job.steps.resize(static_cast<std::size_t>(launches), job.steps.front());
  const auto runner = emulated::make_runner(std::move(observers), tracks);
  const std::vector<JobResult> results = runner->run({job});
  if (results[0].unsupported) FAIL(*results[0].unsupported);
  return results[0].findings;
}

/// The distinct kinds of the findings: "none", "shared-race", "global-race (warning)", …
inline std::string kinds(const std::vector<Finding>& findings) {
  std::set<std::string> all;
  for (const Finding& f : findings)
    all.insert(std::string(name(f.kind)) + (f.severity == Severity::warning ? " (warning)" : ""));
  std::string text;
  for (const std::string& kind : all) text += (text.empty() ? "" : ", ") + kind;
  return text.empty() ? "none" : text;
}

inline std::vector<Schedule> schedules() {
  std::vector<Schedule> all = machine_tests::every_schedule();
  for (const char* more : {"random:1", "random:2", "random:3"}) all.push_back(schedule_named(more));
  return all;
}

/// The kinds if they are the same in every schedule; otherwise those of each schedule.
template <class Check = RaceCheck>
std::string verdict(const std::string& body, Setting setting, int launches = 1) {
  std::map<std::string, std::string> by_verdict;
  for (const Schedule& schedule : schedules()) {
    setting.schedule = schedule;
    std::string& names = by_verdict[kinds(findings_of(body, setting, only<Check>(), launches))];
    names += ' ';
    names += to_string(schedule);
  }
  if (by_verdict.size() == 1) return by_verdict.begin()->first;
  std::string text;
  for (const auto& [kind, names] : by_verdict) text += fmt::format("{} in{}; ", kind, names);
  return text;
}

}  // namespace foldproof::sanitizer_tests
