#include "benchmarks/instruction_kernels.h"

#include <fmt/format.h>

#include <algorithm>

namespace foldproof {
namespace {

using isa::OperandRule;

constexpr std::size_t forms_per_kernel = 32;
constexpr std::size_t memory_bytes = 16;  ///< of each lane, for atomics: the widest vector

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

/// The space of an atomic's memory; the register of this name holds the address.
const char* memory_of(const isa::Form& form) {
  return form.space == isa::StateSpace::global ? "global" : "shared";
}

/// `pattern` for each element of the memory: {0} its space, {1} its bits, {2} its address, {3} the number of
/// its register.
std::string memory_access(const isa::Form& form, const char* pattern, std::size_t first_register) {
  std::string text;
  const unsigned bytes = isa::bytes_of(form.type);
  for (unsigned k = 0; k < memory_elements(form); ++k)
    text += fmt::format(fmt::runtime(pattern), memory_of(form), 8 * bytes,
                        fmt::format("[%{}+{}]", memory_of(form), k * bytes), first_register + k);
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
    if (rule.shape == OperandRule::Shape::address) return fmt::format("[%{}]", memory_of(measured_.form));
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
  const std::size_t memory = memory_elements(measured.form);
  text += memory_access(measured.form, "st.{0}.b{1} {2}, %s{3}; ", group.sources.size() - memory);
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
