// Values of the input on their way through registers: what an instruction gives is an operation of an
// expression, or bytes of its sources put together anew, or something that depends on them.
#include <algorithm>
#include <array>
#include <cstring>

#include "devices/emulated/isa/definedness.h"
#include "devices/emulated/machine/columns.h"
#include "devices/emulated/machine/grid.h"
#include "devices/emulated/machine/operation_of.h"
#include "oracles/code_bits.h"
#include "oracles/number.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

using isa::Port;
using isa::warp_size;

constexpr std::size_t most_operands = 6;
constexpr unsigned widest = 16;  // bytes of a column

struct Operand {
  std::uint32_t row;
  const Port* port;
};

/// Sources of a register-only instruction, CC left out.
struct Operands {
  std::array<Operand, most_operands> all;
  std::size_t count = 0;
  const Operand* begin() const { return all.data(); }
  const Operand* end() const { return all.data() + count; }
};

Operands sources_of(const Instruction& i) {
  Operands sources;
  const std::uint32_t* rows = isa::rows_of(i);
  for (std::size_t k = 0; k < i.form->ports.size() && sources.count < most_operands; ++k)
    if (rows[k] != isa::no_operand && !i.form->ports[k].written)
      sources.all[sources.count++] = {rows[k], &i.form->ports[k]};
  return sources;
}

std::uint64_t low_column(const std::byte* registers, std::uint32_t offset, unsigned lane, unsigned bytes) {
  return low_bytes(registers + offset + lane * bytes, bytes);
}

/// Marks by which a byte is known again, in three kinds. The second is the first with every bit the other
/// way, so that a byte that is the same with both has no bit of a source; and no arithmetic takes one byte's
/// marks to another's in all three.
constexpr std::size_t kinds_of_marks = 3;
using Marks = std::array<std::array<std::uint8_t, most_operands * widest>, kinds_of_marks>;
constexpr Marks marks = [] {
  Marks all{};
  std::uint32_t state = 12345;
  for (std::size_t kind : {0u, 2u})
    for (std::size_t k = 0; k < all[kind].size(); ++k) {
      const auto is_known = [&](std::uint8_t mark) {
        return std::find(all[kind].begin(), all[kind].begin() + static_cast<std::ptrdiff_t>(k), mark) !=
               all[kind].begin() + static_cast<std::ptrdiff_t>(k);
      };
      do state = state * 1664525 + 1013904223;
      while (is_known(static_cast<std::uint8_t>(state >> 24)));
      all[kind][k] = static_cast<std::uint8_t>(state >> 24);
    }
  for (std::size_t k = 0; k < all[1].size(); ++k) all[1][k] = static_cast<std::uint8_t>(~all[0][k]);
  return all;
}();

/// Which byte of which source stands where in what an instruction gives that moves bytes. It is carried out
/// on marks instead of the values that depend on an input.
class Routes {
 public:
  static constexpr std::size_t frames = kinds_of_marks + 1;

  /// `scratch` has room for `frames` frames, and holds the results as long as this lives.
  Routes(const std::byte* registers, std::size_t frame_bytes, std::span<std::byte> scratch,
         const RowNodes& nodes, const Instruction& i, const Operands& sources, LaneMask lanes)
      : sources_(sources), nodes_(nodes) {
    for (std::size_t kind = 0; kind < results_.size(); ++kind) {
      std::byte* frame = scratch.data() + kind * frame_bytes;
      results_[kind] = frame;
      isa::for_each_row(i, [&](std::uint32_t offset, unsigned bytes, bool) {
        std::memcpy(frame + offset, registers + offset, bytes == 0 ? 4 : std::size_t{bytes} * warp_size);
      });
      for (std::size_t s = 0; s < sources.count && kind < kinds_of_marks; ++s) {
        const auto [row, port] = sources.all[s];
        if (port->bytes == 0) continue;
        for_lanes(nodes.lanes(row) & lanes, [&, row = row, port = port](unsigned lane) {
          std::memcpy(frame + row + lane * port->bytes, &marks[kind][s * widest], port->bytes);
        });
      }
      i.compute(frame, i, lanes);
    }
  }

