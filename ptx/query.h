// Queries on a syntax tree. Results point into the module, which must outlive them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/error.h"
#include "ptx/ast.h"
#include "ptx/source.h"

namespace foldproof::ptx {

using Functions = std::vector<const Function*>;

/// The function of that name; null if the module has none.
const Function* find(const Module& module, std::string_view name);

/// Every .entry, declared or defined, in the order of the text.
Functions entries(const Module& module);

/// The named functions and everything they call directly by name, transitively, if defined in the module, in
/// the order of the text.
Functions reachable(const Module& module, std::span<const std::string> roots);

/// Calls `visit` for each item of a scope and its inner scopes, in the order of the text, for every kind of
/// item that `visit` accepts.
template <class Visit>
void for_each_item(const Scope& scope, Visit&& visit) {
  for (const Item& item : scope.items)
    std::visit(
        [&](const auto& kind) {
          if constexpr (std::is_same_v<decltype(kind), const std::unique_ptr<Scope>&>)
            for_each_item(*kind, visit);
          else if constexpr (std::is_invocable_v<Visit&, decltype(kind)>)
            visit(kind);
        },
        item);
}

/// The same for a function's body, if any.
template <class Visit>
void for_each_item(const Function& function, Visit&& visit) {
  if (function.body) for_each_item(*function.body, visit);
}

/// Whether the function does nothing but return.
bool is_empty(const Function& function);

/// The parts of an instruction name: "atom.global.add.f32" performs `add` in global memory on f32.
class Opcode {
 public:
  explicit Opcode(const Statement& statement) : name_(statement.opcode), suffixes_(statement.suffixes) {}

  std::string_view name() const { return name_; }
  bool is(std::string_view name) const { return name_ == name; }
  bool has(std::string_view suffix) const;
  /// The operation: for atom and red, the suffix that names it, otherwise the instruction's name.
  std::string_view operation() const;
  /// The last suffix: the type of the value computed, loaded or stored.
  std::string_view type() const { return suffixes_.empty() ? std::string_view{} : suffixes_.back(); }
  /// The first state space named; `none` if there is none, as for generic addresses.
  Space space() const;
  /// Whether one of the suffixes names the space.
  bool names(Space space) const;
  /// Elements of .v2, .v4 and .v8; otherwise 1.
  std::uint32_t vector() const;

 private:
  std::string_view name_;
  std::span<const std::string> suffixes_;
};

/// The location of an entry's parameter in the parameter buffer: each is aligned to its own alignment.
struct Parameter {
  std::uint32_t offset = 0, bytes = 0;
};
using ParameterLayout = std::vector<Parameter>;
ParameterLayout parameters(const Function& entry);

/// Launch constraints, in threads (or blocks) along x, y and z; zeros if the entry does not specify them.
struct LaunchBounds {
  using Extents = std::array<std::uint32_t, 3>;
  Extents most_threads{};      ///< .maxntid
  Extents required_threads{};  ///< .reqntid
  Extents required_cluster{};  ///< .reqnctapercluster
};
LaunchBounds bounds(const Function& entry);

struct SharedVariable {
  const Variable* variable = nullptr;
  bool is_common = false;   ///< declared at module scope
  bool is_dynamic = false;  ///< an array whose size is set at launch
};

/// The shared variables that a function declares, then those at module scope that it names.
std::vector<SharedVariable> shared(const Module& module, const Function& function);

/// Whether an instruction of the function names the variable or parameter.
bool uses(const Function& function, std::string_view name);

/// Whether the function names a special register: "%ctaid" with any component, "%envreg" with any number.
bool reads_special(const Function& function, std::string_view name);

/// Whether a statement loads from memory that outlives the block (every `ld` except those of .shared, .param
/// and .local), or copies from global to shared memory.
bool loads_global(const Statement& statement);

/// The statements of a function in the order of the text, and its loops: the first and the last statement
/// between a label and a later branch back to it, by index.
struct Loops {
  std::vector<const Statement*> statements;
  std::vector<std::pair<std::size_t, std::size_t>> loops;
};
Loops loops_of(const Function& function);

/// The statements in any loop.
std::set<const Statement*> statements_in_loops(const Function& function);

/// The statements that write each register. An instruction's first operand counts as written even if it is
/// only read.
class Definitions {
 public:
  explicit Definitions(const Function& function);

  /// The integer that a register holds wherever it is read: its only definition is one unguarded `mov`.
  std::optional<std::uint64_t> constant(std::string_view name) const;
  /// The statements that write it, in order; null for a call.
  std::span<const Statement* const> of(std::string_view name) const;

 private:
  void add(const Operand& written, const Statement* by);

  std::map<std::string_view, std::vector<const Statement*>> writers_;
};

/// Position in the user's source: the innermost frame of `loc` outside the toolkit's headers, or the
/// innermost frame if all are inside them; std::nullopt without `.loc`. `locs` and `files` are those of a
/// Module.
std::optional<Position> position(const std::vector<Loc>& locs,
                                 const std::map<std::uint32_t, std::string>& files, std::uint32_t loc);

/// The same; falls back to the line of the PTX text if there is no `.loc`.
Position position(const Source& source, Location at);

/// Throws InputError for the first directive unknown to the parser. `name` identifies the text.
void refuse_unknown(const Module& module, const std::string& name);

}  // namespace foldproof::ptx
