#include "devices/emulated/program/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "base/text.h"
#include "ptx/query.h"
#include "ptx/types.h"

namespace foldproof::emulated {
namespace {

constexpr std::uint64_t largest_variable = std::uint64_t{1} << 32;
constexpr std::uint64_t most_static_bytes = std::uint64_t{1} << 30;  // .global and .const of a module

// Each shared variable starts in its own 64 KiB slot, so that an index past its end does not reach another
// variable; its offset modulo 128 is that of the packed layout, so that the banks are those of the hardware.
//
//     slot k:  |<-- 1024 + packed % 128 -->|<------ variable ------>|  gap up to the next slot
//
constexpr std::uint32_t shared_slot = 1u << 16;
constexpr std::uint32_t shared_lead = 1024;
constexpr std::uint32_t shared_window = 1u << 24;

unsigned type_bytes(const ptx::Variable& variable, const std::string& module_name) {
  const auto type = isa::type_named(variable.type);
  if (!type)
    throw InputError(fmt::format("variable {} has the unknown type .{}", variable.name, variable.type),
                     {module_name, variable.ptx_line, 0});
  return isa::bytes_of(*type);
}

class Layout {
 public:
  Layout(const ptx::Module& module, Program& program, const FunctionIndices& functions,
         const std::function<std::uint64_t(std::uint64_t)>& allocate)
      : module_(module), program_(program), functions_(functions), allocate_(allocate) {}

  StaticAddresses run() {
    for (const ptx::Variable& variable : module_.variables) place(variable, addresses_.module[variable.name]);
    for (const ptx::Function& function : module_.functions)
      if (function.body && !function.is_entry) place_scope(*function.body);
    place_entries();
    mark_addresses_of_externals();
    for (const auto& [variable, index] : globals_) write_initial(*variable, program_.globals[index].initial);
    for (const auto& [variable, address] : constants_)
      write_initial(*variable, std::span(program_.constants).subspan(address, bytes_of(*variable)));
    return std::move(addresses_);
  }

 private:
  [[noreturn]] void fail(const ptx::Variable& variable, const std::string& sentence) const {
    throw InputError(sentence, {program_.name, variable.ptx_line, 0});
  }
  std::uint64_t bytes_of(const ptx::Variable& variable) const {
    return emulated::bytes_of(variable, program_.name);
  }
  std::uint32_t alignment_of(const ptx::Variable& variable) const {
    return std::max(variable.alignment, type_bytes(variable, program_.name) * variable.vector);
  }

  // Shared variables inside an entry are private to it: those of different entries may share addresses.
  void place_entries() {
    const Shared common = shared_;
    Shared furthest = common;
    for (const ptx::Function& function : module_.functions) {
      if (!function.body || !function.is_entry) continue;
      shared_ = common;
      entry_ = function.name;
      place_scope(*function.body);
      furthest = {std::max(furthest.packed, shared_.packed), std::max(furthest.next_slot, shared_.next_slot)};
    }
    shared_ = furthest;
    entry_.clear();
    place_dynamic();
  }

  void place_scope(const ptx::Scope& scope) {
    ptx::for_each_item(scope, [&](const ptx::Variable& variable) {
      if (variable.space == ptx::Space::shared || variable.space == ptx::Space::constant ||
          variable.space == ptx::Space::global)
        place(variable, addresses_.functions[&variable]);
    });
  }

  /// A variable that holds the address of an external one leads to its contents; and so on.
  void mark_addresses_of_externals() {
    const auto names_external = [&](const ptx::Variable::Value& value) {
      const auto* name = std::get_if<ptx::Name>(&value.value);
      const auto found = name == nullptr ? addresses_.module.end() : addresses_.module.find(name->text);
      return found != addresses_.module.end() && found->second.is_external;
    };
    for (bool is_done = false; !is_done;) {
      is_done = true;
      for (const ptx::Variable& variable : module_.variables) {
        StaticAddress& at = addresses_.module[variable.name];
        if (at.is_external || std::ranges::none_of(variable.initial, names_external)) continue;
        at.is_external = true;
        is_done = false;
      }
    }
  }

  void place(const ptx::Variable& variable, StaticAddress& at) {
    const std::uint64_t bytes = bytes_of(variable);
    const bool global = variable.space == ptx::Space::global;
    if (variable.space == ptx::Space::shared) return place_shared(variable, at, bytes);
    if (!global && variable.space != ptx::Space::constant) return;
    static_bytes_ += bytes;
    if (static_bytes_ > most_static_bytes)
      fail(variable,
           fmt::format(
               "the global and constant variables of the module need more than {} MiB: {} does not fit",
               most_static_bytes >> 20, variable.name));
    if (global) {
      at = {ptx::Space::global, allocate_(bytes), variable.is_extern};
      globals_.emplace_back(&variable, program_.globals.size());
      program_.globals.push_back({variable.name, at.address, std::vector<std::byte>(bytes)});
    } else {
      constexpr std::size_t gap = 256;  // so that an index past a variable does not reach the next one
      const std::size_t end = program_.constants.empty() ? 0 : program_.constants.size() + gap;
      at = {ptx::Space::constant, align(end, alignment_of(variable)), variable.is_extern};
      constants_.emplace_back(&variable, at.address);
      program_.constant_variables.push_back({variable.name, at.address, bytes});
      program_.constants.resize(at.address + bytes);
    }
  }

