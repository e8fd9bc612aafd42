#include "cli/checked_runner.h"

#include <iterator>

#include "sanitizer/checks.h"

namespace foldproof {

std::unique_ptr<Runner> checked_runner(Observers others) {
  Observers observers = all_checks();
  observers.insert(observers.end(), std::move_iterator(others.begin()), std::move_iterator(others.end()));
  return emulated::make_runner(std::move(observers), true);
}

}  // namespace foldproof
