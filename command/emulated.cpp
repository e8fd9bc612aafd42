#include "command/emulated.h"

#include <iterator>

#include "devices/emulated/runner.h"
#include "properties/instance_job.h"
#include "sanitizer/checks.h"
#include "sanitizer/counting_observer.h"

namespace foldproof {

std::unique_ptr<Runner> checked_runner(Observers others) {
  Observers observers = all_checks();
  observers.insert(observers.end(), std::move_iterator(others.begin()), std::move_iterator(others.end()));
  return emulated::make_runner(std::move(observers), true);
}

std::variant<Counted, std::string> counted(const Subject& subject, const Instance& instance, const Case& c) {
  Case once = c;
  once.order = adapted(c.order, true);
  Counted result{describe(once), {}};
  Observers observers;
  observers.push_back(std::make_unique<CountingObserver>(result.counters));
  const auto runner = emulated::make_runner(std::move(observers));
  once.calls = 1;
  Job job = instance_job(instance, subject.image, *runner, once);
  job.accepts = allowed_by(subject.contract);
  const JobResult ran = runner->run({job}).front();
  if (ran.unsupported) return "no counters available: " + *ran.unsupported;
  if (!ran.completed) return "no counters available: a finding ended the counted case";
  return result;
}

}  // namespace foldproof
