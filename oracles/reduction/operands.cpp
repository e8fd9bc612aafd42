#include "oracles/operands.h"

#include "oracles/number.h"

namespace foldproof {

Number scale_of(const Operand& scales, std::size_t element) {
  const std::uint64_t code = scales.bits(element / scales.group);
  return scales.type == Element::u8 ? decode_scale(static_cast<std::uint8_t>(code))
                                    : decode(scales.type, code);
}

std::span<const RoleInfo> roles() {
  static constexpr RoleInfo all[] = {
#define FOLDPROOF_ROLE(id, name, use, synopsis, ...) \
  {Role::id, name, RoleInfo::Use::use, synopsis, {__VA_ARGS__}},
#include "oracles/roles.def"
#undef FOLDPROOF_ROLE
  };
  return all;
}

}  // namespace foldproof
