#include "devices/emulated/program/instruction_class.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace foldproof::emulated {
namespace {

using isa::Action;
using isa::Form;
using Class = InstructionClass;

bool is_floating_point(isa::Type type) {
  const std::string_view name = isa::name(type);
  return name.starts_with("f") || name.starts_with("bf") || name.starts_with("tf");
}

// Register-only instructions: classified by opcode, otherwise by their types.
Class class_of_computation(const Form& form) {
  constexpr std::array moves{"mov",  "mov:pack", "mov:unpack", "prmt", "selp",
                             "slct", "cvta",     "isspacep",   "mapa"};
  const std::string_view syntax = isa::rows()[form.row].syntax;
  const std::string_view opcode = syntax.substr(0, syntax.find('.'));
  if (opcode == "cvt") return Class::conversion;
  if (std::ranges::find(moves, opcode) != moves.end()) return Class::move;
  const bool floats = is_floating_point(form.type) || is_floating_point(form.type2);
  return floats ? Class::floating_point : Class::integer;
}

}  // namespace

Class class_of(const isa::Instruction& i) {
  switch (i.action) {
    case Action::compute: return class_of_computation(*i.form);
    case Action::special:
    case Action::frame_address:
    case Action::cluster_rank: return Class::move;
    case Action::load:
    case Action::store:
    case Action::prefetch:
    case Action::async_copy:
    case Action::async_commit:
    case Action::async_wait:
    case Action::load_matrix:
    case Action::store_matrix: return Class::memory;
    case Action::atomic:
    case Action::reduction: return Class::atomic;
    case Action::matrix_multiply: return Class::matrix;
    case Action::branch:
    case Action::branch_indexed: return Class::branch;
    case Action::barrier_sync:
    case Action::barrier_arrive:
    case Action::barrier_reduce:
    case Action::warp_sync:
    case Action::cluster_arrive:
    case Action::cluster_wait:
    case Action::mbarrier:
    case Action::fence: return Class::synchronisation;
    case Action::shuffle: return Class::shuffle;
    case Action::vote:
    case Action::match:
    case Action::warp_reduce:
    case Action::elect:
    case Action::activemask: return Class::vote;
    case Action::call:
    case Action::ret:
    case Action::exit:
    case Action::trap:
    case Action::nanosleep:
    case Action::pause:
    case Action::join:
    case Action::builtin:
    case Action::unsupported: break;
  }
  return Class::control;
}

}  // namespace foldproof::emulated
