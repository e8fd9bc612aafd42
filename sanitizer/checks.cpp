#include "sanitizer/checks.h"

#include "sanitizer/barrier_check.h"
#include "sanitizer/cluster_barrier_check.h"
#include "sanitizer/mask_check.h"
#include "sanitizer/race/dsmem_lifetime_check.h"
#include "sanitizer/race/fence_check.h"
#include "sanitizer/race/race_check.h"

namespace foldproof {

Observers all_checks() {
  Observers checks;
  checks.push_back(std::make_unique<RaceCheck>());
  checks.push_back(std::make_unique<FenceCheck>());
  checks.push_back(std::make_unique<DsmemLifetimeCheck>());
  checks.push_back(std::make_unique<BarrierCheck>());
  checks.push_back(std::make_unique<ClusterBarrierCheck>());
  checks.push_back(std::make_unique<MaskCheck>());
  return checks;
}

}  // namespace foldproof
