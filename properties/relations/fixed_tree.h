// Whether a kernel performs the same operations whatever its elements are.
#pragma once

#include "contracts/contract.h"
#include "devices/image.h"
#include "devices/launch.h"

namespace foldproof::relations {

/// Whether every launch of the instance is known to sum in one tree that launch and schedule determine, with
/// each addition rounded to nearest: loaded values are only moved, shuffled, selected, stored, converted
/// between floating-point formats and added, to each other and to zeros, and reach no branch, no address, no
/// atomic and no other instruction. False in case of doubt, as for calls, and for code that cannot be parsed.
bool has_fixed_tree(const Instance& instance, const Image& image);

}  // namespace foldproof::relations
