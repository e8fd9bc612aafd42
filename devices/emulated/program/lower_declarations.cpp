// Declarations of a function and their storage: rows and slots of the frame, the depot, the launch
// parameters.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "devices/emulated/program/function_lowering.h"
#include "ptx/query.h"

namespace foldproof::emulated {
namespace {

constexpr std::uint64_t largest_slot = 4096;        // bytes of one parameter
constexpr std::uint64_t largest_depot = 512 << 10;  // bytes per thread, as on hardware

}  // namespace

void FunctionLowering::declare_parameters() {
  if (!function_.is_entry) {
    for (const ptx::Variable& parameter : function_.parameters)
      code_.parameters.push_back(declare_passed(parameter, false));
    for (const ptx::Variable& result : function_.returns)
      code_.returns.push_back(declare_passed(result, true));
    return;
  }
  const ptx::ParameterLayout layout = ptx::parameters(function_);
  for (std::size_t k = 0; k < layout.size(); ++k) {
    const ptx::Variable& parameter = function_.parameters[k];
    const auto [offset, bytes] = layout[k];
    type_of(parameter);  // rejects types that have no values, such as .texref
    declare(parameter.name, {Symbol::Kind::entry_parameter, bytes, offset}, parameter.ptx_line);
    code_.parameter_offsets.push_back(offset);
    code_.parameter_bytes.push_back(bytes);
  }
}

// A slot passes a parameter or a result. A parameter declared .reg is loaded from it on entry, a result
// declared .reg is stored there on return.
Slot FunctionLowering::declare_passed(const ptx::Variable& variable, bool is_result) {
  const Type type = type_of(variable);
  if (type == Type::pred)
    fail(fmt::format("parameter {} is a predicate; pass an integer", variable.name), variable.ptx_line);
  const Slot slot = new_slot(variable);
  if (variable.space != ptx::Space::reg) {
    declare_slot(variable, slot);
    if (is_result) returned_slots_.push_back(slot);
    return slot;
  }
  const std::uint32_t row = declare_register(variable.name, type, variable.ptx_line);
  if (is_result) {
    returned_registers_.push_back({row, slot, column_bytes(type)});
  } else {
    emit_slot_access(Action::load, slot, row, column_bytes(type));
    use_.writes.push_back({row, column_bytes(type)});
    end_statement(false);
  }
  return slot;
}

Slot FunctionLowering::new_slot(const ptx::Variable& variable) {
  const std::uint64_t bytes = bytes_of(variable, context_.program.name);
  if (bytes > largest_slot)
    fail(fmt::format("parameter {} is larger than {} bytes", variable.name, largest_slot), variable.ptx_line);
  return {frame_.allocate_slot(bytes), static_cast<std::uint32_t>(bytes)};
}

Type FunctionLowering::type_of(const ptx::Variable& variable) const {
  const auto type = isa::type_named(variable.type);
  if (!type)
    fail(fmt::format("{} has the unknown type .{}", variable.name, variable.type), variable.ptx_line);
  return *type;
}

void FunctionLowering::declare(const std::string& name, const Symbol& symbol, std::uint32_t line) {
  if (!symbols_.declare(name, symbol))
    fail(fmt::format("{} is declared twice in the same scope", name), line);
  check_frame(line);
}

void FunctionLowering::check_frame(std::uint32_t line) const {
  if (frame_.bytes() > largest_frame)
    fail(fmt::format("the registers and parameters of the function {} need more than {} MiB per warp",
                     function_.name, largest_frame >> 20),
         line);
}

std::uint32_t FunctionLowering::declare_register(const std::string& name, Type type, std::uint32_t line) {
  const std::uint32_t row = frame_.allocate(column_bytes(type));
  declare(name, {Symbol::Kind::reg, column_bytes(type), row}, line);
  return row;
}

void FunctionLowering::declare_variable(const ptx::Variable& variable) {
  switch (variable.space) {
    case ptx::Space::reg: return declare_registers(variable);
    case ptx::Space::local: return declare_local(variable);
    case ptx::Space::param: return declare_slot(variable, new_slot(variable));
    default: return declare_fixed(variable);
  }
}

void FunctionLowering::declare_slot(const ptx::Variable& variable, const Slot& slot) {
  declare(variable.name, {Symbol::Kind::slot, slot.bytes, slot.offset}, variable.ptx_line);
}

// Its address was assigned by lay_out.
void FunctionLowering::declare_fixed(const ptx::Variable& variable) {
  const auto found = context_.addresses.functions.find(&variable);
  if (found == context_.addresses.functions.end())
    fail(fmt::format("{} cannot be declared inside a function", variable.name), variable.ptx_line);
  declare(variable.name, fixed_symbol(found->second), variable.ptx_line);
}

void FunctionLowering::declare_registers(const ptx::Variable& variable) {
  const Type type = type_of(variable);
  if (!variable.register_count) {
    if (variable.vector != 1)
      throw Unsupported(
          fmt::format("the emulated device does not support vector registers such as {}; declare "
                      "a register for each element",
                      variable.name),
          {context_.program.name, variable.ptx_line, 0});
    declare_register(variable.name, type, variable.ptx_line);
    return;
  }
  const std::uint64_t row_bytes = std::max<std::uint64_t>(column_bytes(type), 1) * isa::warp_size;
  if (frame_.bytes() + row_bytes * *variable.register_count > largest_frame)
    fail(fmt::format("the registers {}<{}> do not fit into {} MiB per warp", variable.name,
                     *variable.register_count, largest_frame >> 20),
         variable.ptx_line);
  // SymbolTable::find allocates the rows.
  declare(variable.name + "<",  // %r<20> does not declare the name %r
          {.kind = Symbol::Kind::range, .bytes = column_bytes(type), .count = *variable.register_count},
          variable.ptx_line);
}

void FunctionLowering::declare_local(const ptx::Variable& variable) {
  const std::uint64_t bytes = bytes_of(variable, context_.program.name);
  const std::uint32_t natural = isa::bytes_of(type_of(variable)) * variable.vector;
  const std::uint32_t alignment = std::max({variable.alignment, natural, 1u});
  const std::uint64_t offset = (std::uint64_t{code_.local_bytes} + alignment - 1) / alignment * alignment;
  if (offset + bytes > largest_depot)
    fail(fmt::format("the local variables need more than {} KiB per thread", largest_depot >> 10),
         variable.ptx_line);
  code_.local_bytes = static_cast<std::uint32_t>(offset + bytes);
  declare(variable.name,
          {Symbol::Kind::local, static_cast<unsigned>(bytes), static_cast<std::uint32_t>(offset)},
          variable.ptx_line);
}

}  // namespace foldproof::emulated
