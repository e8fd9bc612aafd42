#include "oracles/operands.h"

#include <fmt/format.h>

#include <string>

#include "oracles/number.h"

namespace foldproof {
namespace {

bool has_word(std::string_view words, std::string_view word) {
  const std::string spaced = fmt::format(" {} ", words);
  return spaced.find(fmt::format(" {} ", word)) != std::string::npos;
}

}  // namespace

bool RoleInfo::is_needed_by(Operator op) const { return has_word(operators, info(op).name); }

bool RoleInfo::is_for(Operator op) const {
  return role == Role::offsets || is_needed_by(op) || has_word(operators, fmt::format("({})", info(op).name));
}

Number scale_of(const Operand& scales, std::size_t element) {
  const std::uint64_t code = scales.bits(element / scales.group);
  return scales.type == Element::u8 ? decode_scale(static_cast<std::uint8_t>(code))
                                    : decode(scales.type, code);
}

std::span<const RoleInfo> roles() {
  static constexpr RoleInfo all[] = {
#define FOLDPROOF_ROLE(id, name, operators, synopsis) {Role::id, name, operators, synopsis},
#include "oracles/roles.def"
#undef FOLDPROOF_ROLE
  };
  return all;
}

}  // namespace foldproof
