#include "cli/checked_device.h"

#include <iterator>

#include "sanitizer/checks.h"

namespace foldproof {

std::unique_ptr<Device> checked_device(Observers others) {
  Observers observers = all_checks();
  observers.insert(observers.end(), std::move_iterator(others.begin()), std::move_iterator(others.end()));
  return make_emulated_device(std::move(observers), true);
}

}  // namespace foldproof
