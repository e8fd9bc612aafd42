#include "oracles/operator.h"

#include <cassert>

#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {

std::span<const OperatorInfo> operators() {
  static constexpr OperatorInfo all[] = {
#define FOLDPROOF_OPERATOR(id, name, functor, gives, synopsis, ...) \
  {Operator::id, name, functor, OperatorInfo::Gives::gives, synopsis, {__VA_ARGS__}},
#include "oracles/operators.def"
#undef FOLDPROOF_OPERATOR
  };
  return all;
}

std::uint64_t identity(Operator op, Element element) {
  assert(has_identity(info(op)));
  constexpr Number zero{}, one{Number::Category::finite, false, 1, 0};
  if (op == Operator::prod || op == Operator::all) return encode(element, one);
  if (op == Operator::bit_and) return code_mask(element);
  if (!is_extremum(op)) return encode(element, zero);
  const bool negative = op == Operator::max;
  if (!is_float(element) || float_format(element).has_infinity)
    return encode(element, {Number::Category::infinity, negative, 0, 0});
  return float_format(element).largest_code() | (negative ? sign_bit(element) : 0);
}

}  // namespace foldproof
