#include "devices/emulated/program/symbols.h"

namespace foldproof::emulated {

bool SymbolTable::declare(const std::string& name, const Symbol& symbol) {
  return scopes_.back().emplace(name, symbol).second;
}

const Symbol* SymbolTable::find(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
    if (const Symbol* found = find_in_ranges(*scope, name)) return found;
  }
  if (const auto found = module_variables_.find(name); found != module_variables_.end())
    return &scopes_.front().emplace(name, fixed_symbol(found->second)).first->second;
  return nullptr;
}

// %r17 belongs to the range %r<20>; %x12 may be number 12 of %x<20> or number 2 of %x1<20>.
const Symbol* SymbolTable::find_in_ranges(Names& names, const std::string& name) {
  constexpr std::size_t most_digits = 9;  // fits 32 bits
  for (std::size_t stem = name.size(); stem > 1 && name[stem - 1] >= '0' && name[stem - 1] <= '9';) {
    --stem;
    if (name.size() - stem > most_digits) return nullptr;
    const auto range = names.find(name.substr(0, stem) + "<");
    if (range == names.end() || range->second.kind != Symbol::Kind::range) continue;
    const auto index = static_cast<std::uint32_t>(std::stoul(name.substr(stem)));
    if (index >= range->second.count) continue;
    const unsigned bytes = range->second.bytes;
    return &names.emplace(name, Symbol{Symbol::Kind::reg, bytes, frame_.allocate(bytes)}).first->second;
  }
  return nullptr;
}

Symbol fixed_symbol(const StaticAddress& place) {
  return {.kind = Symbol::Kind::fixed,
          .address = place.address,
          .space = place.space,
          .is_external = place.is_external};
}

}  // namespace foldproof::emulated
