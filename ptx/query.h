// Questions to a syntax tree. What they return points into the module, which must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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

/// The function of that name; null where the module has none.
const Function* find(const Module& module, std::string_view name);

/// Every .entry, declared or defined, in the order of the text.
Functions entries(const Module& module);

/// The functions with these names and all that they call by name, as far as the module defines them, in the
/// order of the text.
Functions reachable(const Module& module, std::span<const std::string> roots);

/// Calls `visit` with what a scope and the scopes inside it hold, in the order of the text: with every kind
/// of item that `visit` can be called with.
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

/// The same for a function's body, if it has one.
template <class Visit>
void for_each_item(const Function& function, Visit&& visit) {
  if (function.body) for_each_item(*function.body, visit);
}

/// Calls `visit` with every statement of a function, through inner scopes, in the order of the text.
template <class Visit>
void for_each_statement(const Function& function, Visit&& visit) {
  for_each_item(function, [&](const Statement& statement) { visit(statement); });
}

/// The words of an instruction: "atom.global.add.f32" does `add` in global memory on f32.
class Opcode {
 public:
  explicit Opcode(const Statement& statement) : name_(statement.opcode), suffixes_(statement.suffixes) {}

  std::string_view name() const { return name_; }
  bool is(std::string_view name) const { return name_ == name; }
  bool has(std::string_view suffix) const;
  /// What is done: the suffix that says so of an atomic operation, else the instruction's name.
  std::string_view operation() const;
  /// The last suffix, which is the type of what is computed, loaded or stored.
  std::string_view type() const { return suffixes_.empty() ? std::string_view{} : suffixes_.back(); }
  /// The first state space that is named; `none` where none is, as for generic addresses.
  Space space() const;
  /// Whether one of the suffixes names the space.
  bool names(Space space) const;
  /// Elements of .v2, .v4 and .v8; 1 without.
  std::uint32_t vector() const;

 private:
  std::string_view name_;
  std::span<const std::string> suffixes_;
};

inline Opcode opcode(const Statement& statement) { return Opcode(statement); }

/// Where a launch puts the parameters of an entry: each at a multiple of its alignment.
struct Parameter {
  std::uint32_t offset = 0, bytes = 0;
};
using ParameterLayout = std::vector<Parameter>;
ParameterLayout parameters(const Function& entry);

/// What a launch must fit, in threads (or blocks) along x, y and z; zeros where the entry does not say.
struct LaunchBounds {
  using Extents = std::array<std::uint32_t, 3>;
  Extents most_threads{};      ///< .maxntid
  Extents required_threads{};  ///< .reqntid
  Extents required_cluster{};  ///< .reqnctapercluster
};
LaunchBounds bounds(const Function& entry);

struct SharedVariable {
  const Variable* variable = nullptr;
  bool is_common = false;   ///< of module scope
  bool is_dynamic = false;  ///< an array whose size a launch gives
};

/// The shared variables that a function declares, then those of module scope that it names.
std::vector<SharedVariable> shared(const Module& module, const Function& function);

/// Whether a special register is named: "%ctaid" with any component, "%envreg" of any number.
bool reads_special(const Function& function, std::string_view name);

/// Whether a statement loads from memory that outlives the block (every `ld` but those of .shared, .param and
/// .local), or copies from global into shared memory.
bool loads_global(const Statement& statement);

/// Whether a statement that loads_global lies between a label and a later branch back to it.
bool loads_in_loop(const Function& function);

/// Who writes a register. An instruction's first operand counts as written, also where it is only read.
class Definitions {
 public:
  explicit Definitions(const Function& function);

  /// The integer that a register holds wherever it is read: one unguarded `mov` is all that writes it.
  std::optional<std::uint64_t> constant(std::string_view name) const;
  /// The statements that write it, in order; null for a call.
  std::span<const Statement* const> of(std::string_view name) const;

 private:
  void add(const Operand& written, const Statement* by);

  std::map<std::string_view, std::vector<const Statement*>> writers_;
};

inline Definitions definitions(const Function& function) { return Definitions(function); }

/// Where the user wrote it: the innermost frame of `loc` outside the toolkit's headers; the innermost of all
/// where there is no other; nothing where there is no `.loc`. `locs` and `files` are those of a Module.
std::optional<Position> position(const std::vector<Loc>& locs,
                                 const std::map<std::uint32_t, std::string>& files, std::uint32_t loc);

/// The same; the line of the PTX text where there is no `.loc`.
Position position(const Source& source, Location at);

/// Throws InputError for the first directive that the parser did not know. `name` is the text's.
void refuse_unknown(const Module& module, const std::string& name);

}  // namespace foldproof::ptx
