// Products of any number of factors.
#pragma once

#include <cstddef>
#include <span>

#include "oracles/references/reference.h"

namespace foldproof {

/// Zero times infinity is NaN; a zero and an infinity have the sign of the product; nothing gives 1. An
/// integer product is not wrapped.
Reference product(Element element, std::span<const std::byte> elements);

}  // namespace foldproof
