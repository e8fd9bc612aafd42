// From syntax to a runnable program: names become offsets, suffixes become forms, labels become indices.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <unordered_map>

#include "devices/emulated/machine/control_flow.h"
#include "devices/emulated/machine/frame_builder.h"
#include "devices/emulated/machine/layout.h"
#include "devices/emulated/machine/program.h"

namespace foldproof::machine {
namespace {

using isa::Form;
using isa::no_operand;
using isa::OperandRule;
using isa::Type;

constexpr std::uint64_t largest_frame = std::uint64_t{1} << 28;
constexpr std::uint64_t largest_depot = 512 << 10;  // bytes a thread, as on hardware

struct SpecialRow {
  std::string_view name;
  SpecialRegister id;
  std::uint8_t bytes;
};

constexpr SpecialRow special_rows[] = {
#define FOLDPROOF_SPECIAL(name, id, bytes) {name, SpecialRegister::id, bytes},
#include "devices/emulated/machine/special_registers.def"
#undef FOLDPROOF_SPECIAL
};

const SpecialRow* special_named(const ptx::Name& name) {
  const std::string text = name.component.empty() ? name.text : name.text + "." + name.component;
  for (const SpecialRow& row : special_rows)
    if (row.name == text) return &row;
  return nullptr;
}

// Special registers of the ISA that the device does not have.
bool is_foreign_special(std::string_view name) {
  constexpr std::string_view beginnings[] = {"%pm", "%envreg", "%reserved_smem_offset_",
                                             "%current_graph_exec"};
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

/// What a name means inside a function.
struct Symbol {
  enum class Kind : std::uint8_t { reg, range, local, slot, entry_parameter, fixed, label };
  Kind kind = Kind::reg;
  unsigned bytes = 0;  // reg: of a column (0: predicate); slot, entry_parameter: of the variable
  std::uint32_t offset =
      0;  // reg, slot: in the frame; local: in the depot; entry_parameter: in the launch's bytes
  std::uint64_t address = 0;  // fixed
  ptx::Space space{};         // fixed
  std::uint32_t count = 0;    // range
  std::uint32_t label = 0;
};

using Names = std::unordered_map<std::string, Symbol>;

struct Context {
  const ptx::Module& module;
  Program& program;
  StaticAddresses addresses;
  std::map<std::string, std::uint32_t, std::less<>> functions;
  std::map<std::string, const Form*, std::less<>> forms;  // by opcode and suffixes, and what else decides
};

/// Thrown inside lowering for an instruction that no row covers; the statement then becomes a stop.
struct NotCovered {
  std::string what;
};

class FunctionLowering {
 public:
  FunctionLowering(Context& context, const ptx::Function& function)
      : context_(context), function_(function) {}

  Code run() {
    code_.name = function_.name;
    code_.is_entry = function_.is_entry;
    code_.ptx_line = function_.ptx_line;
    read_directives();
    scopes_.emplace_back();
    declare_parameters();
    lower_scope(*function_.body);
    emit_end();
    resolve_labels();
    if (frame_.bytes() > largest_frame) fail("the function needs too many registers", function_.ptx_line);
    code_.frame = frame_.take();
    return std::move(code_);
  }

 private:
  // --- Errors ---

  [[noreturn]] void fail(const std::string& sentence, std::uint32_t line) const {
    throw InputError(sentence, {context_.program.name, line, 0});
  }
  [[noreturn]] void fail(const std::string& sentence) const { fail(sentence, at_.ptx_line); }

  // --- Declarations ---

  void read_directives() {
    auto read = [&](const char* name, std::array<std::uint32_t, 3>& to) {
      const auto found = function_.directives.find(name);
      if (found == function_.directives.end()) return;
      to = {1, 1, 1};
      for (std::size_t i = 0; i < std::min<std::size_t>(3, found->second.size()); ++i)
        to[i] = found->second[i];
    };
    read("maxntid", code_.max_threads);
    read("reqntid", code_.required_threads);
    read("reqnctapercluster", code_.required_cluster);
  }

  void declare_parameters() {
    if (function_.is_entry) {
      std::uint32_t offset = 0;
      for (const ptx::Variable& parameter : function_.parameters) {
        const auto bytes = static_cast<std::uint32_t>(bytes_of(parameter, context_.program.name));
        const std::uint32_t alignment = std::max(1u, std::max(parameter.alignment, scalar_bytes(parameter)));
        offset = (offset + alignment - 1) / alignment * alignment;
        declare(parameter.name, {Symbol::Kind::entry_parameter, bytes, offset}, parameter.ptx_line);
        code_.parameter_offsets.push_back(offset);
        code_.parameter_bytes.push_back(bytes);
        offset += bytes;
      }
      return;
    }
    for (const ptx::Variable& parameter : function_.parameters)
      code_.parameters.push_back(incoming(parameter));
    for (const ptx::Variable& result : function_.returns) {
      code_.returns.push_back(new_slot(result));
      refuse_predicate(result);
      if (result.space == ptx::Space::reg)
        returned_registers_.push_back({declare_register(result.name, type_of(result), result.ptx_line),
                                       code_.returns.size() - 1, column_bytes(type_of(result))});
      else
        declare(result.name, {Symbol::Kind::slot, code_.returns.back().bytes, code_.returns.back().offset},
                result.ptx_line);
    }
  }

  // A parameter arrives in a slot; one declared .reg is loaded from there at once.
  Slot incoming(const ptx::Variable& parameter) {
    refuse_predicate(parameter);
    const Slot slot = new_slot(parameter);
    if (parameter.space == ptx::Space::reg) {
      const Type type = type_of(parameter);
      const std::uint32_t row = declare_register(parameter.name, type, parameter.ptx_line);
      emit_slot_access(Action::load, slot, row, column_bytes(type));
    } else {
      declare(parameter.name, {Symbol::Kind::slot, slot.bytes, slot.offset}, parameter.ptx_line);
    }
    return slot;
  }

  void refuse_predicate(const ptx::Variable& parameter) const {
    if (type_of(parameter) == Type::pred)
      fail(fmt::format("parameter {} is a predicate; pass an integer", parameter.name), parameter.ptx_line);
  }

  Slot new_slot(const ptx::Variable& variable) {
    const std::uint64_t bytes = std::max<std::uint64_t>(bytes_of(variable, context_.program.name), 4);
    if (bytes > 4096)
      fail(fmt::format("parameter {} is larger than 4096 bytes", variable.name), variable.ptx_line);
    const auto chunks = static_cast<std::uint32_t>((bytes + 3) / 4);
    const std::uint32_t offset = frame_.allocate(4);
    for (std::uint32_t k = 1; k < chunks; ++k) frame_.allocate(4);
    return {offset, static_cast<std::uint32_t>(bytes)};
  }

  Type type_of(const ptx::Variable& variable) const {
    const auto type = isa::type_named(variable.type);
    if (!type)
      fail(fmt::format("{} has the unknown type .{}", variable.name, variable.type), variable.ptx_line);
    return *type;
  }

  std::uint32_t scalar_bytes(const ptx::Variable& variable) const {
    return isa::bytes_of(type_of(variable)) * variable.vector;
  }

  static unsigned column_bytes(Type type) { return type == Type::pred ? 0 : isa::bytes_of(type); }

  void declare(const std::string& name, const Symbol& symbol, std::uint32_t line) {
    if (!scopes_.back().emplace(name, symbol).second)
      fail(fmt::format("{} is declared twice in the same scope", name), line);
  }

  std::uint32_t declare_register(const std::string& name, Type type, std::uint32_t line) {
    const std::uint32_t row = frame_.allocate(column_bytes(type));
    declare(name, {Symbol::Kind::reg, column_bytes(type), row}, line);
    return row;
  }

  void declare_variable(const ptx::Variable& variable) {
    switch (variable.space) {
      case ptx::Space::reg: declare_registers(variable); break;
      case ptx::Space::local: declare_local(variable); break;
      case ptx::Space::param: {
        const Slot slot = new_slot(variable);
        declare(variable.name, {Symbol::Kind::slot, slot.bytes, slot.offset}, variable.ptx_line);
        break;
      }
      default: {
        const auto found = context_.addresses.find(function_.name + "\n" + variable.name);
        if (found == context_.addresses.end())
          fail(fmt::format("{} cannot be declared inside a function", variable.name), variable.ptx_line);
        Symbol symbol{Symbol::Kind::fixed};
        symbol.address = found->second.address;
        symbol.space = found->second.space;
        declare(variable.name, symbol, variable.ptx_line);
      }
    }
  }

  void declare_registers(const ptx::Variable& variable) {
    const Type type = type_of(variable);
    if (!variable.register_count) {
      if (variable.vector != 1) throw NotCovered{fmt::format("vector register {}", variable.name)};
      declare_register(variable.name, type, variable.ptx_line);
      return;
    }
    const std::uint64_t row_bytes = std::max<std::uint64_t>(column_bytes(type), 1) * isa::warp_size;
    if (frame_.bytes() + row_bytes * *variable.register_count > largest_frame)
      fail(fmt::format("the registers {}<{}> do not fit into {} MiB a warp", variable.name,
                       *variable.register_count, largest_frame >> 20),
           variable.ptx_line);
    // Rows are given out on first use (register_row): nvcc declares more registers than it uses.
    Symbol range{Symbol::Kind::range, column_bytes(type)};
    range.count = *variable.register_count;
    declare(variable.name, range, variable.ptx_line);
  }

  void declare_local(const ptx::Variable& variable) {
    const std::uint64_t bytes = bytes_of(variable, context_.program.name);
    const std::uint32_t alignment = std::max({variable.alignment, scalar_bytes(variable), 1u});
    const std::uint64_t offset = (std::uint64_t{code_.local_bytes} + alignment - 1) / alignment * alignment;
    if (offset + bytes > largest_depot)
      fail(fmt::format("the local variables need more than {} KiB a thread", largest_depot >> 10),
           variable.ptx_line);
    code_.local_bytes = static_cast<std::uint32_t>(offset + bytes);
    declare(variable.name,
            {Symbol::Kind::local, static_cast<unsigned>(bytes), static_cast<std::uint32_t>(offset)},
            variable.ptx_line);
  }

  // --- Scopes and labels ---

  void lower_scope(const ptx::Scope& scope) {
    scopes_.emplace_back();
    for (const ptx::Item& item : scope.items)
      if (const auto* label = std::get_if<ptx::Label>(&item)) {
        Symbol symbol{Symbol::Kind::label};
        symbol.label = static_cast<std::uint32_t>(label_places_.size());
        label_places_.push_back(no_operand);
        declare(label->name, symbol, label->ptx_line);
      }
    for (const ptx::Item& item : scope.items) std::visit([&](const auto& it) { lower_item(it); }, item);
    scopes_.pop_back();
  }

  void lower_item(const std::unique_ptr<ptx::Scope>& scope) { lower_scope(*scope); }
  void lower_item(const ptx::Variable& variable) {
    at_ = {variable.ptx_line, 0};
    declare_variable(variable);
  }
  void lower_item(const ptx::Label& label) {
    label_places_[scopes_.back().at(label.name).label] =
        static_cast<std::uint32_t>(code_.instructions.size());
  }
  void lower_item(const ptx::Statement& statement) {
    at_ = statement.at;
    try {
      lower_statement(statement);
    } catch (const NotCovered& gap) {
      emit_stop(statement, gap.what);
    }
  }
  void lower_item(const ptx::CallStatement& call) {
    at_ = call.at;
    try {
      lower_call(call);
    } catch (const NotCovered& gap) {
      emit_stop(call, gap.what);
    }
  }

  const Symbol* find(const std::string& name) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = scope->find(name); found != scope->end()) return &found->second;
      if (const Symbol* found = find_in_ranges(*scope, name)) return found;
    }
    if (const auto found = context_.addresses.find(name); found != context_.addresses.end()) {
      Symbol symbol{Symbol::Kind::fixed};
      symbol.address = found->second.address;
      symbol.space = found->second.space;
      return &scopes_.front().emplace(name, symbol).first->second;
    }
    return nullptr;
  }

