#include "benchmarks/instruction_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "devices/emulated/isa/every_form.h"

namespace foldproof {
namespace {

using isa::Action;
using isa::OperandRule;
using isa::Type;

constexpr std::size_t forms_per_kernel = 32;
constexpr std::size_t memory_bytes = 16;  ///< of each lane, for atomics: the widest vector

/// Rows that compute with addresses.
constexpr std::array address_rows{"cvta", "isspacep", "isspacep_own", "mapa"};

bool is_immediate(const OperandRule& rule) { return rule.name == 'l' || rule.name == 'm'; }

/// Atomics: each lane has its own memory, whose content before and after is an operand like the others.
bool is_atomic(const isa::Form& form) {
  return form.action == Action::atomic || form.action == Action::reduction;
}

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

/// The operand rules that the statement has.
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

/// The form with each number of optional sources, and for lop3 with each table.
std::vector<MeasuredForm> variants_of(const isa::NamedForm& named) {
  std::vector<MeasuredForm> variants;
  const auto rules = isa::operand_rules(named.form);
  const auto optional = std::ranges::count_if(
      rules, [](const OperandRule& rule) { return rule.optional && !rule.destination; });
  // The optional predicate of a comparison belongs to .and, .or and .xor.
  const bool needs_boolean = std::ranges::any_of(rules, [](const OperandRule& rule) {
    return rule.optional && !rule.destination && rule.shape == OperandRule::Shape::predicate;
  });
  const bool has_table = std::ranges::find(rules, 'l', &OperandRule::name) != rules.end();
  // That of an atomic is a cache policy.
  const bool is_plain = is_atomic(named.form) || (needs_boolean && named.form.boolean == isa::Boolean::none);
  for (unsigned absent = is_plain ? static_cast<unsigned>(optional) : 0; absent <= optional; ++absent) {
    if (!has_table) variants.push_back({named.text, named.form, absent, std::nullopt});
    for (unsigned table = 0; has_table && table < 256; ++table)
      variants.push_back({named.text, named.form, absent, table});
  }
  return variants;
}

/// The elements of the memory at the address of an atomic.
std::size_t memory_registers(const isa::Form& form) { return is_atomic(form) ? form.vector : 0; }

FormGroup group_for(const isa::Row& row, const MeasuredForm& measured) {
  FormGroup group{&row, measured.form.type, measured.form.type2, {}, {}, {}};
  for (const OperandRule& rule : present_rules(measured))
    if (!is_immediate(rule) && rule.shape != OperandRule::Shape::address)
      (rule.destination ? group.destinations : group.sources)
          .insert((rule.destination ? group.destinations : group.sources).end(), rule.count,
                  operand_of(rule));
  const std::size_t memory = memory_registers(measured.form);
  const RegisterOperand element{{measured.form.type, 1}, false};
  group.sources.insert(group.sources.end(), memory, element);
  group.destinations.insert(group.destinations.end(), memory, element);
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

// ── PTX ────────────────────────────────────────────────────────────────────────────────────────────────────

std::string register_class(const RegisterOperand& operand) {
  switch (const unsigned bits = isa::bits_of(operand.value.type)) {
    case 1: return "pred";
    case 2:
    case 4:
    case 8: return operand.narrow ? "b8" : "b16";
    default: return fmt::format("b{}", bits);
  }
}

/// Statements that make the words %w, %v the register `name`.
std::string from_words(const RegisterOperand& operand, const std::string& name) {
  const std::string kind = register_class(operand);
  if (kind == "pred") return fmt::format("and.b64 %w, %w, 1; setp.ne.u64 {}, %w, 0;", name);
  if (kind == "b8") return fmt::format("cvt.u16.u64 %h, %w; mov.b16 {{{}, %unused}}, %h;", name);
  if (kind == "b16") return fmt::format("cvt.u16.u64 {}, %w;", name);
  if (kind == "b32") return fmt::format("cvt.u32.u64 {}, %w;", name);
  if (kind == "b128") return fmt::format("mov.b128 {}, {{%w, %v}};", name);
  return fmt::format("mov.b64 {}, %w;", name);
}

/// The inverse.
std::string to_words(const RegisterOperand& operand, const std::string& name) {
  const std::string kind = register_class(operand);
  if (kind == "pred") return fmt::format("selp.b64 %w, 1, 0, {};", name);
  if (kind == "b8")
    return fmt::format("mov.b16 %h, {{{0}, {0}}}; cvt.u64.u16 %w, %h; and.b64 %w, %w, 255;", name);
  if (kind == "b16") return fmt::format("cvt.u64.u16 %w, {};", name);
  if (kind == "b32") return fmt::format("cvt.u64.u32 %w, {};", name);
  if (kind == "b128") return fmt::format("mov.b128 {{%w, %v}}, {};", name);
  return fmt::format("mov.b64 %w, {};", name);
}

/// "ld.global.b64 %w, [%in+8192];", and the same for %v if there is a second word.
std::string access(const std::string& pattern, const RegisterOperand& operand, std::size_t& word) {
  std::string text;
  for (unsigned k = 0; k < operand.value.words; ++k)
    text += fmt::format(fmt::runtime(pattern), k == 0 ? "%w" : "%v", 8 * operand_sets * word++);
  return text;
}

/// "add.rn.f32" from "mov:pack.v2.b32": the opcode as PTX spells it.
std::string opcode_of(const MeasuredForm& measured) {
  if (!measured.text.starts_with("mov:")) return measured.text;
  return "mov" + measured.text.substr(measured.text.rfind('.'));
}

/// The register with the address of the lane's memory.
const char* memory_of(const isa::Form& form) {
  return form.space == isa::StateSpace::global ? "%global" : "%shared";
}

/// "st.global.b32 [%global+4], %s3;" for each element of the memory, or the same with ld.
std::string memory_access(const isa::Form& form, const char* pattern, std::size_t first_register) {
  std::string text;
  const unsigned bytes = isa::bytes_of(form.type);
  for (unsigned k = 0; k < memory_registers(form); ++k)
    text += fmt::format(fmt::runtime(pattern), memory_of(form) + 1, 8 * bytes,
                        fmt::format("[{}+{}]", memory_of(form), k * bytes), first_register + k);
  return text;
}

/// Takes the next registers %s… or %d… for the operands of the statement.
class Statement {
 public:
  explicit Statement(const MeasuredForm& measured) : measured_(measured) {}

  std::string text() {
    const std::vector<OperandRule> rules = present_rules(measured_);
    std::string operands;
    bool after_destination = false;
    for (const OperandRule& rule : rules) {
      if (!operands.empty()) operands += after_destination && rule.destination ? "|" : ", ";
      operands += operand(rule);
      after_destination = rule.destination;
    }
    return fmt::format("{} {};", opcode_of(measured_), operands);
  }

 private:
  std::string operand(const OperandRule& rule) {
    if (rule.name == 'm') return "0xffffffff";
    if (rule.shape == OperandRule::Shape::address) return fmt::format("[{}]", memory_of(measured_.form));
    if (rule.name == 'l') return fmt::format("{}", measured_.table.value());
    std::string registers;
    for (unsigned k = 0; k < rule.count; ++k)
      registers += fmt::format("{}%{}{}", k == 0 ? "" : ", ", rule.destination ? 'd' : 's',
                               rule.destination ? next_destination_++ : next_source_++);
    // The fragments of a matrix are vectors even if they have a single register.
    const bool is_vector = rule.count > 1 || isa::rows()[measured_.form.row].id == "mma_sync";
    return is_vector ? "{" + registers + "}" : registers;
  }

  const MeasuredForm& measured_;
  unsigned next_source_ = 0, next_destination_ = 0;
};

/// Executes one form; its results begin at `word`.
std::string form_text(const FormGroup& group, const MeasuredForm& measured, std::size_t word) {
  std::string text = "  ";
  const std::size_t last_source = group.sources.size() - 1, last = group.destinations.size() - 1;
  // CC is set from the last source, and becomes the last destination.
  if (measured.form.reads_carry)
    text += fmt::format("selp.u32 %r, 1, 0, %s{}; add.cc.u32 %r, %r, 0xffffffff; ", last_source);
  const std::size_t memory = memory_registers(measured.form);
  text += memory_access(measured.form, "st.{}.b{} {}, %s{}; ", group.sources.size() - memory);
  text += Statement(measured).text();
  text += memory_access(measured.form, " ld.{0}.b{1} %d{3}, {2};", group.destinations.size() - memory);
  if (measured.form.writes_carry) text += fmt::format(" addc.u32 %d{}, 0, 0;", last);
  for (std::size_t d = 0; d <= last; ++d) {
    text += "\n    " + to_words(group.destinations[d], fmt::format("%d{}", d)) + " ";
    text += access("st.global.b64 [%out+{1}], {0};", group.destinations[d], word);
  }
  return text + "\n";
}

std::string declarations(const FormGroup& group) {
  std::string text =
      "  .reg .b64 %in, %out, %at, %w, %v; .reg .b32 %r, %t, %c, %n; .reg .b16 %h; .reg .b8 %unused;\n";
  for (std::size_t k = 0; k < group.sources.size(); ++k)
    text += fmt::format("  .reg .{} %s{};\n", register_class(group.sources[k]), k);
  for (std::size_t k = 0; k < group.destinations.size(); ++k)
    text += fmt::format("  .reg .{} %d{};\n", register_class(group.destinations[k]), k);
  if (is_atomic(group.forms.front().form))
    text += fmt::format("  .shared .align 16 .b8 memory[{}]; .reg .b64 %global; .reg .b32 %shared, %lane;\n",
                        memory_bytes * lanes_per_block);
  return text;
}

/// Sets the registers with the addresses of the lane's memory.
std::string memory_addresses(const FormGroup& group) {
  if (!is_atomic(group.forms.front().form)) return "";
  return fmt::format(
      "  mov.u64 %global, scratch; mad.wide.u32 %global, %t, {0}, %global;\n"
      "  mov.u32 %lane, %tid.x; mov.u32 %shared, memory; mad.lo.u32 %shared, %lane, {0}, %shared;\n",
      memory_bytes);
}

std::string kernel_text(const FormGroup& group, const FormKernel& kernel) {
  std::string text = fmt::format(
      ".visible .entry {}(.param .u64 input, .param .u64 output)\n{{\n{}"
      "  mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %n, %ntid.x; mad.lo.u32 %t, %c, %n, %t;\n"
      "  mul.wide.u32 %at, %t, 8; ld.param.u64 %in, [input]; ld.param.u64 %out, [output];\n"
      "  add.u64 %in, %in, %at; add.u64 %out, %out, %at;\n",
      kernel.entry, declarations(group));
  text += memory_addresses(group);
  std::size_t word = 0;
  for (std::size_t k = 0; k < group.sources.size(); ++k)
    text += "  " + access("ld.global.b64 {}, [%in+{}]; ", group.sources[k], word) +
            from_words(group.sources[k], fmt::format("%s{}", k)) + "\n";
  for (std::size_t k = kernel.first; k < kernel.first + kernel.count; ++k)
    text += form_text(group, group.forms[k], k * group.words_per_form());
  return text + "  ret;\n}\n";
}

}  // namespace

unsigned FormGroup::words_per_form() const {
  unsigned words = 0;
  for (const RegisterOperand& destination : destinations) words += destination.value.words;
  return words;
}

std::vector<SourceType> FormGroup::source_types() const {
  std::vector<SourceType> types;
  for (const RegisterOperand& source : sources) types.push_back(source.value);
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
    default: return "more than registers decides the result";
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

std::vector<FormKernel> kernels_of(const FormGroup& group) {
  std::vector<FormKernel> kernels;
  for (std::size_t first = 0; first < group.forms.size(); first += forms_per_kernel)
    kernels.push_back(
        {fmt::format("forms_{}", first), first, std::min(forms_per_kernel, group.forms.size() - first)});
  return kernels;
}

std::string module_text(const FormGroup& group, std::string_view target) {
  std::string text = fmt::format(".version 9.0\n.target {}\n.address_size 64\n", target);
  if (is_atomic(group.forms.front().form))
    text += fmt::format(".global .align 16 .b8 scratch[{}];\n", memory_bytes * operand_sets);
  for (const FormKernel& kernel : kernels_of(group)) text += kernel_text(group, kernel);
  return text;
}

}  // namespace foldproof