  /// The bytes of a lane's result; false where they are not just bytes of the sources and constants.
  bool find(const Expressions& expressions, std::uint32_t row, unsigned bytes, unsigned lane,
            std::span<BytePart> to) const {
    for (unsigned b = 0; b < bytes; ++b) {
      std::array<std::uint8_t, kinds_of_marks> seen{};
      for (std::size_t kind = 0; kind < seen.size(); ++kind)
        seen[kind] = std::to_integer<std::uint8_t>(results_[kind][row + lane * bytes + b]);
      const auto real = std::to_integer<std::uint8_t>(results_.back()[row + lane * bytes + b]);
      if (seen[0] == real && seen[1] == real && seen[2] == real)
        to[b] = {0, 0, real};
      else if (!find_marked(expressions, seen, lane, to[b]))
        return false;
    }
    return true;
  }

 private:
  bool find_marked(const Expressions& expressions, const std::array<std::uint8_t, kinds_of_marks>& seen,
                   unsigned lane, BytePart& to) const {
    for (std::size_t s = 0; s < sources_.count; ++s)
      for (unsigned b = 0; b < sources_.all[s].port->bytes; ++b) {
        const std::size_t k = s * widest + b;
        if (marks[0][k] != seen[0] || marks[1][k] != seen[1] || marks[2][k] != seen[2]) continue;
        std::array<BytePart, widest> bytes;
        expressions.take_apart(nodes_.at(sources_.all[s].row, lane), sources_.all[s].port->bytes, 0, bytes);
        to = bytes[b];
        return true;
      }
    return false;
  }

  const Operands& sources_;
  const RowNodes& nodes_;
  std::array<const std::byte*, frames> results_;  ///< the last of the values themselves
};

/// Whether a comparison of numbers only asks whether they are: with others it would have the same outcome, so
/// that it depends on none of them.
bool finds_no_nan(const std::byte* registers, const Instruction& i, const Operands& sources, unsigned lane) {
  using isa::Compare;
  const isa::Form& form = *i.form;
  if (form.compare == Compare::none || form.boolean != isa::Boolean::none || sources.count < 2) return false;
  const std::optional<Element> element = element_of(form.type);
  if (!element || !is_float(*element) || sources.all[0].port->parts != 1) return false;
  const auto number = [&](const Operand& operand) {
    return decode(*element, low_column(registers, operand.row, lane, operand.port->bytes));
  };
  const Number a = number(sources.all[0]), b = number(sources.all[1]);
  if (a.is_nan() || b.is_nan()) return false;
  if (form.compare == Compare::nan || form.compare == Compare::num ||
      sources.all[0].row == sources.all[1].row)
    return true;
  // Nothing is larger than infinity.
  const bool beyond = form.compare == Compare::gtu || form.compare == Compare::le;
  return beyond && b.is_infinite() && !b.negative;
}

/// A conversion between integers that keeps bytes as they are, and has zeros above them if anything.
bool moves_bytes(const Node& operation) {
  if (operation.operation != Operation::convert || is_float(operation.element)) return false;
  return size_of(operation.element) <= size_of(operation.source) || !is_signed_integer(operation.source);
}

}  // namespace

// Computes, and follows. Where nothing that the instruction reads depends on an input, nor does its result.
void Grid::compute_followed(Frame& frame, const Instruction& i, LaneMask lanes) {
  if (lanes == 0) return;
  if (!frame.nodes.any() || !i.form) return i.compute(frame.registers(), i, lanes);
  LaneMask dependent = i.form->reads_carry ? frame.nodes.lanes(isa::carry_offset) & lanes : 0;
  const Operands sources = sources_of(i);
  for (const Operand& source : sources) dependent |= frame.nodes.lanes(source.row) & lanes;
  if (dependent == 0) {
    i.compute(frame.registers(), i, lanes);
    isa::for_each_row(i, [&](std::uint32_t offset, unsigned, bool written) {
      if (written) frame.nodes.forget(offset, lanes);
    });
    return;
  }
  if (is_wiring(*i.form))
    follow_wiring(frame, i, lanes);
  else if (const std::optional<Node> operation = operation_of(*i.form); operation && !moves_bytes(*operation))
    follow_operation(frame, i, *operation, lanes);
  else
    follow_bytes(frame, i, lanes);
}

