#include "devices/emulated/program/access_attributes.h"

namespace foldproof::emulated {
namespace {

using isa::Semantics;
using What = AccessManner::What;

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

// To observers an mbarrier is a word of memory: arriving updates it and releases, waiting reads it, and
// whoever finds the phase over acquires (ISA 9.7.13.15: .release and .acquire at .cta unless it says
// otherwise).
void describe_mbarrier(const isa::Form& form, AccessManner& manner) {
  const bool waits = form.has("test_wait") || form.has("try_wait");
  const bool weak = form.has("init");
  const bool relaxed = form.semantics == Semantics::relaxed;
  const bool counts_bytes = form.has("expect_tx") || form.has("complete_tx");
  manner.what = waits ? What::read : weak ? What::write : What::update;
  manner.bytes = manner.element_bytes = 8;
  manner.strong = !weak;
  manner.acquires = waits && !relaxed;
  manner.releases = !waits && !weak && !relaxed && !counts_bytes;
  manner.scope = form.scope == isa::Scope::cluster ? SyncScope::cluster : SyncScope::cta;
}

// Elements of a vector; one row of a matrix.
void set_bytes(const Instruction& i, const Detail& detail, AccessManner& manner) {
  if (i.action == Action::load_matrix || i.action == Action::store_matrix) {
    manner.bytes = manner.element_bytes = 16;
    return;
  }
  const bool updates = manner.what == What::update;
  manner.element_bytes = detail.element_bytes;
  manner.bytes =
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

AccessManner manner_of(const Instruction& i, const Detail& detail) {
  const isa::Form& form = *i.form;
  AccessManner manner;
  manner.what = what_of(i);
  manner.strong =
      manner.what == What::update || (form.semantics != Semantics::none && form.semantics != Semantics::weak);
  manner.acquires = acquires(form.semantics) && manner.what != What::write;
  manner.releases = releases(form.semantics) && manner.what != What::read;
  manner.returns = i.action != Action::reduction;
  manner.polled = i.polled;
  manner.confirmed = i.confirmed;
  manner.scope = scope_of(form);
  manner.site = i.site;
  set_bytes(i, detail, manner);
  if (i.action == Action::mbarrier) describe_mbarrier(form, manner);
  return manner;
}

}  // namespace foldproof::emulated
