#include "contracts/guessing/host_evaluation.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "contracts/guessing/host_run.h"
#include "contracts/guessing/host_samples.h"

namespace foldproof {

std::vector<HostCall> HostEvaluation::calls_of(std::size_t name) {
  const HostFunction function = functions_.around(name);
  const auto [known, is_new] = known_.try_emplace(function.body.begin);
  if (is_new) known->second = calls_in(function);
  const auto found = known->second.find(name);
  return found == known->second.end() ? std::vector<HostCall>{} : found->second;
}

HostEvaluation::Calls HostEvaluation::calls_in(const HostFunction& function) {
  constexpr std::size_t most_steps = 6'000'000;  // of all functions
  HostSamples samples;
  std::set<std::size_t> endless;
  Calls calls;
  std::set<std::pair<std::size_t, std::size_t>> not_understood;
  for (unsigned round = 0; round < HostSamples::rounds(); ++round) {
    samples.begin_round(round);
    HostRun run(text_, constants_, functions_, samples, endless);
    const bool has_ended = run.run(function);
    steps_ += std::min(run.steps(), most_steps);
    if (!has_ended || steps_ > most_steps) return {};
    for (const auto& [name, made] : run.calls()) {
      std::vector<HostCall>& all = calls[name];
      all.insert(all.end(), made.begin(), made.end());
    }
    for (const auto [begin, end] : run.not_understood()) not_understood.emplace(begin, end);
  }
  for (const auto& [begin, end] : not_understood)
    if (begin < end) calls.erase(calls.lower_bound(begin), calls.lower_bound(end));
  return calls;
}

}  // namespace foldproof