  // %r17 belongs to the range %r<20>; its row is made when it is first seen.
  Symbol* find_in_ranges(Names& names, const std::string& name) {
    // %x12 may also be number 2 of %x1<20>.
    for (std::size_t digits = name.size();
         digits > 1 && name[digits - 1] >= '0' && name[digits - 1] <= '9';) {
      --digits;
      if (name.size() - digits > 9) return nullptr;
      const auto range = names.find(name.substr(0, digits));
      if (range == names.end() || range->second.kind != Symbol::Kind::range) continue;
      const auto index = static_cast<std::uint32_t>(std::stoul(name.substr(digits)));
      if (index >= range->second.count) continue;
      const unsigned bytes = range->second.bytes;
      return &names.emplace(name, Symbol{Symbol::Kind::reg, bytes, frame_.allocate(bytes)}).first->second;
    }
    return nullptr;
  }

  std::uint32_t label_of(const ptx::Operand& operand) {
    const auto* name = std::get_if<ptx::Name>(&operand.value);
    if (!name) fail("a branch needs a label");
    return label_of(name->text);
  }

  std::uint32_t label_of(const std::string& name) {
    const Symbol* symbol = find(name);
    if (!symbol || symbol->kind != Symbol::Kind::label) fail(fmt::format("there is no label {} here", name));
    return symbol->label;
  }

