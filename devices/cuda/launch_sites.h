// Identical launch functions at different code addresses: compute-sanitizer reports the host stack of each
// launch, which identifies the function and so the launch.
#pragma once

#include <cuda.h>

#include "sanitizer/compute_sanitizer/sites.h"

namespace foldproof::cuda {

constexpr unsigned launch_site_count = 1024;

/// cuLaunchKernelEx, called from launch site number `site` modulo launch_site_count.
CUresult launch_from(unsigned site, const CUlaunchConfig& config, CUfunction function, void** arguments);

/// The location of those functions in this program's file.
compute_sanitizer::LaunchSites launch_sites();

}  // namespace foldproof::cuda
