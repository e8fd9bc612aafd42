#include "devices/emulated/program/special_registers.h"

#include <algorithm>
#include <iterator>

namespace foldproof::emulated {
namespace {

constexpr SpecialRow special_rows[] = {
#define FOLDPROOF_SPECIAL(name, id, bytes) {name, SpecialRegister::id, bytes},
#include "devices/emulated/program/special_registers.def"
#undef FOLDPROOF_SPECIAL
};

}  // namespace

const SpecialRow* special_named(std::string_view name) {
  for (const SpecialRow& row : special_rows)
    if (row.name == name) return &row;
  return nullptr;
}

bool is_foreign_special(std::string_view name) {
  constexpr std::string_view beginnings[] = {"%pm", "%envreg", "%reserved_smem_offset_",
                                             "%current_graph_exec"};
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

}  // namespace foldproof::emulated