// Element by element where operands are packed.
void Grid::follow_operation(Frame& frame, const Instruction& i, const Node& operation, LaneMask lanes) {
  Expressions& expressions = provenance_->expressions;
  const Operands sources = sources_of(i);
  const Port& target = i.form->ports[0];
  const std::uint32_t row = isa::rows_of(i)[0];
  const unsigned parts = target.parts, bytes = target.bits / 8u / parts;
  const std::byte* registers = frame.registers();
  // Conversions of two values to one packed one: a becomes the high part.
  const bool joins = operation.operation == Operation::convert && sources.count == 2;
  std::array<std::array<Node, 2>, warp_size> made;
  LaneMask dependent = 0;
  for_lanes(lanes, [&](unsigned lane) {
    bool any = false;
    for (const Operand& source : sources) any |= frame.nodes.at(source.row, lane) != 0;
    if (!any) return;
    dependent |= bit(lane);
    for (unsigned part = 0; part < parts; ++part) {
      Node& node = made[lane][part] = operation;
      node.bytes = static_cast<std::uint8_t>(bytes);
      const std::size_t operands = joins ? 1 : std::min(sources.count, node.operand.size());
      for (std::size_t s = 0; s < operands; ++s) {
        const auto [from, port] = sources.all[joins ? 1 - part : s];
        const unsigned width = port->bits / 8u / port->parts, first = port->parts > 1 ? part * width : 0;
        const NodeId whole = frame.nodes.at(from, lane);
        node.operand[s] =
            whole != 0
                ? expressions.part(whole, first, width)
                : expressions.constant(low_column(registers, from, lane, port->bytes) >> (8 * first), width);
      }
    }
  });
  i.compute(frame.registers(), i, lanes);
  frame.nodes.forget(row, lanes & ~dependent);
  for_lanes(dependent, [&](unsigned lane) {
    const std::uint64_t bits = low_column(registers, row, lane, target.bytes);
    std::array<BytePart, widest> value;
    unsigned at = 0;
    for (unsigned part = 0; part < parts; ++part) {
      Node& node = made[lane][part];
      node.bits = cut_bytes(bits, at, bytes);
      const bool constant = std::ranges::all_of(node.operand, [&](NodeId operand) {
        return operand == 0 || expressions[operand].operation == Operation::constant;
      });
      const NodeId id = constant ? expressions.constant(node.bits, bytes) : expressions.add(node);
      expressions.take_apart(id, bytes, 0, std::span(value).subspan(at));
      at += bytes;
    }
    for (; at < target.bytes; ++at) value[at] = {0, 0, static_cast<std::uint8_t>(bits >> (8 * at))};
    frame.nodes.set(row, lane, expressions.assembled(std::span(value).first(target.bytes)));
  });
}

// mov, which every loop is full of: from one row to another, to one from several, or from one to several.
void Grid::follow_wiring(Frame& frame, const Instruction& i, LaneMask lanes) {
  Expressions& expressions = provenance_->expressions;
  const Operands sources = sources_of(i);
  const std::span<const Port> ports = i.form->ports;
  const auto targets = ports.first(static_cast<std::size_t>(std::ranges::count(ports, true, &Port::written)));
  const std::uint32_t* rows = isa::rows_of(i);
  const std::byte* registers = frame.registers();
  // All of them first: a target may be a source.
  std::array<std::array<NodeId, warp_size>, most_operands> nodes;
  for_lanes(lanes, [&](unsigned lane) {
    if (targets.size() == 1 && sources.count == 1) {
      nodes[0][lane] = frame.nodes.at(sources.all[0].row, lane);
      return;
    }
    std::array<BytePart, widest> bytes;
    unsigned at = 0;
    for (const auto& [row, port] : sources) {
      expressions.take_apart(frame.nodes.at(row, lane), port->bytes,
                             low_column(registers, row, lane, port->bytes), std::span(bytes).subspan(at));
      at += port->bytes;
    }
    at = 0;
    for (std::size_t k = 0; k < targets.size(); at += targets[k++].bytes)
      nodes[k][lane] = rows[k] == isa::no_operand
                           ? 0
                           : expressions.assembled(std::span(bytes).subspan(at, targets[k].bytes));
  });
  i.compute(frame.registers(), i, lanes);
  for (std::size_t k = 0; k < targets.size(); ++k)
    if (rows[k] != isa::no_operand)
      for_lanes(lanes, [&](unsigned lane) { frame.nodes.set(rows[k], lane, nodes[k][lane]); });
}

