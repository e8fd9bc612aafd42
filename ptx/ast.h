// Syntax tree of a PTX module: names are unresolved, and every statement carries its location.
//
// PTX ISA 9.0, sections 4 (syntax), 5 (state spaces, types, variables), 7 (abi) and 11 (directives).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace foldproof::ptx {

/// Bytes of the PTX text, from the first character to just past the last one. Statements and declarations
/// include their semicolon.
struct Extent {
  std::uint32_t begin = 0, end = 0;
};

/// Line of the PTX text, and the line of the CUDA source that `.loc` attributes to the statement.
struct Location {
  std::uint32_t ptx_line = 0;  ///< from 1
  std::uint32_t loc = 0;       ///< index into Module::locs; 0: none
};

/// One `.loc` directive. `inlined_at` is the index of the call site's entry in Module::locs; 0 for none.
struct Loc {
  std::uint32_t file = 0;  ///< index of a `.file` directive
  std::uint32_t line = 0, column = 0;
  std::uint32_t inlined_at = 0;
  std::string function;  ///< mangled name of the inlined function; empty if PTX does not give it
};

enum class Space : std::uint8_t { none, reg, param, shared, local, constant, global, generic };

/// A literal: its 64 bits and the form in which it was written.
struct Literal {
  enum class Form : std::uint8_t { integer, f32, f64 };  ///< 5, 0f3F800000, 0d…/1.5
  Form form = Form::integer;
  std::uint64_t bits = 0;
};

/// A name with an optional component: %r1, %tid.x, table, $L__BB0_2, _ (the bit bucket).
struct Name {
  std::string text;
  std::string component;  ///< "x", "y", "z", "w", "r", …; empty for none
};

struct Operand;

/// [base], [base+4], [base+-4], [4096]; base is a register or a variable.
struct AddressOf {
  std::optional<Name> base;
  std::int64_t offset = 0;
  std::vector<Operand>
      coordinates;  ///< for tex and cp.async.bulk.tensor: what follows the base in [map, {x, y}]
};

/// One operand. `negated` is !%p in operand position.
struct Operand {
  std::variant<Name, Literal, AddressOf, std::vector<Operand>> value;  ///< vector: {a, b, …}
  std::int64_t offset = 0;                                             ///< for `variable+4` outside brackets
  bool negated = false;
  std::optional<Name> paired_predicate;  ///< the p of d|p; stored with d
  Extent extent;
};

/// One instruction: @{!}guard opcode.suffix.suffix operands;
struct Statement {
  Location at;
  Extent extent;
  std::optional<Name> guard;
  bool guard_negated = false;
  std::string opcode;                 ///< "add"; "bar"
  std::vector<std::string> suffixes;  ///< "rn", "ftz", "f32"; "shared::cta"; without the leading dot
  std::vector<Operand> operands;
};

/// `call` has its own statement type because its operands have a different shape.
///   call{.uni} (ret), target, (args), prototype;
struct CallStatement {
  Location at;
  Extent extent;
  std::optional<Name> guard;
  bool guard_negated = false;
  std::vector<Operand> returns, arguments;
  Name target;            ///< function, or register for an indirect call
  std::string prototype;  ///< label of a .callprototype or .calltargets; empty for a direct call
};

struct Label {
  std::string name;
  std::uint32_t ptx_line = 0;
};

/// A variable in any space, or a range of registers declared as %r<5> (expanded: name "%r", count 5).
struct Variable {
  Space space = Space::none;
  std::string name;
  std::string type;                    ///< "b32", "f32", "pred", … without the dot
  std::uint32_t vector = 1;            ///< .v2, .v4
  std::uint32_t alignment = 0;         ///< bytes; 0: the natural alignment of the type
  std::vector<std::uint64_t> extents;  ///< array extents; {0} for an unsized array []; empty: a scalar
  std::optional<std::uint32_t> register_count;  ///< for %r<5>
  /// Initializer: literals, or addresses of variables and functions (with `generic()` or a byte mask).
  struct Value {
    std::variant<Literal, Name> value;
    std::int64_t offset = 0;
    bool generic = false;        ///< generic(name)
    std::uint64_t mask = ~0ull;  ///< 0xFF00(name): selects the byte of the address that is stored
  };
  std::vector<Value> initial;
  bool is_extern = false;
  std::uint32_t ptx_line = 0;
  Extent extent;  ///< of the declaration, which may list further variables; for a parameter, its own
};

struct Scope;

/// The contents of a body, in order.
using Item = std::variant<Statement, CallStatement, Label, Variable, std::unique_ptr<Scope>>;

/// { … }: names declared inside are visible only inside. A function's body is a scope.
struct Scope {
  std::vector<Item> items;
};

/// `label: .callprototype (ret) _ (params);`
struct Prototype {
  std::vector<Variable> returns, parameters;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_extern = false;
  std::vector<Variable> returns, parameters;
  std::unique_ptr<Scope> body;                                     ///< null for a declaration
  std::map<std::string, Prototype> prototypes;                     ///< by label
  std::map<std::string, std::vector<std::string>> branch_targets;  ///< by label, for brx.idx
  std::map<std::string, std::vector<std::string>> call_targets;    ///< by label, for an indirect call
  /// .maxntid, .reqntid, .minnctapersm, .maxnreg, .explicitcluster, .reqnctapercluster, .maxclusterrank, …
  std::map<std::string, std::vector<std::uint32_t>> directives;
  std::uint32_t ptx_line = 0;
  Extent extent;                     ///< of the definition, or of the declaration if there is no definition
  std::vector<Extent> declarations;  ///< declarations without a body, in the order of the text
};

/// `.alias name, function;`
struct Alias {
  std::string function;  ///< the function that the name stands for
  std::uint32_t ptx_line = 0;
};

/// A directive unknown to the parser. Readers for which it matters reject the module (refuse_unknown).
struct UnknownDirective {
  enum class Where : std::uint8_t { module, function_head, function_body };
  Where where = Where::module;
  std::string name;      ///< without the dot
  std::string function;  ///< empty at module scope
  std::uint32_t line = 0, column = 0;
  Extent extent;
};

struct Module {
  std::uint32_t version_major = 0, version_minor = 0;
  std::string target;  ///< "sm_90"
  std::uint32_t address_size = 64;
  std::vector<Variable> variables;             ///< module scope
  std::vector<Function> functions;             ///< in order; a definition replaces its declaration
  std::map<std::string, Alias> aliases;        ///< by name
  std::vector<UnknownDirective> unknown;       ///< in the order of the text
  std::vector<Loc> locs;                       ///< locs[0] is unused
  std::map<std::uint32_t, std::string> files;  ///< .file number → path
};

}  // namespace foldproof::ptx