  void resolve_labels() {
    std::vector<std::vector<std::uint32_t>*> indexed;
    auto place = [&](std::uint32_t label) { return label_places_[label]; };
    for (Instruction& i : code_.instructions) {
      if (i.action == Action::branch) i.target = place(i.target);
      if (i.action != Action::branch_indexed) continue;
      auto& targets = context_.program.details[i.detail].targets;
      for (std::uint32_t& target : targets) target = place(target);
      indexed.push_back(&targets);
    }
    insert_joins(code_.instructions, indexed);
  }

  // --- Operands ---

  const Symbol& register_named(const ptx::Name& name) {
    const Symbol* symbol = find(name.text);
    if (!symbol) fail(fmt::format("{} is not declared", name.text));
    if (symbol->kind != Symbol::Kind::reg) fail(fmt::format("{} is no register", name.text));
    return *symbol;
  }

  template <class Guarded>
  void set_guard(const Guarded& statement, Instruction& i) {
    if (!statement.guard) return;
    i.guard = guard_row(*statement.guard);
    i.guard_negated = statement.guard_negated;
  }

  std::uint32_t guard_row(const ptx::Name& name) {
    const Symbol& symbol = register_named(name);
    if (symbol.bytes != 0) fail(fmt::format("the guard {} is no predicate", name.text));
    return symbol.offset;
  }

  // The row of a register that an instruction writes; `_` gives a row that nobody reads.
  std::uint32_t destination(const ptx::Operand& operand, Type type, bool relaxed) {
    const auto* name = std::get_if<ptx::Name>(&operand.value);
    if (!name) fail("a destination must be a register");
    if (name->text == "_") return frame_.allocate(column_bytes(type));
    const Symbol& symbol = register_named(*name);
    check_width(symbol, type, relaxed, name->text);
    return symbol.offset;
  }

  void check_width(const Symbol& symbol, Type type, bool relaxed, const std::string& name) const {
    const unsigned wanted = column_bytes(type);
    if (symbol.bytes == wanted || (relaxed && wanted != 0 && symbol.bytes > wanted)) return;
    fail(fmt::format("register {} has {} bits, but .{} needs {}", name,
                     symbol.bytes == 0 ? 1 : symbol.bytes * 8, isa::name(type), isa::bits_of(type)));
  }

  // The row of a value that an instruction reads: a register, an immediate, a special register or an address.
  std::uint32_t source(const ptx::Operand& operand, Type type, bool relaxed) {
    if (const auto* literal = std::get_if<ptx::Literal>(&operand.value))
      return frame_.constant(literal_bits(*literal, type), column_bytes(type));
    const auto* name = std::get_if<ptx::Name>(&operand.value);
    if (!name) fail("a register or an immediate was expected here");
    if (const SpecialRow* special = special_named(*name)) return read_special(*special, type);
    if (name->text == "WARP_SZ") return frame_.constant(isa::warp_size, column_bytes(type));
    if (name->text == "_") throw NotCovered{"a source operand _"};
    if (const auto function = context_.functions.find(name->text); function != context_.functions.end())
      return frame_.constant(function_window + function->second * function_stride, column_bytes(type));
    if (is_foreign_special(name->text) && !find(name->text))
      throw NotCovered{fmt::format("the special register {}{}{}", name->text,
                                   name->component.empty() ? "" : ".", name->component)};
    const Symbol* symbol = find(name->text);
    if (!symbol) fail(fmt::format("{} is not declared", name->text));
    return read_symbol(*symbol, *name, operand, type, relaxed);
  }

