// Whether a kernel does the same operations whatever its elements are.
#pragma once

#include "contracts/contract.h"
#include "devices/image.h"
#include "devices/launch.h"

namespace foldproof::relations {

/// Whether every launch of the instance is known to add up in one tree that launch and schedule determine,
/// each addition rounded to nearest: what it loads is moved, shuffled, selected, stored, converted between
/// floating-point formats and added, to each other and to zeros alone, and reaches no branch, no address, no
/// atomic and no other instruction. False wherever that is not plain, as for calls, and for what cannot be
/// parsed.
bool has_fixed_tree(const Instance& instance, const Image& image);

}  // namespace foldproof::relations
