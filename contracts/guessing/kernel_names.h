// What the names of a kernel and of its outputs say about what it computes.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "contracts/contract.h"
#include "contracts/reference.h"
#include "oracles/operator.h"

namespace foldproof {

/// A row of names.def.
struct NameRow {
  enum class Place : bool { part, word };
  std::string_view word;
  Place place;
  Operator op;
  std::string_view unknown;
};

/// Whether the name contains one of the words, ignoring case.
bool mentions(std::string_view name, std::initializer_list<std::string_view> words);

/// The name in lower case, with "_" before each word or number and after the last: "_row_l_2_norm_" for
/// "rowL2Norm" and "row_l2_norm".
std::string in_words(std::string_view name);

/// The first row that matches the name; null if none does.
const NameRow* row_of_name(std::string_view name);

/// The fold whose name is in the name, even in a longer word such as "blockreducesum".
std::optional<Operator> fold_in_name(std::string_view name);

/// The operator that the words of the name say, such as "block_sum" or "rowMax"; not "add", which kernels
/// that add elements to elements share.
std::optional<Operator> operator_in_name(std::string_view name);

/// Whether the words of the name say an operator and nothing else about what is computed: "block_sum_2", but
/// not "sum_interior", which may leave elements out.
bool is_plain_name(std::string_view name);

/// Whether the name contradicts the operator: a "norm" is not a sum.
bool says_other_result(std::string_view name, Operator op);

/// Whether the name of the kernel says that it computes something else.
bool contradicts_name(std::string_view name, const Reference& reference);

/// Whether it is the name of a norm, and not of its square or of a part of it.
bool says_norm(std::string_view name);

/// Whether the name says that NaN are ignored, such as "nanmean", but the result of the operator then is
/// unknown.
bool has_unknown_nans(std::string_view name, Operator op);

/// Claims what the name says about NaN and equal elements: "nansum" ignores NaN, and "argmax_first" gives the
/// first index.
void apply_name(std::string_view name, Operator op, Claims& claims);

/// Whether the name of an output, such as "row_max", says that it holds the result of another operator.
bool says_other(std::string_view output, Operator op);

}  // namespace foldproof
