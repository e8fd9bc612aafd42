// A case from the line that reports show for it.
#pragma once

#include <string>

#include "properties/case.h"

namespace foldproof {

/// The inverse of describe(), such as "count=33 block=128 uniform seed=7 schedule=converging x[3]=0x1.8p-2".
/// Seed, schedule or co-running load, offset, calls, relation and planted elements may be omitted. Throws
/// InputError that names the word that it cannot read.
Case parse_case(const std::string& text);

}  // namespace foldproof