  std::uint32_t read_symbol(const Symbol& symbol, const ptx::Name& name, const ptx::Operand& operand,
                            Type type, bool relaxed) {
    switch (symbol.kind) {
      case Symbol::Kind::reg: {
        check_width(symbol, type, relaxed, name.text);
        return operand.negated ? negate(symbol.offset) : symbol.offset;
      }
      case Symbol::Kind::fixed:
        return frame_.constant(symbol.address + static_cast<std::uint64_t>(operand.offset),
                               column_bytes(type));
      case Symbol::Kind::entry_parameter:
        return frame_.constant(symbol.offset + static_cast<std::uint64_t>(operand.offset),
                               column_bytes(type));
      case Symbol::Kind::local: return read_frame_address(symbol.offset + operand.offset, type);
      case Symbol::Kind::slot: throw NotCovered{fmt::format("the address of the parameter {}", name.text)};
      case Symbol::Kind::range:
      case Symbol::Kind::label: break;
    }
    fail(fmt::format("{} is no value", name.text));
  }

  static std::uint64_t literal_bits(const ptx::Literal& literal, Type type) {
    if (literal.form == ptx::Literal::Form::f64 && type == Type::f32) {
      double wide = 0;
      std::memcpy(&wide, &literal.bits, sizeof wide);
      const auto narrow = static_cast<float>(wide);
      std::uint32_t bits = 0;
      std::memcpy(&bits, &narrow, sizeof bits);
      return bits;
    }
    if (literal.form == ptx::Literal::Form::f32 && type == Type::f64) {
      float narrow = 0;
      const auto low = static_cast<std::uint32_t>(literal.bits);
      std::memcpy(&narrow, &low, sizeof narrow);
      const double wide = narrow;
      std::uint64_t bits = 0;
      std::memcpy(&bits, &wide, sizeof bits);
      return bits;
    }
    return literal.bits;
  }

  std::uint32_t negate(std::uint32_t predicate) {
    const std::uint32_t row = frame_.allocate(0);
    Instruction i = make(form_of("not", {"pred"}));
    i.operand[0] = row;
    i.operand[1] = predicate;
    emit(i);
    return row;
  }

  std::uint32_t read_special(const SpecialRow& special, Type type) {
    // ISA 10: a special register may be read at a width other than its own (mov.u16 of %tid in old code).
    if (column_bytes(type) != special.bytes && column_bytes(type) == 0)
      throw NotCovered{fmt::format("{} as a predicate", special.name)};
    const std::uint32_t row = frame_.allocate(column_bytes(type));
    emit_special(make_machine(Action::special), special, row, column_bytes(type));
    return row;
  }

  std::uint32_t read_frame_address(std::int64_t offset, Type type) {
    const std::uint32_t row = frame_.allocate(column_bytes(type));
    Instruction i = make_machine(Action::frame_address);
    Detail detail;
    detail.displacement = offset;
    detail.register_bytes = static_cast<std::uint8_t>(column_bytes(type));
    i.operand[0] = row;
    emit(i, std::move(detail));
    return row;
  }

  // --- Instructions ---

  const Form* form_of(const std::string& opcode, const std::vector<std::string>& suffixes) {
    const std::string text =
        fmt::format("{}{}{}", opcode, suffixes.empty() ? "" : ".", fmt::join(suffixes, "."));
    return interned(text, text, [&] { return isa::find_form(opcode, suffixes); });
  }

  // One Form for each key; `make_form` gives nothing where no row covers the text.
  template <class Make>
  const Form* interned(const std::string& key, const std::string& text, Make make_form) {
    const auto [found, is_new] = context_.forms.try_emplace(key, nullptr);
    if (is_new)
      if (std::optional<Form> form = make_form())
        found->second = &context_.program.forms.emplace_back(std::move(*form));
    if (!found->second) throw NotCovered{text};
    return found->second;
  }

  static std::string text_of(const ptx::Statement& statement) {
    return fmt::format("{}.{}", statement.opcode, fmt::join(statement.suffixes, "."));
  }

  // The form of a statement, fitted to its operands where they decide it too: a mov that packs or unpacks a
  // vector, a cvt whose registers are wider than its types.
  const Form* form_of(const ptx::Statement& statement) {
    const bool is_mov = statement.opcode == "mov" && statement.operands.size() == 2;
    if (is_mov && vector_of(statement.operands[0]))
      return packing_form(statement, isa::Packing::unpack, vector_of(statement.operands[0])->size());
    if (is_mov && vector_of(statement.operands[1]))
      return packing_form(statement, isa::Packing::pack, vector_of(statement.operands[1])->size());
    const Form* form = form_of(statement.opcode, statement.suffixes);
    return form->action == Action::compute ? fitted_form(statement, form) : form;
  }

  static const std::vector<ptx::Operand>* vector_of(const ptx::Operand& operand) {
    return std::get_if<std::vector<ptx::Operand>>(&operand.value);
  }

