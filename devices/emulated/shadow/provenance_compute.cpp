// Provenance of register-only instructions: the result is an operation of an expression, or reassembled bytes
// of the sources, or an opaque value that depends on them.
#include <algorithm>
#include <array>
#include <cstring>

#include "devices/emulated/isa/shadow_propagation.h"
#include "devices/emulated/shadow/byte_routes.h"
#include "devices/emulated/shadow/operation_of.h"
#include "devices/emulated/shadow/provenance.h"
#include "devices/emulated/state/columns.h"
#include "oracles/formats.h"
#include "oracles/number.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

using isa::Port;
using isa::warp_size;

/// Whether a comparison only tests its operands for NaN and finds none: it would have the same result for all
/// other numbers, so it depends on none of them. `nodes`: the operands' nodes.
bool finds_no_nan(const std::byte* registers, const Instruction& i, const Operands& sources, unsigned lane,
                  std::span<const NodeId> nodes) {
  using isa::Compare;
  const isa::Form& form = *i.form;
  if (form.compare == Compare::none || form.boolean != isa::Boolean::none || sources.count < 2) return false;
  const std::optional<Element> element = element_of(form.type);
  if (!element || !is_float(*element) || sources.all[0].port->parts != 1) return false;
  const auto number = [&](const Operand& operand) {
    return decode(*element, column(registers, operand.row, lane, operand.port->bytes));
  };
  const Number a = number(sources.all[0]), b = number(sources.all[1]);
  if (a.is_nan() || b.is_nan()) return false;
  if (form.compare == Compare::nan || form.compare == Compare::num ||
      sources.all[0].row == sources.all[1].row)
    return true;
  // No number is greater than infinity, unless the infinity is itself an element.
  const bool beyond = form.compare == Compare::gtu || form.compare == Compare::le;
  return beyond && b.is_infinite() && !b.negative && nodes[1] == 0;
}

bool are_zero(std::span<const NodeId> nodes) {
  return std::ranges::all_of(nodes, [](NodeId node) { return node == 0; });
}

bool is_predicate(const Port& port) { return port.bytes == 0; }

/// The value of a predicate operand with which the results of the instruction, all predicates, are the same
/// for any other operands.
std::optional<bool> deciding_value(const isa::Form& form) {
  if (!std::ranges::all_of(form.ports, [](const Port& p) { return !p.written || is_predicate(p); }))
    return {};
  const std::string_view row = isa::rows()[form.row].id;
  if (row == "and" || form.boolean == isa::Boolean::and_) return false;
  if (row == "or" || form.boolean == isa::Boolean::or_) return true;
  return {};
}

/// Whether a predicate operand that depends on no input has the deciding value.
bool is_decided(Frame& frame, bool value, const Operands& sources, unsigned lane,
                std::span<const NodeId> nodes) {
  for (std::size_t s = 0; s < sources.count; ++s)
    if (const auto& [row, port] = sources.all[s];
        nodes[s] == 0 && is_predicate(*port) && contains(isa::mask(frame.registers(), row), lane) == value)
      return true;
  return false;
}

/// For a logical operation on predicates, the only node on which the result depends; 0 if there are several.
/// It then stands for the result, since nodes of predicates have no value.
NodeId passed_on(const isa::Form& form, std::span<const NodeId> nodes) {
  const std::string_view row = isa::rows()[form.row].id;
  if (row != "not" && row != "and" && row != "or" && row != "xor") return 0;
  const auto first = std::ranges::find_if(nodes, [](NodeId node) { return node != 0; });
  return first != nodes.end() && are_zero({first + 1, nodes.end()}) ? *first : 0;
}

/// A conversion between integers that keeps bytes unchanged, with zeros above them if it widens.
bool moves_bytes(const Node& operation) {
  if (operation.operation != Operation::convert || is_float(operation.element)) return false;
  return size_of(operation.element) <= size_of(operation.source) || !is_signed_integer(operation.source);
}

}  // namespace

bool Provenance::computing(Frame& frame, const Instruction& i, LaneMask lanes) {
  if (!frame.nodes.any() || !i.form) return false;
  LaneMask dependent = i.form->reads_carry ? frame.nodes.lanes(isa::carry_offset) & lanes : 0;
  for (const Operand& source : sources_of(i)) dependent |= frame.nodes.lanes(source.row) & lanes;
  if (dependent == 0) {
    isa::for_each_row(i, [&](std::uint32_t offset, unsigned, bool written) {
      if (written) frame.nodes.forget(offset, lanes);
    });
    return false;
  }
  pending_.lack = Pending::Lack::nothing;
  if (is_wiring(*i.form))
    computing_wiring(frame, i, lanes);
  else if (const std::optional<Node> operation = operation_of(*i.form); operation && !moves_bytes(*operation))
    computing_operation(frame, i, *operation, lanes);
  else if (isa::rows()[i.form->row].id == "selp")
    computing_choice(frame, i, lanes);
  else
    computing_bytes(frame, i, lanes);
  return true;
}

