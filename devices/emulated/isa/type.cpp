#include "devices/emulated/isa/type.h"

#include <array>

namespace foldproof::isa {
namespace {

struct Entry {
  std::string_view name;
  unsigned bits;
};

constexpr Entry entries[] = {
    {"", 0},
#define FOLDPROOF_TYPE(id, bits, value) {#id, bits},
#include "devices/emulated/isa/types.def"
#undef FOLDPROOF_TYPE
};

}  // namespace

unsigned bits_of(Type type) { return entries[static_cast<unsigned>(type)].bits; }

std::string_view name(Type type) { return entries[static_cast<unsigned>(type)].name; }

std::optional<Type> type_named(std::string_view name) {
  for (unsigned i = 1; i < std::size(entries); ++i)
    if (entries[i].name == name) return static_cast<Type>(i);
  return std::nullopt;
}

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

}  // namespace foldproof::isa