// Bytes that move; what else an instruction makes of its sources is opaque.
void Grid::follow_bytes(Frame& frame, const Instruction& i, LaneMask lanes) {
  Expressions& expressions = provenance_->expressions;
  const Operands sources = sources_of(i);
  if (isa::rows()[i.form->row].id == "selp") return follow_choice(frame, i, lanes);
  const std::size_t movable = moves_bytes_of(*i.form);
  std::optional<Routes> routes;
  if (movable != 0) {
    const std::size_t bytes = frame.code->frame.size();
    std::vector<std::byte>& scratch = provenance_->scratch;
    scratch.resize(std::max(scratch.size(), Routes::frames * bytes));
    routes.emplace(frame.registers(), bytes, scratch, frame.nodes, i, sources, lanes);
  }
  std::array<std::array<NodeId, most_operands + 1>, warp_size> depends{};  // CC last
  for_lanes(lanes, [&](unsigned lane) {
    for (std::size_t s = 0; s < sources.count; ++s)
      depends[lane][s] = frame.nodes.at(sources.all[s].row, lane);
    if (finds_no_nan(frame.registers(), i, sources, lane)) depends[lane] = {};
    if (i.form->reads_carry) depends[lane][most_operands] = frame.nodes.at(isa::carry_offset, lane);
  });
  // All results first: a destination may be a source.
  std::vector<std::pair<std::uint32_t, std::array<NodeId, warp_size>>> results;
  const std::uint32_t* rows = isa::rows_of(i);
  const auto follow = [&](std::uint32_t row, unsigned bytes) {
    auto& nodes = results.emplace_back(row, std::array<NodeId, warp_size>{}).second;
    for_lanes(lanes, [&](unsigned lane) {
      if (std::ranges::all_of(depends[lane], [](NodeId n) { return n == 0; })) return;
      const bool moves = std::all_of(depends[lane].begin() + static_cast<std::ptrdiff_t>(movable),
                                     depends[lane].end(), [](NodeId n) { return n == 0; });
      std::array<BytePart, widest> value;
      if (routes && bytes != 0 && moves && routes->find(expressions, row, bytes, lane, value))
        nodes[lane] = expressions.assembled(std::span(value).first(bytes));
      else
        nodes[lane] = expressions.opaque(depends[lane], 0, std::max(bytes, 1u));
    });
  };
  for (std::size_t k = 0; k < i.form->ports.size(); ++k)
    if (rows[k] != isa::no_operand && i.form->ports[k].written) follow(rows[k], i.form->ports[k].bytes);
  if (i.form->writes_carry) follow(isa::carry_offset, 0);
  i.compute(frame.registers(), i, lanes);
  for (const auto& [row, nodes] : results)
    for_lanes(lanes,
              [&, row = row, &nodes = nodes](unsigned lane) { frame.nodes.set(row, lane, nodes[lane]); });
  set_values(frame, i, lanes);
}

// What is opaque has got its value by now.
void Grid::set_values(const Frame& frame, const Instruction& i, LaneMask lanes) {
  Expressions& expressions = provenance_->expressions;
  isa::for_each_row(i, [&](std::uint32_t offset, unsigned bytes, bool written) {
    if (!written || bytes == 0) return;
    for_lanes(frame.nodes.lanes(offset) & lanes, [&](unsigned lane) {
      const NodeId id = frame.nodes.at(offset, lane);
      if (expressions[id].operation == Operation::opaque)
        expressions.set_value(id, low_column(frame.registers(), offset, lane, bytes));
    });
  });
}

