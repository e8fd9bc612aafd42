// Which of several launches lost an element.
#pragma once

#include <cstddef>

#include "contracts/contract.h"
#include "devices/launch.h"

namespace foldproof {

/// The launch of the instance, called once, that lost an element which is in no result: the last that made
/// something of it, where nothing of that was left in global memory, or else the one behind, which left what
/// was there unread. Where nothing was made of it, the first launch that is given the input.
std::size_t losing_launch(const Instance& instance, const Followed& followed, std::size_t element);

}  // namespace foldproof
