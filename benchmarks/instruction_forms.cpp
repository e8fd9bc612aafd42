#include "benchmarks/instruction_forms.h"

#include <algorithm>
#include <array>

#include "devices/emulated/isa/every_form.h"

namespace foldproof {
namespace {

using isa::Action;
using isa::OperandRule;
using isa::Type;

/// Rows that compute with addresses.
constexpr std::array address_rows{"cvta", "isspacep", "isspacep_own", "mapa"};

/// The row without modifiers that decide only when other threads see the result; they multiply its forms.
isa::Row without_order(const isa::Row& row) {
  isa::Row simple = row;
  if (row.id == "atom") simple.syntax = "atom.<space>.<op>.noftz?.<vec>?.T";
  if (row.id == "atom_cas") simple.syntax = "atom.<space>.<cas>.T";
  if (row.id == "red") simple.syntax = "red.<space>.<op>.noftz?.<vec>?.T";
  return simple;
}

/// Two words of <space> suffice: other words name the same memory.
bool is_measured(const isa::NamedForm& named) {
  return !is_atomic(named.form) || named.text.find(".global.") != std::string::npos ||
         named.text.find(".shared.") != std::string::npos;
}

RegisterOperand operand_of(const OperandRule& rule) {
  const unsigned bits = isa::bits_of(rule.type);
  return {{rule.type, bits > 64 ? 2u : 1u}, bits == 8 && !rule.relaxed};
}

bool is_optional_source(const OperandRule& rule) { return rule.optional && !rule.destination; }

/// Whether the statement has none of its optional sources: the predicate of a comparison belongs to .and, .or
/// and .xor, which require it, and the last operand of an atomic is a cache policy.
bool has_no_optional_source(const isa::Form& form, std::span<const OperandRule> rules) {
  return is_atomic(form) || std::ranges::any_of(rules, [](const OperandRule& rule) {
           return is_optional_source(rule) && rule.shape == OperandRule::Shape::predicate;
         });
}

/// The form with each number of optional sources, and for lop3 with each table.
std::vector<MeasuredForm> variants_of(const isa::NamedForm& named) {
  std::vector<MeasuredForm> variants;
  const std::vector<OperandRule> rules = isa::operand_rules(named.form);
  const auto optional = static_cast<unsigned>(std::ranges::count_if(rules, is_optional_source));
  const bool has_table = std::ranges::find(rules, 'l', &OperandRule::name) != rules.end();
  for (unsigned absent = has_no_optional_source(named.form, rules) ? optional : 0; absent <= optional;
       ++absent) {
    if (!has_table) variants.push_back({named.text, named.form, absent, std::nullopt});
    for (unsigned table = 0; has_table && table < 256; ++table)
      variants.push_back({named.text, named.form, absent, table});
  }
  return variants;
}

FormGroup group_for(const isa::Row& row, const MeasuredForm& measured) {
  FormGroup group{&row, measured.form.type, measured.form.type2, {}, {}, {}};
  for (const OperandRule& rule : present_rules(measured)) {
    if (is_immediate(rule) || rule.shape == OperandRule::Shape::address) continue;
    auto& operands = rule.destination ? group.destinations : group.sources;
    operands.insert(operands.end(), rule.count, operand_of(rule));
  }
  const RegisterOperand element{{measured.form.type, 1}, false};
  group.sources.insert(group.sources.end(), memory_elements(measured.form), element);
  group.destinations.insert(group.destinations.end(), memory_elements(measured.form), element);
  // CC is an operand like the others.
  if (measured.form.reads_carry) group.sources.push_back({{Type::pred, 1}, false});
  if (measured.form.writes_carry) group.destinations.push_back({{Type::u32, 1}, false});
  return group;
}

bool has_same_operands(const FormGroup& a, const FormGroup& b) {
  const auto same = [](const RegisterOperand& x, const RegisterOperand& y) {
    return x.value.type == y.value.type && x.narrow == y.narrow;
  };
  return a.type == b.type && a.type2 == b.type2 && std::ranges::equal(a.sources, b.sources, same) &&
         std::ranges::equal(a.destinations, b.destinations, same);
}

}  // namespace

bool is_immediate(const OperandRule& rule) { return rule.name == 'l' || rule.name == 'm'; }

bool is_atomic(const isa::Form& form) {
  return form.action == Action::atomic || form.action == Action::reduction;
}

std::vector<OperandRule> present_rules(const MeasuredForm& measured) {
  std::vector<OperandRule> rules = isa::operand_rules(measured.form);
  unsigned absent = measured.absent;
  for (std::size_t k = rules.size(); k-- > 0 && absent > 0;)
    if (rules[k].optional && !rules[k].destination) {
      rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(k));
      --absent;
    }
  return rules;
}

std::size_t memory_elements(const isa::Form& form) { return is_atomic(form) ? form.vector : 0; }

unsigned FormGroup::words_per_form() const {
  unsigned words = 0;
  for (const RegisterOperand& destination : destinations) words += destination.value.words;
  return words;
}

std::vector<SourceType> FormGroup::source_types() const {
  std::vector<SourceType> types;
  for (const RegisterOperand& source : sources) types.push_back(source.value);
  // ISA 9.7.1: positions and lengths of bit fields are restricted to 0 .. 255.
  if (row->id == "bfe" || row->id == "bfi")
    for (SourceType& position : std::span(types).last(2)) position.mask = 0xFF;
  return types;
}

Extremes FormGroup::extremes() const {
  return row->action == Action::matrix_multiply ? Extremes::excluded : Extremes::included;
}

std::string why_not_measured(const isa::Row& row) {
  if (std::ranges::find(address_rows, row.id) != address_rows.end())
    return "addresses differ between the emulated device and a GPU";
  switch (row.action) {
    case Action::compute:
    case Action::matrix_multiply:
    case Action::shuffle:
    case Action::vote:
    case Action::match:
    case Action::warp_reduce:
    case Action::atomic:
    case Action::reduction: return {};
    case Action::special:
    case Action::elect:
    case Action::activemask:
    case Action::cluster_rank: return "the result depends on the device";
    default: return "the result depends on more than its register operands";
  }
}

std::string why_open(const isa::Form& form) {
  if (form.has("approx") || form.has("full")) return "an approximation";
  const bool sums_floats =
      form.action == Action::matrix_multiply && form.has("row") && form.type != Type::s32;
  return sums_floats ? "the order and the rounding of the sums are open" : "";
}

std::vector<FormGroup> form_groups() {
  std::vector<FormGroup> groups;
  for (const isa::Row& row : isa::rows()) {
    if (!why_not_measured(row).empty()) continue;
    const auto first = static_cast<std::ptrdiff_t>(groups.size());
    for (const isa::NamedForm& named : isa::every_form_of(without_order(row))) {
      if (!is_measured(named)) continue;
      for (MeasuredForm& measured : variants_of(named)) {
        FormGroup group = group_for(row, measured);
        const auto found = std::find_if(groups.begin() + first, groups.end(), [&](const FormGroup& other) {
          return has_same_operands(group, other);
        });
        FormGroup& into = found == groups.end() ? groups.emplace_back(std::move(group)) : *found;
        into.forms.push_back(std::move(measured));
      }
    }
  }
  return groups;
}

}  // namespace foldproof