// selp d, a, b, p
void Grid::follow_choice(Frame& frame, const Instruction& i, LaneMask lanes) {
  Expressions& expressions = provenance_->expressions;
  const Operands sources = sources_of(i);
  const std::uint32_t d = isa::rows_of(i)[0], a = sources.all[0].row, b = sources.all[1].row,
                      p = sources.all[2].row;
  const unsigned bytes = i.form->ports[0].bytes;
  const LaneMask first = isa::mask(frame.registers(), p);
  std::array<NodeId, warp_size> nodes{};
  for_lanes(lanes, [&](unsigned lane) {
    const bool takes_a = contains(first, lane);
    const std::uint32_t taken = takes_a ? a : b, left = takes_a ? b : a;
    const NodeId decider = frame.nodes.at(p, lane), other = frame.nodes.at(left, lane);
    NodeId chosen = frame.nodes.at(taken, lane);
    if (decider != 0) {
      const std::uint64_t bits = low_column(frame.registers(), taken, lane, bytes);
      if (chosen == 0) chosen = expressions.constant(bits, bytes);
      chosen = expressions.add({.operation = Operation::choice,
                                .bytes = static_cast<std::uint8_t>(bytes),
                                .operand = {chosen, other, decider},
                                .bits = bits});
    }
    nodes[lane] = chosen;
  });
  i.compute(frame.registers(), i, lanes);
  for_lanes(lanes, [&](unsigned lane) { frame.nodes.set(d, lane, nodes[lane]); });
}

// What these lanes do next depends on a row.
void Grid::follow_decision(const Frame& frame, std::uint32_t row, LaneMask lanes) {
  for_lanes(frame.nodes.lanes(row) & lanes,
            [&](unsigned lane) { provenance_->expressions.decide(frame.nodes.at(row, lane)); });
}

// What the members of a meeting bring, by lane; who is not there brings nothing.
std::array<NodeId, warp_size> Grid::held_by(const Warp& warp, Members members, std::size_t source) const {
  std::array<NodeId, warp_size> held{};
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    for_lanes(split.lanes,
              [&](unsigned lane) { held[lane] = split.frame->nodes.at(at(split).operand[source], lane); });
  }
  return held;
}

// Votes and matches: what any member brings may decide what all do next.
void Grid::follow_votes(const Warp& warp, Members members, std::size_t source) {
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    follow_decision(*split.frame, at(split).operand[source], split.lanes);
    for (std::size_t result = 0; result < source; ++result)
      if (const std::uint32_t row = at(split).operand[result]; row != isa::no_operand)
        split.frame->nodes.forget(row, split.lanes);
  }
}

// redux.sync, lane after lane.
NodeId Grid::reduced(const Warp& warp, Members members) {
  Expressions& expressions = provenance_->expressions;
  const isa::Form& form = *at(warp.splits[members[0]]).form;
  const isa::AtomicKind kind = form.has("min")   ? isa::AtomicKind::min
                               : form.has("max") ? isa::AtomicKind::max
                                                 : form.atomic;
  const std::optional<Node> operation = form.abs ? std::nullopt : operation_of(kind, form.type);
  const std::array<NodeId, warp_size> held = held_by(warp, members, 1);
  if (std::ranges::all_of(held, [](NodeId node) { return node == 0; })) return 0;
  std::array<std::uint64_t, warp_size> value{};
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    for_lanes(split.lanes, [&](unsigned lane) {
      value[lane] = column(split.frame->registers(), at(split).operand[1], lane, 4);
    });
  }
  if (!operation) return expressions.opaque(held, 0, 4);
  NodeId total = 0;
  std::uint64_t folded = 0;
  for_lanes(lanes_of(warp, members), [&](unsigned lane) {
    const NodeId next = held[lane] != 0 ? held[lane] : expressions.constant(value[lane], 4);
    if (total == 0) {
      total = next;
      folded = value[lane];
      return;
    }
    Node node = *operation;
    node.propagates_nan = form.nan;
    node.operand = {total, next, 0};
    node.bits = folded = form.combine(folded, value[lane], 0);
    total = expressions.add(node);
  });
  return total;
}

}  // namespace foldproof::machine
