#include "devices/emulated/program/observed_attributes.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace foldproof::emulated {
namespace {

using isa::Form;
using isa::Semantics;
using Class = InstructionClass;
using What = AccessAttributes::What;

What what_of(const Instruction& i) {
  switch (i.action) {
    case Action::atomic:
    case Action::reduction: return What::update;
    case Action::store:
    case Action::store_matrix:
    case Action::async_copy: return What::write;
    default: return What::read;
  }
}

// Observers see an mbarrier as a word of memory: arriving updates it and releases, and a waiting lane that
// finds the phase complete reads it and acquires (ISA 9.7.13.15: by default .release and .acquire at .cta).
void describe_mbarrier(const isa::Form& form, AccessAttributes& attributes) {
  const bool waits = form.has("test_wait") || form.has("try_wait");
  const bool weak = form.has("init");
  const bool relaxed = form.semantics == Semantics::relaxed;
  const bool counts_bytes = form.has("expect_tx") || form.has("complete_tx");
  attributes.what = waits ? What::read : weak ? What::write : What::update;
  attributes.bytes = attributes.element_bytes = 8;
  attributes.strong = !weak;
  attributes.waits_for_phase = waits;
  attributes.acquires = waits && !relaxed;
  attributes.releases = !waits && !weak && !relaxed && !counts_bytes;
  attributes.scope = form.scope == isa::Scope::cluster ? SyncScope::cluster : SyncScope::cta;
}

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

SyncScope scope_of(const isa::Form& form) {
  switch (form.scope) {
    case isa::Scope::cta: return SyncScope::cta;
    case isa::Scope::cluster: return SyncScope::cluster;
    case isa::Scope::gpu: return SyncScope::gpu;
    case isa::Scope::sys: return SyncScope::sys;
    case isa::Scope::none: break;
  }
  // PTX ISA 8.4: volatile is relaxed.sys; 9.7.13.5: atom and red without a scope are .gpu.
  return form.semantics == Semantics::volatile_ ? SyncScope::sys : SyncScope::gpu;
}

bool acquires(Semantics s) {
  return s == Semantics::acquire || s == Semantics::acq_rel || s == Semantics::sc;
}

bool releases(Semantics s) {
  return s == Semantics::release || s == Semantics::acq_rel || s == Semantics::sc;
}

bool accesses_memory(const Instruction& i) {
  switch (i.action) {
    case Action::load:
    case Action::store:
    case Action::atomic:
    case Action::reduction:
    case Action::load_matrix:
    case Action::store_matrix:
    case Action::async_copy:
    case Action::mbarrier: return true;
    default: return false;
  }
}

AccessAttributes attributes_of(const Instruction& i, const MachineOperands& detail) {
  const isa::Form& form = *i.form;
  AccessAttributes attributes;
  attributes.what = what_of(i);
  attributes.strong = attributes.what == What::update ||
                      (form.semantics != Semantics::none && form.semantics != Semantics::weak);
  attributes.acquires = acquires(form.semantics) && attributes.what != What::write;
  attributes.releases = releases(form.semantics) && attributes.what != What::read;
  attributes.returns = i.action != Action::reduction;
  attributes.polled = i.polled;
  attributes.cas_confirmed = i.cas_confirmed;
  attributes.scope = scope_of(form);
  attributes.site = i.site;
  // All elements of a vector, or one row of a matrix.
  const bool row = i.action == Action::load_matrix || i.action == Action::store_matrix;
  const std::size_t elements = attributes.what == What::update ? form.vector : detail.data.size();
  attributes.element_bytes = row ? 16 : detail.element_bytes;
  attributes.bytes = attributes.element_bytes * (row ? 1 : static_cast<std::uint32_t>(elements));
  if (i.action == Action::mbarrier) describe_mbarrier(form, attributes);
  return attributes;
}

InstructionClass class_of(const Instruction& i) {
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
    case Action::fence: return Class::synchronization;
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
