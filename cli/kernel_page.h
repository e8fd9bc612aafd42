// The page docs/kernels.md: what stands in a folder of kernels, and what it claims.
#pragma once

#include <string>
#include <vector>

#include "cli/subjects.h"

namespace foldproof {

/// Markdown: a table for each folder, a contract a row, in the order of `subjects`. Links are relative to the
/// folder `docs` beside `kernels`.
std::string kernel_page(const std::vector<Subject>& subjects);

}  // namespace foldproof