  const Form* packing_form(const ptx::Statement& statement, isa::Packing packing, std::size_t parts) {
    const std::string key =
        fmt::format("{}/{}{}", text_of(statement), parts, packing == isa::Packing::pack ? 'p' : 'u');
    return interned(key, fmt::format("{} with a vector of {}", text_of(statement), parts), [&] {
      return isa::find_packing_mov(packing, static_cast<unsigned>(parts), statement.suffixes);
    });
  }

  const Form* fitted_form(const ptx::Statement& statement, const Form* form) {
    const std::vector<OperandRule> rules = isa::operand_rules(*form);
    if (std::none_of(rules.begin(), rules.end(), [](const auto& rule) { return rule.relaxed; })) return form;
    const unsigned to = operand_bytes(operand(statement, 0), rules[0].type);
    const unsigned from = operand_bytes(operand(statement, 1), rules[1].type);
    const std::string text =
        fmt::format("{} with registers of {} and {} bits", text_of(statement), to * 8, from * 8);
    return interned(
        fmt::format("{}/{}/{}", text_of(statement), to, from), text, [&]() -> std::optional<Form> {
          Form fitted = *form;
          return isa::fit_registers(fitted, to, from) ? std::optional<Form>(fitted) : std::nullopt;
        });
  }

  // Bytes of the register that an operand names; those of `type` for an immediate.
  unsigned operand_bytes(const ptx::Operand& given, Type type) {
    const auto* name = std::get_if<ptx::Name>(&given.value);
    const Symbol* symbol = name && name->text != "_" ? find(name->text) : nullptr;
    return symbol && symbol->kind == Symbol::Kind::reg ? symbol->bytes : column_bytes(type);
  }

  Instruction make(const Form* form) const {
    Instruction i = make_machine(form->action);
    i.form = form;
    i.compute = form->compute;
    return i;
  }

  Instruction make_machine(Action action) const {
    Instruction i;
    i.action = action;
    i.loc = at_.loc;
    i.ptx_line = at_.ptx_line;
    return i;
  }

  void emit(Instruction i) { code_.instructions.push_back(i); }
  void emit(Instruction i, Detail detail) {
    i.detail = static_cast<std::uint32_t>(context_.program.details.size());
    context_.program.details.push_back(std::move(detail));
    emit(i);
  }

  // A guard of the statement holds for its stop as well: only lanes that would execute it stop.
  template <class Guarded>
  void emit_stop(const Guarded& statement, const std::string& what) {
    Instruction i = make_machine(Action::unsupported);
    set_guard(statement, i);
    i.target = static_cast<std::uint32_t>(context_.program.unsupported.size());
    context_.program.unsupported.push_back(what);
    emit(i);
  }

  void emit_end() {
    // Falling off the end of a body returns, as `ret` would; an entry's ret ends the thread.
    at_ = {function_.ptx_line, 0};
    emit_return(make_machine(Action::ret));
  }

  void emit_return(Instruction i) {
    for (const auto& [row, index, bytes] : returned_registers_)
      emit_slot_access(Action::store, code_.returns[index], row, bytes);
    i.action = function_.is_entry ? Action::exit : Action::ret;
    emit(i);
  }

  // `guarded`: the instruction whose guard holds here too.
  void emit_slot_access(Action action, const Slot& slot, std::uint32_t row, unsigned bytes,
                        const Instruction* guarded = nullptr) {
    Instruction i = make_machine(action);
    if (guarded) {
      i.guard = guarded->guard;
      i.guard_negated = guarded->guard_negated;
    }
    Detail detail;
    detail.base_kind = Detail::Base::slot;
    detail.base = slot.offset;
    detail.element_bytes = detail.register_bytes = static_cast<std::uint8_t>(bytes);
    detail.data = {row};
    static const Form plain{};
    i.form = &plain;
    emit(i, std::move(detail));
  }

  void lower_statement(const ptx::Statement& statement) {
    if (lower_special_mov(statement)) return;
    const Form* form = form_of(statement);
    Instruction i = make(form);
    set_guard(statement, i);
    switch (form->action) {
      case Action::branch: i.target = label_of(operand(statement, 0)); return emit(i);
      case Action::branch_indexed: return lower_indexed_branch(statement, i);
      case Action::ret: return emit_return(i);
      case Action::load:
      case Action::store:
      case Action::atomic:
      case Action::reduction:
      case Action::prefetch:
      case Action::async_copy:
      case Action::load_matrix:
      case Action::store_matrix:
      case Action::mbarrier: return lower_memory(statement, i);
      case Action::barrier_sync:
      case Action::barrier_arrive:
      case Action::barrier_reduce: return lower_barrier(statement, i);
      default: return lower_by_rules(statement, i);
    }
  }

  // mov d, %tid.x: straight into d.
  bool lower_special_mov(const ptx::Statement& statement) {
    if (statement.opcode != "mov" || statement.operands.size() != 2) return false;
    const auto* name = std::get_if<ptx::Name>(&statement.operands[1].value);
    const SpecialRow* special = name ? special_named(*name) : nullptr;
    if (!special) return false;
    const Form* form = form_of("mov:special", statement.suffixes);
    Instruction i = make(form);
    set_guard(statement, i);
    emit_special(i, *special, destination(statement.operands[0], form->type, true),
                 operand_bytes(statement.operands[0], form->type));
    return true;
  }

