#include "sanitizer/checks.h"

#include "sanitizer/race/race_check.h"

namespace foldproof {

Observers all_checks() {
  Observers checks;
  checks.push_back(std::make_unique<RaceCheck>());
  return checks;
}

}  // namespace foldproof
