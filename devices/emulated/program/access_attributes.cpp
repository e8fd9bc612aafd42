#include "devices/emulated/program/access_attributes.h"

namespace foldproof::emulated {
namespace {

using isa::Semantics;
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

// Observers see an mbarrier as a word of memory: arriving updates it and releases, waiting reads it, and a
// waiting lane that finds the phase complete acquires (ISA 9.7.13.15: by default .release and .acquire at
// .cta).
void describe_mbarrier(const isa::Form& form, AccessAttributes& attributes) {
  const bool waits = form.has("test_wait") || form.has("try_wait");
  const bool weak = form.has("init");
  const bool relaxed = form.semantics == Semantics::relaxed;
  const bool counts_bytes = form.has("expect_tx") || form.has("complete_tx");
  attributes.what = waits ? What::read : weak ? What::write : What::update;
  attributes.bytes = attributes.element_bytes = 8;
  attributes.strong = !weak;
  attributes.acquires = waits && !relaxed;
  attributes.releases = !waits && !weak && !relaxed && !counts_bytes;
  attributes.scope = form.scope == isa::Scope::cluster ? SyncScope::cluster : SyncScope::cta;
}

// All elements of a vector, or one row of a matrix.
void set_bytes(const Instruction& i, const MachineOperands& detail, AccessAttributes& attributes) {
  if (i.action == Action::load_matrix || i.action == Action::store_matrix) {
    attributes.bytes = attributes.element_bytes = 16;
    return;
  }
  const bool updates = attributes.what == What::update;
  attributes.element_bytes = detail.element_bytes;
  attributes.bytes =
      detail.element_bytes * (updates ? i.form->vector : static_cast<std::uint32_t>(detail.data.size()));
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
  attributes.confirmed = i.confirmed;
  attributes.scope = scope_of(form);
  attributes.site = i.site;
  set_bytes(i, detail, attributes);
  if (i.action == Action::mbarrier) describe_mbarrier(form, attributes);
  return attributes;
}

}  // namespace foldproof::emulated