  void emit_special(Instruction i, const SpecialRow& special, std::uint32_t row, unsigned bytes) {
    if (bytes > 8) throw NotCovered{fmt::format("{} in a register of 128 bits", special.name)};
    if (special.name.starts_with("%reserved_smem_")) reserve_shared_memory();
    Detail detail;
    detail.special = special.id;
    detail.register_bytes = static_cast<std::uint8_t>(bytes);
    i.operand[0] = row;
    emit(i, std::move(detail));
  }

  // Programs that ask where the reserved memory lies have some.
  void reserve_shared_memory() {
    auto& shared = context_.program.shared;
    for (const SharedVariable& variable : shared)
      if (variable.address == reserved_shared_address) return;
    shared.push_back(
        {"the reserved shared memory", "", reserved_shared_address, reserved_shared_bytes, 0, false});
  }

  const ptx::Operand& operand(const ptx::Statement& statement, std::size_t k) const {
    if (k >= statement.operands.size())
      fail(fmt::format("{} needs {} operands or more, and has {}", statement.opcode, k + 1,
                       statement.operands.size()));
    return statement.operands[k];
  }

  // Operands in the order of the row's rules; vectors are spread out.
  void lower_by_rules(const ptx::Statement& statement, Instruction i) {
    const std::vector<std::uint32_t> rows = rows_by_rules(statement, *i.form);
    if (rows.size() > i.operand.size()) i.wide = context_.program.wide_operands.emplace_back(rows).data();
    std::copy_n(rows.begin(), std::min(rows.size(), i.operand.size()), i.operand.begin());
    finish(i, rows, statement);
  }

  std::vector<std::uint32_t> rows_by_rules(const ptx::Statement& statement, const Form& form) {
    const std::vector<OperandRule> rules = isa::operand_rules(form);
    std::vector<std::uint32_t> rows;
    std::size_t k = 0;
    const ptx::Operand* previous = nullptr;
    for (const OperandRule& rule : rules) {
      // d|p: the predicate is written with the destination before it.
      if (rule.name == 'e' && previous) {
        if (!previous->paired_predicate) {
          if (!rule.optional) fail(fmt::format("{} needs a second destination d|p", statement.opcode));
          rows.push_back(no_operand);
        } else {
          rows.push_back(
              destination(ptx::Operand{*previous->paired_predicate, 0, false, {}}, rule.type, false));
        }
        continue;
      }
      if (k == statement.operands.size()) {
        if (!rule.optional)
          fail(fmt::format("{} has too few operands: {} are missing", statement.opcode,
                           rules.size() - rows.size()));
        rows.push_back(no_operand);
        continue;
      }
      const ptx::Operand& given = statement.operands[k++];
      previous = &given;
      add_rows(given, rule, rows);
    }
    if (k < statement.operands.size()) fail(fmt::format("{} has too many operands", statement.opcode));
    return rows;
  }

  void add_rows(const ptx::Operand& given, const OperandRule& rule, std::vector<std::uint32_t>& rows) {
    for (const ptx::Operand* element : elements_of(given, rule))
      rows.push_back(rule.destination ? destination(*element, rule.type, rule.relaxed)
                                      : source(*element, rule.type, rule.relaxed));
  }

  // The elements of an operand, as many as the rule says: those of a vector, or the operand itself.
  std::vector<const ptx::Operand*> elements_of(const ptx::Operand& given, const OperandRule& rule) const {
    std::vector<const ptx::Operand*> elements;
    if (const auto* vector = vector_of(given))
      for (const ptx::Operand& element : *vector) elements.push_back(&element);
    else
      elements.push_back(&given);
    if (elements.size() != rule.count)
      fail(fmt::format("an operand has {} elements where {} are needed", elements.size(), rule.count));
    return elements;
  }

  void finish(Instruction i, const std::vector<std::uint32_t>& rows, const ptx::Statement& statement) {
    switch (i.action) {
      case Action::shuffle:
      case Action::vote:
      case Action::match:
      case Action::warp_reduce:
      case Action::elect:
      case Action::warp_sync: {
        Detail detail;
        detail.operands = static_cast<std::uint8_t>(rows.size());
        detail.member_mask = rows.back();  // always written last
        detail.register_bytes = static_cast<std::uint8_t>(column_bytes(i.form->type));
        return emit(i, std::move(detail));
      }
      case Action::compute:
      case Action::matrix_multiply:
        if (!i.compute) throw NotCovered{text_of(statement)};
        return i.action == Action::compute ? emit(i) : emit(i, Detail{});
      default: return emit(i, Detail{});
    }
  }

  void lower_indexed_branch(const ptx::Statement& statement, Instruction i) {
    i.operand[0] = source(operand(statement, 0), Type::u32, false);
    const auto* list = std::get_if<ptx::Name>(&operand(statement, 1).value);
    const auto found = list ? function_.branch_targets.find(list->text) : function_.branch_targets.end();
    if (found == function_.branch_targets.end()) fail("brx.idx needs the label of a .branchtargets list");
    Detail detail;
    for (const std::string& label : found->second) detail.targets.push_back(label_of(label));
    emit(i, std::move(detail));
  }

  // bar.sync a{, b};  bar.arrive a, b;  bar.red.op d, a{, b}, {!}c;   barrier.cta is spelled alike.
  void lower_barrier(const ptx::Statement& statement, Instruction i) {
    const bool reduces = i.action == Action::barrier_reduce;
    std::size_t k = 0;
    const std::size_t given = statement.operands.size();
    if (reduces) {
      if (given < 3 || given > 4) fail(fmt::format("{}.red needs 3 or 4 operands", statement.opcode));
      i.operand[0] = destination(operand(statement, k++), i.form->type, false);
    } else if (given < 1 || given > 2) {
      fail(fmt::format("{} needs 1 or 2 operands", statement.opcode));
    }
    i.operand[1] = source(operand(statement, k++), Type::u32, false);
    if (given - k > (reduces ? 1u : 0u)) i.operand[2] = source(operand(statement, k++), Type::u32, false);
    if (reduces) i.operand[3] = source(operand(statement, k), Type::pred, false);
    emit(i, Detail{});
  }

