#include "contracts/names.h"

namespace foldproof {

std::string_view name(Operator op) { return name_of(operator_names, op); }

std::optional<Operator> operator_named(std::string_view name) { return value_named(operator_names, name); }

}  // namespace foldproof