  void place_shared(const ptx::Variable& variable, StaticAddress& at, std::uint64_t bytes) {
    const bool dynamic = bytes == 0 && (variable.is_extern || !variable.extents.empty());
    if (dynamic) {
      // All dynamic arrays of a kernel are aliases: they share the address set by place_dynamic.
      dynamic_.push_back(&at);
      dynamic_alignment_ = std::max(dynamic_alignment_, alignment_of(variable));
      return;
    }
    shared_.packed = align(shared_.packed, alignment_of(variable));
    const std::uint32_t address = shared_.next_slot * shared_slot + shared_lead + shared_.packed % 128;
    if (bytes > shared_window / 2 || address + bytes > shared_window)
      fail(variable, fmt::format("the shared variables of the module need more than {} MiB: {} does not fit",
                                 shared_window >> 20, variable.name));
    const auto size = static_cast<std::uint32_t>(bytes);
    shared_.packed += size;
    shared_.next_slot = (address + size + shared_lead) / shared_slot + 1;
    program_.shared.push_back(
        {demangled_variable(variable.name), entry_, address, size, shared_.packed, false});
    at = {ptx::Space::shared, address};
  }

  void place_dynamic() {
    const std::uint32_t packed = align(shared_.packed, std::max(dynamic_alignment_, 16u));
    const std::uint32_t address = shared_.next_slot * shared_slot + shared_lead + packed % 128;
    program_.shared.push_back({"the dynamic shared array", "", address, 0, 0, true});
    for (StaticAddress* at : dynamic_) *at = {ptx::Space::shared, address};
  }

  // Elements are stored consecutively, regardless of the nesting of braces; omitted ones stay zero.
  void write_initial(const ptx::Variable& variable, std::span<std::byte> bytes) {
    const unsigned width = type_bytes(variable, program_.name);
    for (std::size_t i = 0; i < variable.initial.size(); ++i) {
      const std::uint64_t bits = initial_bits(variable, variable.initial[i]);
      if ((i + 1) * width > bytes.size())
        fail(variable, fmt::format("{} has more initial values than elements", variable.name));
      std::memcpy(bytes.data() + i * width, &bits, std::min<std::size_t>(width, sizeof bits));
    }
  }

  std::uint64_t initial_bits(const ptx::Variable& variable, const ptx::Variable::Value& value) {
    if (const auto* literal = std::get_if<ptx::Literal>(&value.value)) return convert(variable, *literal);
    const std::string& target = std::get<ptx::Name>(value.value).text;
    std::uint64_t address = 0;
    if (const auto function = functions_.find(target); function != functions_.end())
      address = function_window + function->second * function_stride;
    else if (const auto found = addresses_.module.find(target); found != addresses_.module.end())
      address = value.generic ? generic(found->second) : found->second.address;
    else
      fail(variable, fmt::format("the initial value of {} names {}, which the module does not declare",
                                 variable.name, target));
    address += static_cast<std::uint64_t>(value.offset);
    if (value.mask == ~0ull || value.mask == 0) return address;
    return (address & value.mask) >> std::countr_zero(value.mask);
  }

  static std::uint64_t convert(const ptx::Variable& variable, const ptx::Literal& literal) {
    if (literal.form != ptx::Literal::Form::f64 || variable.type != "f32") return literal.bits;
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(literal.bits)));
  }

  static std::uint64_t generic(const StaticAddress& at) {
    switch (at.space) {
      case ptx::Space::shared: return isa::shared_window + at.address;
      case ptx::Space::constant: return isa::constant_window + at.address;
      default: return at.address;
    }
  }

  template <class T>
  static T align(T value, std::uint32_t to) {
    return to == 0 ? value : (value + to - 1) / to * to;
  }

  const ptx::Module& module_;
  Program& program_;
  const FunctionIndices& functions_;
  const std::function<std::uint64_t(std::uint64_t)>& allocate_;
  StaticAddresses addresses_;
  std::vector<std::pair<const ptx::Variable*, std::size_t>> globals_;
  std::vector<std::pair<const ptx::Variable*, std::uint64_t>> constants_;
  std::vector<StaticAddress*> dynamic_;
  std::uint32_t dynamic_alignment_ = 1;
  std::uint64_t static_bytes_ = 0;
  struct Shared {
    std::uint32_t packed = 0;  // bytes so far in the packed layout
    std::uint32_t next_slot = 0;
  };
  Shared shared_;
  std::string entry_;  // the entry whose variables are being placed; empty: module scope
};

}  // namespace

std::uint64_t bytes_of(const ptx::Variable& variable, const std::string& module_name) {
  type_bytes(variable, module_name);  // rejects an unknown type
  const std::uint64_t bytes = ptx::bytes_of(variable);
  if (bytes > largest_variable)
    throw InputError(fmt::format("variable {} is larger than 4 GiB", variable.name),
                     {module_name, variable.ptx_line, 0});
  return bytes;
}

StaticAddresses lay_out(const ptx::Module& module, Program& program, const FunctionIndices& functions,
                        const std::function<std::uint64_t(std::uint64_t bytes)>& allocate) {
  return Layout(module, program, functions, allocate).run();
}

}  // namespace foldproof::emulated