  // --- Memory ---

  void lower_memory(const ptx::Statement& statement, Instruction i) {
    const std::vector<OperandRule> rules = isa::operand_rules(*i.form);
    Detail detail;
    detail.element_bytes = static_cast<std::uint8_t>(isa::bytes_of(i.form->type));
    detail.sign_extend = isa::is_signed(i.form->type);
    bool has_address = false;
    std::size_t k = 0;
    for (const OperandRule& rule : rules) {
      if (k == statement.operands.size()) {
        if (!rule.optional) fail(fmt::format("{} has too few operands", statement.opcode));
        continue;
      }
      const ptx::Operand& given = statement.operands[k++];
      if (rule.name == 'p') continue;  // a cache policy
      if (rule.shape == OperandRule::Shape::predicate) {
        i.operand[0] = destination(given, rule.type, false);  // of mbarrier.test_wait
      } else if (rule.shape == OperandRule::Shape::address) {
        if (has_address)
          set_address(given, i.form->space2, detail.source_kind, detail.source, detail.source_displacement);
        else
          set_address(given, i.form->space, detail.base_kind, detail.base, detail.displacement);
        has_address = true;
      } else {
        add_data(given, rule, detail);
      }
    }
    if (k < statement.operands.size()) fail(fmt::format("{} has too many operands", statement.opcode));
    check_slot(detail);
    emit(i, std::move(detail));
  }

  void add_data(const ptx::Operand& given, const OperandRule& rule, Detail& detail) {
    const std::vector<const ptx::Operand*> elements = elements_of(given, rule);
    const Type type = rule.relaxed ? register_type(elements, rule.type) : rule.type;
    for (const ptx::Operand* element : elements)
      detail.data.push_back(rule.destination ? destination(*element, type, false)
                                             : source(*element, type, false));
    if (detail.register_bytes == 0) detail.register_bytes = static_cast<std::uint8_t>(column_bytes(type));
  }

  // Registers may be wider than what ld and st move, and all of a vector are alike. Immediates and `_` follow
  // them.
  Type register_type(const std::vector<const ptx::Operand*>& elements, Type type) {
    const auto wider = [&](unsigned bytes) {
      switch (bytes) {
        case 2: return Type::b16;
        case 4: return Type::b32;
        default: return Type::b64;
      }
    };
    unsigned bytes = column_bytes(type);
    for (const ptx::Operand* element : elements) bytes = std::max(bytes, operand_bytes(*element, type));
    if (bytes == column_bytes(type)) return type;
    if (bytes == 16) fail(fmt::format("a register of 128 bits cannot hold one .{}", isa::name(type)));
    return wider(bytes);
  }

  void set_address(const ptx::Operand& given, isa::StateSpace space, Detail::Base& kind, std::uint32_t& base,
                   std::int64_t& displacement) {
    const auto* address = std::get_if<ptx::AddressOf>(&given.value);
    if (!address) fail("an address in brackets was expected here");
    displacement = address->offset;
    kind = Detail::Base::absolute;
    if (!address->base) return;
    const Symbol* symbol = find(address->base->text);
    if (!symbol) fail(fmt::format("{} is not declared", address->base->text));
    switch (symbol->kind) {
      case Symbol::Kind::reg:
        if (symbol->bytes != 4 && symbol->bytes != 8)
          fail(fmt::format("the address register {} must have 32 or 64 bits", address->base->text));
        kind = symbol->bytes == 4 ? Detail::Base::register32 : Detail::Base::register64;
        base = symbol->offset;
        return;
      case Symbol::Kind::fixed:
        displacement += static_cast<std::int64_t>(symbol->address);
        if (space == isa::StateSpace::none && symbol->space == ptx::Space::shared)
          displacement += static_cast<std::int64_t>(isa::shared_window);
        return;
      case Symbol::Kind::local:
        kind = Detail::Base::frame_local;
        displacement += symbol->offset;
        return;
      case Symbol::Kind::slot:
        kind = Detail::Base::slot;
        base = symbol->offset;
        slot_bytes_ = symbol->bytes;
        return;
      case Symbol::Kind::entry_parameter:
        kind = Detail::Base::entry_parameter;
        displacement += symbol->offset;
        return;
      default: fail(fmt::format("{} has no address", address->base->text));
    }
  }

  void check_slot(const Detail& detail) const {
    if (detail.base_kind != Detail::Base::slot) return;
    const auto bytes = static_cast<std::int64_t>(detail.element_bytes * detail.data.size());
    if (detail.displacement < 0 || detail.displacement > slot_bytes_ - bytes)
      fail(fmt::format("{} bytes at offset {} lie outside the {} bytes of the parameter", bytes,
                       detail.displacement, slot_bytes_));
  }

  // --- Calls ---

  void lower_call(const ptx::CallStatement& call) {
    Instruction i = make_machine(Action::call);
    set_guard(call, i);
    Detail detail;
    for (const ptx::Operand& argument : call.arguments) detail.arguments.push_back(argument_slot(argument));
    std::vector<std::pair<std::uint32_t, Slot>> results;  // .reg results, loaded after the call
    for (const ptx::Operand& result : call.returns) detail.returns.push_back(result_slot(result, results));
    set_target(call, i, detail);
    emit(i, std::move(detail));
    for (const auto& [row, slot] : results) emit_slot_access(Action::load, slot, row, slot.bytes, &i);
  }