void Provenance::computed(Frame& frame, const Instruction& i, LaneMask lanes) {
  Expressions& expressions = job_.expressions;
  if (pending_.lack == Pending::Lack::operation) return computed_operation(frame, i, lanes);
  if (pending_.lack == Pending::Lack::nothing) return;
  isa::for_each_row(i, [&](std::uint32_t offset, unsigned bytes, bool written) {
    if (!written || bytes == 0) return;
    for_lanes(frame.nodes.lanes(offset) & lanes, [&](unsigned lane) {
      const NodeId id = frame.nodes.at(offset, lane);
      if (expressions[id].operation == Operation::opaque)
        expressions.set_value(id, column(frame.registers(), offset, lane, bytes));
    });
  });
}

// Element by element if the operands are packed.
void Provenance::computing_operation(const Frame& frame, const Instruction& i, const Node& operation,
                                     LaneMask lanes) {
  Expressions& expressions = job_.expressions;
  const Operands sources = sources_of(i);
  const Port& target = i.form->ports[0];
  const unsigned parts = target.parts, bytes = target.bits / 8u / parts;
  const std::byte* registers = frame.registers();
  // Conversions of two values to one packed value: a becomes the high part.
  const bool joins = operation.operation == Operation::convert && sources.count == 2;
  pending_.lack = Pending::Lack::operation;
  pending_.dependent = 0;
  for_lanes(lanes, [&](unsigned lane) {
    bool any = false;
    for (const Operand& source : sources) any |= frame.nodes.at(source.row, lane) != 0;
    if (!any) return;
    pending_.dependent |= bit(lane);
    for (unsigned part = 0; part < parts; ++part) {
      Node& node = pending_.made[lane][part] = operation;
      node.bytes = static_cast<std::uint8_t>(bytes);
      const std::size_t operands = joins ? 1 : std::min(sources.count, node.operand.size());
      for (std::size_t s = 0; s < operands; ++s) {
        const auto [from, port] = sources.all[joins ? 1 - part : s];
        const unsigned width = port->bits / 8u / port->parts, first = port->parts > 1 ? part * width : 0;
        const NodeId whole = frame.nodes.at(from, lane);
        node.operand[s] = whole != 0 ? expressions.part(whole, first, width)
                                     : expressions.constant(
                                           column(registers, from, lane, port->bytes) >> (8 * first), width);
      }
    }
  });
}

