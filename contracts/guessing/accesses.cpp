#include "contracts/guessing/accesses.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "ptx/query.h"

namespace foldproof {
namespace {

using ptx::Opcode;
using ptx::Operand;

/// A set of parameters; those after the 63rd are ignored. The last bit stands for all variables.
using Parameters = std::uint64_t;
constexpr std::size_t most_parameters = 63;
constexpr Parameters a_variable = Parameters{1} << most_parameters;

class Flow {
 public:
  explicit Flow(const ptx::Function& entry)
      : entry_(entry), in_loops_(ptx::statements_in_loops(entry)), accesses_(entry.parameters.size()) {
    while (advance()) {
    }
    ptx::for_each_item(entry_, [&](const ptx::Statement& statement) { record(statement); });
    ptx::for_each_item(entry_, [&](const ptx::Statement& statement) { record_use(statement); });
    ptx::for_each_item(entry_, [&](const ptx::CallStatement& call) {
      for (const Operand& argument : call.arguments) mark(value_of(argument), &Accesses::is_unknown);
    });
    // It may be that of any parameter.
    if (has_unknown_address_)
      for (Accesses& accesses : accesses_) accesses.is_unknown = true;
  }

  std::vector<Accesses> accesses() && { return std::move(accesses_); }

 private:
  /// Passes the parameters on along all statements once. Returns whether any register gained one.
  bool advance() {
    bool has_changed = false;
    ptx::for_each_item(entry_, [&](const ptx::Statement& statement) {
      if (statement.operands.empty()) return;
      const auto* written = std::get_if<ptx::Name>(&statement.operands.front().value);
      if (written == nullptr) return;
      Parameters& held = registers_[written->text];
      const Parameters before = held;
      held |= passed_on(statement);
      has_changed |= held != before;
    });
    return has_changed;
  }

  /// What the first operand of the statement receives.
  Parameters passed_on(const ptx::Statement& statement) const {
    const Opcode code(statement);
    if (code.is("ld") && code.names(ptx::Space::param)) return parameter_at(statement.operands.back());
    // Those with which addresses are computed. An index is an integer times a size, which none of them
    // yields.
    constexpr std::string_view computing[] = {"mov", "cvta", "add", "sub", "selp"};
    if (std::ranges::find(computing, code.name()) == std::end(computing) || !code.type().ends_with("64"))
      return 0;
    Parameters all = 0;
    for (std::size_t i = 1; i < statement.operands.size(); ++i) all |= value_of(statement.operands[i]);
    return all;
  }

  Parameters parameter_at(const Operand& operand) const {
    const auto* address = std::get_if<ptx::AddressOf>(&operand.value);
    if (address == nullptr || !address->base) return 0;
    const auto found = std::ranges::find(entry_.parameters, address->base->text, &ptx::Variable::name);
    const auto index = static_cast<std::size_t>(found - entry_.parameters.begin());
    return found == entry_.parameters.end() || index >= most_parameters ? 0 : Parameters{1} << index;
  }

  Parameters held_by(const std::string& name) const {
    const auto found = registers_.find(name);
    return found == registers_.end() ? 0 : found->second;
  }

  Parameters value_of(const Operand& operand) const {
    const auto* name = std::get_if<ptx::Name>(&operand.value);
    if (name == nullptr) return 0;
    return name->text.starts_with('%') ? held_by(name->text) : a_variable;
  }

  /// The parameters on which the address in brackets depends; 0 for another operand.
  Parameters address_in(const Operand& operand, const Opcode& code) {
    const auto* address = std::get_if<ptx::AddressOf>(&operand.value);
    if (address == nullptr || !address->base) return 0;
    const Parameters held = held_by(address->base->text);
    const bool is_local = code.names(ptx::Space::shared) || code.names(ptx::Space::local) ||
                          code.names(ptx::Space::param) || code.names(ptx::Space::constant);
    if (held == 0 && !is_local && address->base->text.starts_with('%')) has_unknown_address_ = true;
    return held;
  }

  void mark(Parameters parameters, bool Accesses::*use) {
    for (std::size_t i = 0; i < accesses_.size() && i < most_parameters; ++i)
      if ((parameters >> i & 1) != 0) accesses_[i].*use = true;
  }

  void mark_read(const ptx::Statement& statement, Parameters parameters) {
    mark(parameters, &Accesses::is_read);
    if (in_loops_.contains(&statement)) mark(parameters, &Accesses::is_read_in_loop);
  }

  void record(const ptx::Statement& statement) {
    const Opcode code(statement);
    if (statement.operands.empty()) return;
    if (code.is("ld")) return mark_read(statement, address_in(statement.operands.back(), code));
    if (code.is("st")) {
      mark(address_in(statement.operands.front(), code), &Accesses::is_written);
      return mark(value_of(statement.operands.back()), &Accesses::is_unknown);
    }
    if (code.is("atom") || code.is("red")) {
      for (const Operand& operand : statement.operands) {
        const Parameters accumulated = address_in(operand, code);
        mark(accumulated, &Accesses::is_accumulated);
        const auto* returned = std::get_if<ptx::Name>(&statement.operands.front().value);
        // A loop of compare-and-swap accumulates.
        if (code.is("atom") && !code.has("cas") && returned != nullptr)
          returned_[returned->text] |= accumulated;
      }
      return;
    }
    if (!code.is("cp")) return;
    // Asynchronous copies: the destination comes first.
    mark(address_in(statement.operands.front(), code), &Accesses::is_written);
    for (std::size_t i = 1; i < statement.operands.size(); ++i)
      mark_read(statement, address_in(statement.operands[i], code));
  }

  /// Of what atomics returned.
  void record_use(const ptx::Statement& statement) {
    for (std::size_t i = Opcode(statement).is("st") || Opcode(statement).is("red") ? 0 : 1;
         i < statement.operands.size(); ++i)
      if (const auto* name = std::get_if<ptx::Name>(&statement.operands[i].value))
        if (const auto found = returned_.find(name->text); found != returned_.end())
          mark(found->second, &Accesses::is_awaited);
  }

  const ptx::Function& entry_;
  std::set<const ptx::Statement*> in_loops_;
  std::map<std::string, Parameters> registers_;
  std::map<std::string, Parameters> returned_;  ///< by register: the parameters whose old values it holds
  std::vector<Accesses> accesses_;
  bool has_unknown_address_ = false;
};

}  // namespace

std::vector<Accesses> accesses_of(const ptx::Module& module, const std::string& lowered) {
  const ptx::Function* entry = ptx::find(module, lowered);
  return entry == nullptr ? std::vector<Accesses>{} : Flow(*entry).accesses();
}

}  // namespace foldproof
