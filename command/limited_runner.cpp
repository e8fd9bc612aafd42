#include "command/limited_runner.h"

#include <algorithm>

namespace foldproof {

std::vector<JobResult> LimitedRunner::run(const std::vector<Job>& jobs) {
  if (left_ == 0) throw LimitReached{};
  std::vector<JobResult> results = runner_.run(jobs);
  for (const JobResult& result : results) left_ -= std::min(left_, result.cost);
  return results;
}

}  // namespace foldproof
