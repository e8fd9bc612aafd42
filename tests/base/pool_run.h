// Runs tasks in a pool and keeps their outcomes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/task_pool.h"

namespace foldproof::tests {

using Work = std::function<std::string(std::size_t, const TaskReporter&)>;

struct Ran {
  bool is_complete = false;
  std::vector<Outcome> outcomes;
};

inline Ran run(TaskPool pool, std::size_t tasks, const Work& work) {
  Ran ran;
  ran.outcomes.resize(tasks);
  pool.tasks = tasks;
  pool.work = work;
  pool.finished = [&](std::size_t task, Outcome outcome) { ran.outcomes.at(task) = std::move(outcome); };
  ran.is_complete = pool.run();
  return ran;
}

}  // namespace foldproof::tests