  Slot argument_slot(const ptx::Operand& argument) {
    if (const Symbol* slot = slot_named(argument)) return {slot->offset, slot->bytes};
    const auto* name = std::get_if<ptx::Name>(&argument.value);
    if (!name) throw NotCovered{"a call with an immediate argument"};
    const Symbol& symbol = register_named(*name);
    const Slot slot = register_slot(symbol.bytes);
    emit_slot_access(Action::store, slot, symbol.offset, symbol.bytes);
    return slot;
  }

  Slot result_slot(const ptx::Operand& result, std::vector<std::pair<std::uint32_t, Slot>>& results) {
    if (const Symbol* slot = slot_named(result)) return {slot->offset, slot->bytes};
    const auto* name = std::get_if<ptx::Name>(&result.value);
    if (!name) fail("the result of a call must be a .param variable or a register");
    const Symbol& symbol = register_named(*name);
    const Slot slot = register_slot(symbol.bytes);
    results.emplace_back(symbol.offset, slot);
    return slot;
  }

  Slot register_slot(unsigned bytes) {
    if (bytes == 0) throw NotCovered{"a predicate as a call argument"};
    const std::uint32_t offset = frame_.allocate(4);
    for (unsigned k = 4; k < bytes; k += 4) frame_.allocate(4);
    return {offset, bytes};
  }

  const Symbol* slot_named(const ptx::Operand& operand) {
    const auto* name = std::get_if<ptx::Name>(&operand.value);
    const Symbol* symbol = name ? find(name->text) : nullptr;
    return symbol && symbol->kind == Symbol::Kind::slot ? symbol : nullptr;
  }

  void set_target(const ptx::CallStatement& call, Instruction& i, Detail& detail) {
    const std::string& target = call.target.text;
    if (const auto found = context_.functions.find(target); found != context_.functions.end()) {
      detail.function = found->second;
    } else if (target == "vprintf" || target == "__assertfail") {
      i.action = Action::builtin;
      detail.builtin = target == "vprintf" ? Builtin::vprintf : Builtin::assert_fail;
      check_builtin(detail, target);
    } else if (const Symbol* symbol = find(target); symbol && symbol->kind == Symbol::Kind::reg) {
      if (symbol->bytes != 8) fail(fmt::format("the function address {} must have 64 bits", target));
      i.operand[0] = symbol->offset;
    } else {
      throw NotCovered{fmt::format("a call of {}, whose body is not in the module", target)};
    }
  }

  void check_builtin(const Detail& detail, const std::string& name) const {
    const std::size_t wanted = detail.builtin == Builtin::vprintf ? 2 : 5;
    if (detail.arguments.size() != wanted) fail(fmt::format("{} takes {} arguments", name, wanted));
  }

  Context& context_;
  const ptx::Function& function_;
  Code code_;
  FrameBuilder frame_;
  std::vector<Names> scopes_;
  std::vector<std::uint32_t> label_places_;
  struct Returned {
    std::uint32_t row;
    std::size_t index;
    unsigned bytes;
  };
  std::vector<Returned> returned_registers_;
  std::int64_t slot_bytes_ = 0;  // of the .param variable that the last address named
  ptx::Location at_;
};

bool is_toolkit_file(std::string_view path) {
  return path.find("/targets/x86_64-linux/include/") != std::string_view::npos ||
         path.find("/cuda/include/") != std::string_view::npos || path.find("/usr/include/") == 0 ||
         path.find("/usr/lib/gcc/") == 0;
}

}  // namespace

const Code* Program::entry(std::string_view entry_name) const {
  for (const Code& code : functions)
    if (code.is_entry && code.name == entry_name) return &code;
  return nullptr;
}

std::uint32_t Program::shared_static_bytes(const Code& entry) const {
  std::uint32_t bytes = 0;
  for (const SharedVariable& variable : shared)
    if (variable.entry.empty() || variable.entry == entry.name) bytes = std::max(bytes, variable.packed_end);
  return bytes;
}

Position Program::position(const Instruction& instruction) const {
  std::optional<Position> innermost;
  for (std::uint32_t loc = instruction.loc; loc != 0 && loc < locs.size(); loc = locs[loc].inlined_at) {
    const auto file = files.find(locs[loc].file);
    if (file == files.end() || locs[loc].line == 0) continue;
    const Position here{file->second, locs[loc].line, locs[loc].column};
    if (!is_toolkit_file(file->second)) return here;
    if (!innermost) innermost = here;
  }
  return innermost.value_or(Position{name, instruction.ptx_line, 0});
}

Program lower(const ptx::Module& module, const std::string& name,
              const std::function<std::uint64_t(std::uint64_t bytes)>& allocate) {
  Program program;
  program.name = name;
  program.locs = module.locs;
  program.files = module.files;
  Context context{module, program, {}, {}, {}};
  for (const ptx::Function& function : module.functions)
    if (function.body)
      context.functions.try_emplace(function.name, static_cast<std::uint32_t>(context.functions.size()));
  context.addresses = lay_out(module, program, context.functions, allocate);
  program.functions.resize(context.functions.size());
  for (const ptx::Function& function : module.functions)
    if (function.body)
      program.functions[context.functions.at(function.name)] = FunctionLowering(context, function).run();
  return program;
}

}  // namespace foldproof::machine
