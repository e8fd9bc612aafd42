#include "devices/emulated/program/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
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

std::uint32_t alignment_of(const ptx::Variable& variable, const std::string& module_name) {
  const std::uint32_t natural = type_bytes(variable, module_name) * variable.vector;
  return std::max(variable.alignment, natural);
}

class Layout {
 public:
  Layout(const ptx::Module& module, Program& program,
         const std::map<std::string, std::uint32_t, std::less<>>& functions,
         const std::function<std::uint64_t(std::uint64_t)>& allocate)
      : module_(module), program_(program), functions_(functions), allocate_(allocate) {}

  StaticAddresses run() {
    for (const ptx::Variable& variable : module_.variables) place(variable, addresses_.module[variable.name]);
    for (const ptx::Function& function : module_.functions)
      if (function.body && !function.is_entry) place_scope(*function.body);
    place_entries();
    for (const auto& [variable, index] : globals_) write_initial(*variable, program_.globals[index].initial);
    for (const auto& [variable, address] : constants_) fill_constant(*variable, address);
    return std::move(addresses_);
  }

 private:
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
    for (const ptx::Item& item : scope.items) {
      if (const auto* variable = std::get_if<ptx::Variable>(&item)) {
        if (variable->space == ptx::Space::shared || variable->space == ptx::Space::constant ||
            variable->space == ptx::Space::global)
          place(*variable, addresses_.functions[variable]);
      } else if (const auto* inner = std::get_if<std::unique_ptr<ptx::Scope>>(&item)) {
        place_scope(**inner);
      }
    }
  }

  void place(const ptx::Variable& variable, StaticAddress& at) {
    const std::uint64_t bytes = emulated::bytes_of(variable, program_.name);
    switch (variable.space) {
      case ptx::Space::shared: place_shared(variable, at, bytes); break;
      case ptx::Space::constant: place_constant(variable, at, bytes); break;
      case ptx::Space::global: place_global(variable, at, bytes); break;
      default: break;
    }
  }

  void place_shared(const ptx::Variable& variable, StaticAddress& at, std::uint64_t bytes) {
    const bool dynamic = bytes == 0 && (variable.is_extern || !variable.extents.empty());
    if (dynamic) {
      // All dynamic arrays of a kernel are aliases: they share the address set by place_dynamic.
      dynamic_.push_back(&at);
      dynamic_alignment_ = std::max(dynamic_alignment_, alignment_of(variable, program_.name));
      return;
    }
    shared_.packed = align(shared_.packed, alignment_of(variable, program_.name));
    const std::uint32_t address = shared_.next_slot * shared_slot + shared_lead + shared_.packed % 128;
    if (bytes > shared_window / 2 || address + bytes > shared_window)
      throw InputError(
          fmt::format("the shared variables of the module need more than {} MiB: {} does not fit",
                      shared_window >> 20, variable.name),
          {program_.name, variable.ptx_line, 0});
    const auto size = static_cast<std::uint32_t>(bytes);
    shared_.packed += size;
    shared_.next_slot = (address + size + shared_lead) / shared_slot + 1;
    program_.shared.push_back({demangled(variable.name), entry_, address, size, shared_.packed, false});
    at = {ptx::Space::shared, address};
  }

  void place_dynamic() {
    const std::uint32_t packed = align(shared_.packed, std::max(dynamic_alignment_, 16u));
    const std::uint32_t address = shared_.next_slot * shared_slot + shared_lead + packed % 128;
    program_.shared.push_back({"the dynamic shared array", "", address, 0, 0, true});
    for (StaticAddress* at : dynamic_) *at = {ptx::Space::shared, address};
  }

  void count(const ptx::Variable& variable, std::uint64_t bytes) {
    static_bytes_ += bytes;
    if (static_bytes_ > most_static_bytes)
      throw InputError(
          fmt::format(
              "the global and constant variables of the module need more than {} MiB: {} does not fit",
              most_static_bytes >> 20, variable.name),
          {program_.name, variable.ptx_line, 0});
  }

  void place_constant(const ptx::Variable& variable, StaticAddress& at, std::uint64_t bytes) {
    count(variable, bytes);
    const std::uint64_t address = align(program_.constants.size(), alignment_of(variable, program_.name));
    program_.constants.resize(address + bytes);
    at = {ptx::Space::constant, address};
    constants_.emplace_back(&variable, address);
  }

  void place_global(const ptx::Variable& variable, StaticAddress& at, std::uint64_t bytes) {
    count(variable, bytes);
    const std::uint64_t address = allocate_(bytes);
    at = {ptx::Space::global, address};
    program_.globals.push_back({variable.name, address, std::vector<std::byte>(bytes)});
    globals_.emplace_back(&variable, program_.globals.size() - 1);
  }

  void fill_constant(const ptx::Variable& variable, std::uint64_t address) {
    std::vector<std::byte> bytes(emulated::bytes_of(variable, program_.name));
    write_initial(variable, bytes);
    std::copy(bytes.begin(), bytes.end(), program_.constants.begin() + static_cast<std::ptrdiff_t>(address));
  }

  // Elements are stored consecutively, regardless of the nesting of braces; omitted ones stay zero.
  void write_initial(const ptx::Variable& variable, std::vector<std::byte>& bytes) {
    const unsigned width = type_bytes(variable, program_.name);
    for (std::size_t i = 0; i < variable.initial.size(); ++i) {
      const std::uint64_t bits = initial_bits(variable, variable.initial[i]);
      if ((i + 1) * width > bytes.size())
        throw InputError(fmt::format("{} has more initial values than elements", variable.name),
                         {program_.name, variable.ptx_line, 0});
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
      throw InputError(fmt::format("the initial value of {} names {}, which the module does not declare",
                                   variable.name, target),
                       {program_.name, variable.ptx_line, 0});
    address += static_cast<std::uint64_t>(value.offset);
    if (value.mask == ~0ull || value.mask == 0) return address;
    unsigned shift = 0;
    while ((value.mask >> shift & 1) == 0) ++shift;
    return (address & value.mask) >> shift;
  }

  static std::uint64_t convert(const ptx::Variable& variable, const ptx::Literal& literal) {
    if (literal.form != ptx::Literal::Form::f64 || variable.type != "f32") return literal.bits;
    double wide = 0;
    std::memcpy(&wide, &literal.bits, sizeof wide);
    const auto narrow = static_cast<float>(wide);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &narrow, sizeof bits);
    return bits;
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
  const std::map<std::string, std::uint32_t, std::less<>>& functions_;
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

StaticAddresses lay_out(const ptx::Module& module, Program& program,
                        const std::map<std::string, std::uint32_t, std::less<>>& functions,
                        const std::function<std::uint64_t(std::uint64_t bytes)>& allocate) {
  return Layout(module, program, functions, allocate).run();
}

}  // namespace foldproof::emulated
