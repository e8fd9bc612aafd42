// The operator that a contract brings along, from its keys `combine` and `identity`.
#pragma once

#include <memory>
#include <optional>

#include "contracts/document.h"
#include "oracles/custom_operator.h"

namespace foldproof {

/// `combine`: a polynomial in a and b, such as "a + b + a * b"; `identity`: an integer. Throws InputError
/// where one is missing or says something else, or where they do not fold in `element`, an integer type.
std::shared_ptr<const CustomOperator> custom_operator(const std::optional<Text>& combine,
                                                      const std::optional<Text>& identity, Element element,
                                                      const Position& where);

}  // namespace foldproof
