// A case from the line that reports show of it.
#pragma once

#include <string>

#include "properties/case.h"

namespace foldproof {

/// What describe() writes, such as "count=33 block=128 uniform seed=7 schedule=converging x[3]=0x1.8p-2".
/// Seed, schedule or co-running load, offset, calls, relation and planted elements may be left out. Throws
/// InputError that names the word it cannot read.
Case parse_case(const std::string& text);

}  // namespace foldproof
