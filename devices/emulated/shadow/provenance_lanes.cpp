// Provenance between lanes: shuffles, votes, matches and reductions.
#include <algorithm>

#include "devices/emulated/shadow/operation_of.h"
#include "devices/emulated/shadow/provenance.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

// The members' operands, by lane; 0 for absent lanes.
Provenance::Nodes Provenance::held_by(const Warp& warp, Members members, unsigned source) const {
  Nodes held{};
  for (const DivergentGroup& group : warp.groups_of(members)) {
    const std::uint32_t row = group.instruction().operand[source];
    for_lanes(group.lanes, [&](unsigned lane) { held[lane] = group.frame->nodes.at(row, lane); });
  }
  return held;
}

void Provenance::routed(const LaneRouting& routing) {
  const Nodes held = held_by(routing.warp, routing.members, LaneRouting::source);
  for (const DivergentGroup& group : routing.warp.groups_of(routing.members)) {
    const auto& operand = group.instruction().operand;
    RegisterProvenance& nodes = group.frame->nodes;
    for_lanes(group.lanes, [&](unsigned lane) {
      nodes.set(operand[LaneRouting::result], lane, held[routing.from[lane]]);
    });
    if (operand[LaneRouting::predicate] != isa::no_operand)
      nodes.forget(operand[LaneRouting::predicate], group.lanes);
  }
}

// A fold of the lanes' values is an expression. Other operations may determine what all lanes do next.
void Provenance::gathered(const Gather& gather) {
  if (gather.gives == Gather::Gives::fold) {
    const NodeId total = folded(gather);
    for (const DivergentGroup& group : gather.warp.groups_of(gather.members)) {
      const std::uint32_t row = group.instruction().operand[0];
      for_lanes(group.lanes, [&](unsigned lane) { group.frame->nodes.set(row, lane, total); });
    }
    return;
  }
  for (const DivergentGroup& group : gather.warp.groups_of(gather.members)) {
    const auto& operand = group.instruction().operand;
    decided(*group.frame, operand[gather.source], group.lanes);
    for (unsigned result = 0; result < gather.source; ++result)
      if (operand[result] != isa::no_operand) group.frame->nodes.forget(operand[result], group.lanes);
  }
}

// redux.sync, lane by lane.
NodeId Provenance::folded(const Gather& gather) {
  Expressions& expressions = job_.expressions;
  const auto& [warp, members, source, gives] = gather;
  const isa::Form& form = *warp.groups[members[0]].instruction().form;
  const isa::AtomicKind kind = form.has("min")   ? isa::AtomicKind::min
                               : form.has("max") ? isa::AtomicKind::max
                                                 : form.atomic;
  const std::optional<Node> operation = form.abs ? std::nullopt : operation_of(kind, form.type);
  const Nodes held = held_by(warp, members, source);
  if (std::ranges::all_of(held, [](NodeId node) { return node == 0; })) return 0;
  if (!operation) return expressions.opaque(held, 0, 4);
  const auto value = warp.operands(members, source, 4);
  NodeId total = 0;
  std::uint64_t so_far = 0;
  for_lanes(warp.lanes_of(members), [&](unsigned lane) {
    const NodeId next = held[lane] != 0 ? held[lane] : expressions.constant(value[lane], 4);
    if (total == 0) {
      total = next;
      so_far = value[lane];
      return;
    }
    Node node = *operation;
    node.propagates_nan = form.nan;
    node.operand = {total, next, 0};
    node.bits = so_far = form.combine(so_far, value[lane], 0);
    total = expressions.add(node);
  });
  return total;
}

}  // namespace foldproof::emulated