void Provenance::computed_operation(Frame& frame, const Instruction& i, LaneMask lanes) {
  Expressions& expressions = job_.expressions;
  const Port& target = i.form->ports[0];
  const std::uint32_t row = isa::rows_of(i)[0];
  const unsigned parts = target.parts, bytes = target.bits / 8u / parts;
  frame.nodes.forget(row, lanes & ~pending_.dependent);
  for_lanes(pending_.dependent, [&](unsigned lane) {
    const std::uint64_t bits = column(frame.registers(), row, lane, target.bytes);
    std::array<BytePart, widest_column> value;
    unsigned at = 0;
    for (unsigned part = 0; part < parts; ++part) {
      Node& node = pending_.made[lane][part];
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

// mov, which is frequent in every loop: from one row to one, from several to one, or from one to several.
void Provenance::computing_wiring(Frame& frame, const Instruction& i, LaneMask lanes) {
  Expressions& expressions = job_.expressions;
  const Operands sources = sources_of(i);
  const std::span<const Port> ports = i.form->ports;
  const auto targets = ports.first(static_cast<std::size_t>(std::ranges::count(ports, true, &Port::written)));
  const std::uint32_t* rows = isa::rows_of(i);
  const std::byte* registers = frame.registers();
  for_lanes(lanes, [&](unsigned lane) {
    if (targets.size() == 1 && sources.count == 1)
      return frame.nodes.set(rows[0], lane, frame.nodes.at(sources.all[0].row, lane));
    std::array<BytePart, widest_column> bytes;
    unsigned at = 0;
    for (const auto& [row, port] : sources) {
      expressions.take_apart(frame.nodes.at(row, lane), port->bytes,
                             column(registers, row, lane, port->bytes), std::span(bytes).subspan(at));
      at += port->bytes;
    }
    at = 0;
    for (std::size_t k = 0; k < targets.size(); at += targets[k++].bytes)
      if (rows[k] != isa::no_operand)
        frame.nodes.set(rows[k], lane, expressions.assembled(std::span(bytes).subspan(at, targets[k].bytes)));
  });
}

// Moved bytes; anything else that an instruction computes from its sources is opaque.
void Provenance::computing_bytes(Frame& frame, const Instruction& i, LaneMask lanes) {
  Expressions& expressions = job_.expressions;
  const Operands sources = sources_of(i);
  const std::size_t movable = moves_bytes_of(*i.form);
  std::optional<ByteRoutes> routes;
  if (movable != 0) {
    const std::size_t bytes = frame.code->frame.size();
    std::vector<std::byte>& scratch = job_.scratch;
    scratch.resize(std::max(scratch.size(), ByteRoutes::frames * bytes));
    routes.emplace(frame.registers(), bytes, scratch, frame.nodes, i, sources, lanes);
  }
  const std::optional<bool> deciding = deciding_value(*i.form);
  std::array<std::array<NodeId, most_operands + 1>, warp_size> depends{};  // CC is last
  for_lanes(lanes, [&](unsigned lane) {
    for (std::size_t s = 0; s < sources.count; ++s)
      depends[lane][s] = frame.nodes.at(sources.all[s].row, lane);
    if (finds_no_nan(frame.registers(), i, sources, lane, depends[lane]) ||
        (deciding && is_decided(frame, *deciding, sources, lane, depends[lane])))
      depends[lane] = {};
    if (i.form->reads_carry) depends[lane][most_operands] = frame.nodes.at(isa::carry_offset, lane);
  });
  pending_.lack = Pending::Lack::opaque_values;
  isa::for_each_row(i, [&](std::uint32_t row, unsigned bytes, bool written) {
    if (!written) return;
    for_lanes(lanes, [&](unsigned lane) {
      const std::span<const NodeId> all = depends[lane];
      std::array<BytePart, widest_column> value;
      NodeId node = 0;
      if (routes && bytes != 0 && are_zero(all.subspan(movable)) && !are_zero(all) &&
          routes->find(expressions, row, bytes, lane, value))
        node = expressions.assembled(std::span(value).first(bytes));
      else if (const NodeId only = bytes == 0 ? passed_on(*i.form, all) : 0; only != 0)
        node = only;
      else if (!are_zero(all))
        node = expressions.opaque(all, 0, std::max(bytes, 1u));
      frame.nodes.set(row, lane, node);
    });
  });
}

// selp d, a, b, p
void Provenance::computing_choice(Frame& frame, const Instruction& i, LaneMask lanes) {
  Expressions& expressions = job_.expressions;
  const Operands sources = sources_of(i);
  const std::uint32_t d = isa::rows_of(i)[0], a = sources.all[0].row, b = sources.all[1].row,
                      p = sources.all[2].row;
  const unsigned bytes = i.form->ports[0].bytes;
  const LaneMask first = isa::mask(frame.registers(), p);
  for_lanes(lanes, [&](unsigned lane) {
    const bool takes_a = contains(first, lane);
    const std::uint32_t taken = takes_a ? a : b, left = takes_a ? b : a;
    const NodeId decider = frame.nodes.at(p, lane), other = frame.nodes.at(left, lane);
    NodeId chosen = frame.nodes.at(taken, lane);
    if (decider != 0) {
      const std::uint64_t bits = column(frame.registers(), taken, lane, bytes);
      if (chosen == 0) chosen = expressions.constant(bits, bytes);
      chosen = expressions.add({.operation = Operation::choice,
                                .bytes = static_cast<std::uint8_t>(bytes),
                                .operand = {chosen, other, decider},
                                .bits = bits});
    }
    frame.nodes.set(d, lane, chosen);
  });
}

// Control flow or another decision of these lanes depends on a row.
void Provenance::decided(const Frame& frame, std::uint32_t row, LaneMask lanes) {
  for_lanes(frame.nodes.lanes(row) & lanes,
            [&](unsigned lane) { job_.expressions.decide(frame.nodes.at(row, lane)); });
}

void Provenance::moved(Frame& to, std::uint32_t target, Frame& from, std::uint32_t source, LaneMask lanes) {
  if (!to.nodes.any() && !from.nodes.any()) return;
  for_lanes(lanes, [&](unsigned lane) { to.nodes.set(target, lane, from.nodes.at(source, lane)); });
}

}  // namespace foldproof::emulated
