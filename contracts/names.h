// The names of enumerators in contracts.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"

namespace foldproof {

/// Every element type.
std::vector<std::string> element_names();
/// The results that the operator may have, quoted as in a contract and joined by "or".
std::string possible_results(Operator op);

template <typename Enum>
struct Named {
  std::string_view name;
  Enum value;
};

constexpr Named<Operator> operator_names[] = {
#define FOLDPROOF_OPERATOR(id, name, ...) {name, Operator::id},
#include "oracles/operators.def"
#undef FOLDPROOF_OPERATOR
};
constexpr Named<ResultShape> result_names[] = {
    {"value", ResultShape::value},         {"partials", ResultShape::partials},
    {"rows", ResultShape::rows},           {"columns", ResultShape::columns},
    {"segments", ResultShape::segments},   {"scan", ResultShape::scan},
    {"row-scans", ResultShape::row_scans}, {"bins", ResultShape::bins},
    {"array", ResultShape::array}};
constexpr Named<Role> role_names[] = {
#define FOLDPROOF_ROLE(id, name, ...) {name, Role::id},
#include "oracles/roles.def"
#undef FOLDPROOF_ROLE
};
constexpr Named<NanPolicy> nan_names[] = {{"propagate", NanPolicy::propagate},
                                          {"ignore", NanPolicy::ignore},
                                          {"unspecified", NanPolicy::unspecified}};
constexpr Named<ScanKind> scan_names[] = {{"inclusive", ScanKind::inclusive},
                                          {"exclusive", ScanKind::exclusive},
                                          {"reverse", ScanKind::reverse},
                                          {"reverse-exclusive", ScanKind::reverse_exclusive}};
constexpr Named<MathFunctions> function_names[] = {{"library", MathFunctions::library},
                                                   {"fast", MathFunctions::fast}};
constexpr Named<AffineType> affine_names[] = {{"accumulator", AffineType::accumulator},
                                              {"output", AffineType::output}};
constexpr Named<Maximum> maximum_names[] = {{"first", Maximum::first}, {"running", Maximum::running}};
constexpr Named<MomentMethod> moment_names[] = {{"unspecified", MomentMethod::unspecified},
                                                {"two-pass", MomentMethod::two_pass},
                                                {"textbook", MomentMethod::textbook},
                                                {"shifted", MomentMethod::shifted},
                                                {"welford", MomentMethod::welford},
                                                {"shares", MomentMethod::shares},
                                                {"plain", MomentMethod::plain},
                                                {"scaled", MomentMethod::scaled}};
constexpr Named<SumMethod> sum_names[] = {{"unspecified", SumMethod::plain},
                                          {"plain", SumMethod::plain},
                                          {"kahan", SumMethod::kahan},
                                          {"neumaier", SumMethod::neumaier},
                                          {"double-float", SumMethod::double_float},
                                          {"exact", SumMethod::exact}};
constexpr Named<Ties> tie_names[] = {{"any", Ties::any}, {"first", Ties::first}};
constexpr Named<Masked> masked_names[] = {
    {"unspecified", Masked::unspecified}, {"zero", Masked::zero}, {"nan", Masked::is_nan}};
constexpr Named<EmptyPolicy> empty_names[] = {{"identity", EmptyPolicy::identity},
                                              {"untouched", EmptyPolicy::untouched},
                                              {"unspecified", EmptyPolicy::unspecified}};
constexpr Named<BufferContract::Initial> initial_names[] = {{"undefined", BufferContract::Initial::undefined},
                                                            {"zero", BufferContract::Initial::zero},
                                                            {"identity", BufferContract::Initial::identity},
                                                            {"any", BufferContract::Initial::any}};
constexpr Named<BufferContract::Reset> reset_names[] = {{"each-call", BufferContract::Reset::each_call},
                                                        {"once", BufferContract::Reset::once}};

template <typename Enum, std::size_t n>
std::optional<Enum> value_named(const Named<Enum> (&names)[n], std::string_view name) {
  const auto* found = std::ranges::find(names, name, &Named<Enum>::name);
  return found == std::end(names) ? std::nullopt : std::optional(found->value);
}

template <typename Enum, std::size_t n>
std::string_view name_of(const Named<Enum> (&names)[n], Enum value) {
  return std::ranges::find(names, value, &Named<Enum>::value)->name;
}

template <typename Enum, std::size_t n>
std::vector<std::string> all_names(const Named<Enum> (&names)[n]) {
  std::vector<std::string> all;
  for (const Named<Enum>& row : names) all.emplace_back(row.name);
  return all;
}

}  // namespace foldproof
