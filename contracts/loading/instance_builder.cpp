#include "contracts/loading/instance_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "contracts/arguments.h"
#include "contracts/keys.h"
#include "contracts/loading/custom_operator.h"
#include "contracts/names.h"
#include "contracts/placeholders.h"
#include "contracts/sizes.h"
#include "oracles/number.h"

namespace foldproof {

namespace {

/// Whether an integer type holds the number.
bool holds(Element type, std::uint64_t number) {
  const std::size_t bits = 8 * size_of(type) - (is_signed_integer(type) ? 1 : 0);
  return bits >= 64 || number >> bits == 0;
}

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string_view>& words) {
  if (words.size() == 1) return std::string(words[0]);
  return fmt::format("{} and {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

Element element_of(const Text& text) {
  if (const auto element = element_named(text.value)) return *element;
  throw InputError(fmt::format("unknown type \"{}\"{}", text.value, suggestion(text.value, element_names())),
                   text.where);
}

template <typename Enum, std::size_t n>
Enum choice(const Named<Enum> (&names)[n], std::string_view key, const std::optional<Text>& text,
            Enum fallback) {
  if (!text) return fallback;
  if (const auto value = value_named(names, text->value)) return *value;
  throw InputError(
      fmt::format("\"{}\" cannot be \"{}\"{}", key, text->value, suggestion(text->value, all_names(names))),
      text->where);
}

/// Builds the instance of one combination of the matrix.
class InstanceBuilder {
 public:
  InstanceBuilder(const Table& top, const Bindings& bindings, bool calls)
      : top_(top), bindings_(bindings), calls_(calls) {
    instance_.label = to_text(bindings);
    instance_.bindings = bindings;
  }

  Instance build() {
    read_reduction();
    read_domain();
    read_tried();
    if (const auto table = top_.table("reduction"))
      if (const auto k = table->text("k")) instance_.reduction->k = expression(*k);
    read_operands();
    read_buffers();
    read_additional_outputs();
    read_output();
    for (const Table& table : top_.tables("launch")) {
      instance_.launches.push_back(launch(table));
      name_launch();
    }
    read_claims();
    check_small_sizes(instance_);
    check_indices();
    return std::move(instance_);
  }

 private:
  Text in_contract(const Text& text) const {
    return {substitute(text.value, bindings_, Place::contract, text.where), text.where};
  }

  std::optional<Text> in_contract(const std::optional<Text>& text) const {
    return text ? std::optional(in_contract(*text)) : std::nullopt;
  }

  void check_names(const Expression& expression, const Text& text) const {
    for (const std::string& name : expression.names()) {
      if (std::ranges::find(variables_, name) != variables_.end()) continue;
      throw InputError(fmt::format("unknown name \"{}\" in the expression \"{}\"{}", name, text.value,
                                   suggestion(name, variables_)),
                       text.where);
    }
  }

  Expression expression(const Text& raw) const {
    const Text text = in_contract(raw);
    Expression parsed = Expression::parse(resolved(text.value), text.where);
    check_names(parsed, text);
    return parsed;
  }

  /// Types inside sizeof and sizes of earlier launches spelled out.
  std::string resolved(std::string_view text) const {
    return substitute_words(substitute_sizeof(text, bindings_), earlier_launches_);
  }

  /// Later expressions may say launch1_grid and launch1_block: the blocks and the threads a block of
  /// launch 1.
  void name_launch() {
    const LaunchContract& launch = instance_.launches.back();
    const std::string name = fmt::format("launch{}", instance_.launches.size());
    const auto volume = [](const std::array<Expression, 3>& extents) {
      return fmt::format("(({}) * ({}) * ({}))", extents[0].text(), extents[1].text(), extents[2].text());
    };
    earlier_launches_.push_back({name + "_grid", volume(launch.grid)});
    earlier_launches_.push_back({name + "_block", volume(launch.block)});
  }

  void read_reduction() {
    const auto table = top_.table("reduction");
    if (!table) return;
    Reduction reduction;
    reduction.input = element_of(in_contract(*table->text("input")));
    reduction.accumulator = reduction.input;
    const auto accumulator = in_contract(table->text("accumulator"));
    if (accumulator) reduction.accumulator = element_of(*accumulator);
    const auto output = in_contract(table->text("output"));
    reduction.output = output ? element_of(*output) : reduction.accumulator;
    read_choices("reduction", *table, reduction);
    if (calls_ && !folds(reduction.op))
      throw InputError(
          fmt::format("a device function is called for sum, prod, min or max, not for {}; write a "
                      "kernel and a [[launch]]",
                      name(reduction.op)),
          table->where("operator"));
    instance_.reduction = reduction;
  }

  /// What [reduction] and [[additional_output]] say in the same words.
  void read_choices(std::string_view where, const Table& table, Reduction& reduction) const {
    reduction.op = choice(operator_names, "operator", in_contract(table.text("operator")), Operator::sum);
    const auto chosen = [&](const auto& names, std::string_view key, auto fallback) {
      return choice(names, key, in_contract(table.text(key)), fallback);
    };
    reduction.result = chosen(result_names, "result", reduction.result);
    reduction.scan = chosen(scan_names, "scan", reduction.scan);
    reduction.functions = chosen(function_names, "functions", reduction.functions);
    reduction.maximum = chosen(maximum_names, "maximum", reduction.maximum);
    if (reduction.op == Operator::sum)
      reduction.sum = chosen(sum_names, "method", reduction.sum);
    else
      reduction.variance = chosen(variance_names, "method", reduction.variance);
    check_method(reduction, table);
    if (reduction.sum != SumMethod::plain && reduction.result == ResultShape::partials)
      throw InputError("partial results are rounded one by one; a sum of them has the method \"plain\"",
                       table.where("method"));
    reduction.epsilon = number(table, "epsilon", reduction.accumulator);
    reduction.p = number(table, "p", reduction.accumulator);
    if (reduction.op == Operator::custom)
      reduction.custom =
          custom_operator(in_contract(table.text("combine")), in_contract(table.text("identity")),
                          reduction.accumulator, table.where("operator"));
    check_shape(reduction, table);
    check_keys(where, table, reduction.op);
  }

  /// Some methods are for means alone, and some for all but them.
  static void check_method(const Reduction& reduction, const Table& table) {
    const bool mean = reduction.op == Operator::mean, shares = reduction.variance == VarianceMethod::shares;
    const bool passes =
        reduction.variance == VarianceMethod::two_pass || reduction.variance == VarianceMethod::textbook;
    if (mean ? passes : shares)
      throw InputError(mean ? "a mean is one sum, or has the method \"welford\" or \"shares\""
                            : "\"shares\" is a method of a mean; choose two-pass, textbook or welford",
                       table.where("method"));
  }

  /// A finite number, as a constant of that type is rounded.
  double number(const Table& table, std::string_view key, Element type) const {
    const auto text = in_contract(table.text(key));
    if (!text) return 0;
    char* end = nullptr;
    const double value = std::strtod(text->value.c_str(), &end);
    if (end == text->value.c_str() || *end != 0 || !std::isfinite(value))
      throw InputError(fmt::format("\"{}\" must be a number such as \"1e-5\", not \"{}\"", key, text->value),
                       text->where);
    return is_float(type) ? to_double(decode(type, encode(type, number_of(value)))) : value;
  }

  static void check_shape(const Reduction& reduction, const Table& table) {
    if (has_shape(reduction.op, reduction.result)) return;
    std::vector<std::string> possible;
    for (const auto& [text, shape] : result_names)
      if (has_shape(reduction.op, shape)) possible.push_back(fmt::format("\"{}\"", text));
    throw InputError(
        fmt::format("{} has no result \"{}\"{}; write result = {} in [reduction]", name(reduction.op),
                    name_of(result_names, reduction.result),
                    table.has("result") ? "" : ", which is the default", fmt::join(possible, " or ")),
        table.where("result"));
  }

  /// A key that is for other operators alone says nothing, so that it may stand there with its default.
  void check_keys(std::string_view name, const Table& table, Operator op) const {
    for (const KeyRow& row : contract_keys()) {
      if (row.table != name || !table.has(row.key) || info(op).takes(row.key)) continue;
      std::vector<std::string_view> takers;
      for (const OperatorInfo& other : operators())
        if (other.takes(row.key)) takers.push_back(other.name);
      const auto text = in_contract(table.text(row.key));
      if (takers.empty() || (text && fmt::format("\"{}\"", text->value) == row.fallback)) continue;
      throw InputError(
          fmt::format("\"{}\" is for {}, not for {}", row.key, listed(takers), foldproof::name(op)),
          table.where(row.key));
    }
  }

  void read_domain() {
    for (const auto& [name, node] : top_.free_table("domain")) {
      if (!is_identifier(name.value) || name.value == "input" || name.value == "output")
        throw InputError(fmt::format("\"{}\" cannot name a variable of the domain", name.value), name.where);
      const auto raw = scalar(*node, top_.file());
      if (!raw)
        throw InputError(
            fmt::format("the domain of \"{}\" must be an integer or a range in a string", name.value),
            position_of(*node, top_.file()));
      add_variable(name.value, *raw);
    }
    if (calls_ && !knows("block"))
      throw InputError("[domain] must say which \"block\" sizes the call serves, such as \"{B}\"",
                       top_.where("domain"));
    if (calls_ && !knows("count")) add_variable("count", {"0 .. block", top_.where("domain")});
    if (instance_.reduction && !knows("count"))
      throw InputError(
          "[domain] must say which \"count\" of elements the kernel serves, such as \"0 .. 2^33\"",
          top_.where("domain"));
    const ResultShape shape = instance_.reduction ? instance_.reduction->result : ResultShape::value;
    if ((shape == ResultShape::rows || shape == ResultShape::columns) && !knows("columns"))
      throw InputError(
          "[domain] must say how many \"columns\" a row has, above \"count\", such as columns = \"1 .. "
          "2^16\" and "
          "count = \"rows * columns\"",
          top_.where("domain"));
    if (shape == ResultShape::segments && !knows("segments"))
      throw InputError("[domain] must say how many \"segments\" there are, such as segments = \"0 .. 2^20\"",
                       top_.where("domain"));
  }

  void read_tried() {
    for (const auto& [name, node] : top_.free_table("tried")) {
      if (!knows(name.value))
        throw InputError(fmt::format("\"{}\" is tried and no variable of [domain]{}", name.value,
                                     suggestion(name.value, variables_)),
                         name.where);
      const auto raw = scalar(*node, top_.file());
      if (!raw)
        throw InputError(
            fmt::format("what is tried of \"{}\" must be an integer or a range in a string", name.value),
            position_of(*node, top_.file()));
      instance_.tried.emplace(name.value, range(*raw));
    }
  }

  void add_variable(const std::string& name, const Text& raw) {
    instance_.domain.emplace_back(name, range(raw));
    variables_.push_back(name);
    const Expression& most = instance_.domain.back().second.high;
    if (name == "block" && most.names().empty() && most.evaluate({}) > most_threads_of_a_block)
      throw InputError(fmt::format("a block has at most {} threads, and \"block\" may be {}",
                                   most_threads_of_a_block, most.evaluate({})),
                       most.where());
  }

  /// An output that holds places must hold the last one.
  void check_indices() const {
    if (!instance_.reduction || info(instance_.reduction->op).gives != OperatorInfo::Gives::index) return;
    const Element type = instance_.reduction->output;
    const std::string_view length = instance_.reduction->result == ResultShape::rows ? "columns" : "count";
    const std::int64_t last = greatest_claimed(instance_, length) - 1;
    if (is_float(type) || last <= 0 || holds(type, static_cast<std::uint64_t>(last))) return;
    const Table reduction = *top_.table("reduction");
    throw InputError(
        fmt::format("an output of {} cannot hold the index {}, and \"{}\" may be {}; choose a wider "
                    "\"output\" or fewer elements",
                    name(type), last, length, last + 1),
        reduction.where(reduction.has("output") ? "output" : "operator"));
  }

  const Range& variable(std::string_view name) const {
    return std::ranges::find(instance_.domain, name, &std::pair<std::string, Range>::first)->second;
  }

  bool knows(std::string_view variable) const {
    return std::ranges::find(variables_, variable) != variables_.end();
  }

  Range range(const Text& raw) const {
    const Text text = in_contract(raw);
    Range parsed = Range::parse(substitute_sizeof(text.value, bindings_), text.where);
    check_names(parsed.low, text);
    check_names(parsed.high, text);
    if (!parsed.low.names().empty() || !parsed.high.names().empty()) return parsed;
    if (parsed.low.evaluate({}) > parsed.high.evaluate({}))
      throw InputError(fmt::format("the range \"{}\" is empty", text.value), text.where);
    return parsed;
  }

  /// A new name for something that arguments may point to.
  std::string new_name(const Text& raw) {
    const Text name = in_contract(raw);
    const bool taken = std::ranges::find(buffers_, name.value) != buffers_.end() || knows(name.value);
    if (!is_identifier(name.value) || taken)
      throw InputError(taken ? fmt::format("the name \"{}\" is taken", name.value)
                             : fmt::format("\"{}\" cannot name a buffer", name.value),
                       name.where);
    buffers_.push_back(name.value);
    return name.value;
  }

  void read_buffers() {
    for (const Table& table : top_.tables("buffer")) {
      BufferContract buffer;
      buffer.name = new_name(*table.text("name"));
      buffer.type = element_of(in_contract(*table.text("type")));
      buffer.count = expression(*table.text("count"));
      buffer.initial = initial(table, buffer.initial);
      buffer.reset = choice(reset_names, "reset", in_contract(table.text("reset")), buffer.reset);
      instance_.buffers.push_back(std::move(buffer));
    }
  }

  void read_operands() {
    for (const Table& table : top_.tables("operand")) {
      OperandContract operand;
      operand.name = new_name(*table.text("name"));
      const Text role = in_contract(*table.text("role"));
      operand.role = choice(role_names, "role", role, Role::second);
      operand.type = element_of(in_contract(*table.text("type")));
      const std::int64_t group = table.integer("group").value_or(1);
      if (group < 1)
        throw InputError(fmt::format("a group has at least 1 element, not {}", group), table.where("group"));
      operand.group = static_cast<std::uint64_t>(group);
      check_operand(operand, role);
      const auto count = table.text("count");
      operand.count = expression(count ? *count : usual_operand_count(operand, role.where));
      instance_.operands.push_back(std::move(operand));
    }
    check_needed_operands();
  }

  void check_operand(const OperandContract& operand, const Text& role) const {
    if (!instance_.reduction)
      throw InputError("an operand needs a [reduction], which says what is done with it", role.where);
    const Operator op = instance_.reduction->op;
    if (!info(operand.role).is_for(op))
      throw InputError(fmt::format("{} has no operand \"{}\"", name(op), role.value), role.where);
    if (operand.role == Role::offsets && instance_.reduction->result != ResultShape::segments)
      throw InputError("offsets are for result = \"segments\"", role.where);
    for (const OperandContract& other : instance_.operands)
      if (other.role == operand.role)
        throw InputError(fmt::format("there is already an operand \"{}\"", role.value), role.where);
    const bool integers = operand.role == Role::targets || operand.role == Role::offsets;
    const bool scale = operand.type == Element::u8 || operand.type == Element::e4m3;
    const bool right = operand.role == Role::scales   ? scale
                       : integers                     ? !is_float(operand.type) && size_of(operand.type) >= 4
                       : operand.role == Role::second ? operand.type == instance_.reduction->input
                                                      : is_float(operand.type);
    if (!right)
      throw InputError(fmt::format("an operand \"{}\" cannot be of {}: {}", role.value, name(operand.type),
                                   operand.role == Role::scales   ? "scales are e4m3 or, of E8M0, u8"
                                   : integers                     ? "it needs an integer of 32 or 64 bits"
                                   : operand.role == Role::second ? "it has the type of the elements"
                                                                  : "it needs a floating-point type"),
                       role.where);
  }

  /// Those that the operator or the shape of its result cannot do without.
  void check_needed_operands() const {
    if (!instance_.reduction) return;
    const Reduction& reduction = *instance_.reduction;
    for (const RoleInfo& role : roles()) {
      const bool there = std::ranges::find(instance_.operands, role.role, &OperandContract::role) !=
                         instance_.operands.end();
      const bool offsets = role.role == Role::offsets;
      const bool segments = reduction.result == ResultShape::segments;
      if (!there && (offsets ? segments : role.is_needed_by(reduction.op)))
        throw InputError(
            fmt::format("{} needs an [[operand]] with role = \"{}\": {}",
                        offsets ? "a result of segments" : name(reduction.op), role.name, role.synopsis),
            top_.where("reduction"));
    }
  }

  Text usual_operand_count(const OperandContract& operand, const Position& where) const {
    switch (operand.role) {
      case Role::second: return {"count", where};
      case Role::weights:
      case Role::biases: return {"columns", where};
      case Role::targets: return rows_of_output(where);
      case Role::offsets: return {"segments + 1", where};
      case Role::scales: break;
    }
    return {fmt::format("ceil_div(count, {})", operand.group), where};
  }

  void read_additional_outputs() {
    for (const Table& table : top_.tables("additional_output")) {
      AdditionalOutput additional;
      const Text name = in_contract(*table.text("buffer"));
      const auto buffer = std::ranges::find(instance_.buffers, name.value, &BufferContract::name);
      if (!instance_.reduction || buffer == instance_.buffers.end())
        throw InputError(
            instance_.reduction
                ? fmt::format("there is no [[buffer]] \"{}\" for an additional output", name.value)
                : "an additional output needs a [reduction]",
            name.where);
      additional.buffer = name.value;
      additional.reduction = *instance_.reduction;
      const auto accumulator = in_contract(table.text("accumulator"));
      if (accumulator) additional.reduction.accumulator = element_of(*accumulator);
      additional.reduction.output = buffer->type;
      additional.reduction.functions = {};
      additional.reduction.maximum = {};
      additional.reduction.variance = {};
      additional.reduction.sum = {};
      read_choices("additional_output", table, additional.reduction);
      if (const auto k = table.text("k")) additional.reduction.k = expression(*k);
      instance_.additional_outputs.push_back(std::move(additional));
    }
  }

  BufferContract::Initial initial(const Table& table, BufferContract::Initial fallback) const {
    const auto chosen = choice(initial_names, "initial", in_contract(table.text("initial")), fallback);
    if (chosen != BufferContract::Initial::identity || !instance_.reduction) return chosen;
    if (!folds(instance_.reduction->op) || instance_.reduction->op == Operator::custom)
      throw InputError(
          fmt::format("{} has no identity that a buffer can begin with; choose undefined or zero",
                      name(instance_.reduction->op)),
          table.where("initial"));
    return chosen;
  }

  /// What a result has elements of where [output] does not say.
  Text usual_output_count() const {
    const ResultShape shape = instance_.reduction ? instance_.reduction->result : ResultShape::value;
    const Position where = top_.where("reduction");
    switch (shape) {
      case ResultShape::value: return {"1", where};
      case ResultShape::columns: return {"columns", where};
      case ResultShape::segments: return {"segments", where};
      case ResultShape::scan:
      case ResultShape::array: return {"count", where};
      case ResultShape::rows:
        if (info(instance_.reduction->op).gives == OperatorInfo::Gives::elements) return {"count", where};
        if (info(instance_.reduction->op).gives == OperatorInfo::Gives::ranked && instance_.reduction->k)
          return {fmt::format("({}) * ({})", rows_of_output(where).value, instance_.reduction->k->text()),
                  where};
        return rows_of_output(where);
      case ResultShape::partials:
      case ResultShape::bins: break;
    }
    throw InputError(
        fmt::format("the result \"{}\" needs the key \"count\" in [output]: how many elements there are",
                    name_of(result_names, shape)),
        where);
  }

  Text rows_of_output(const Position& where) const {
    if (knows("rows")) return {"rows", where};
    const Expression& least = variable("columns").low;
    if (least.names().empty() && least.evaluate({}) == 0)
      throw InputError(
          "a row may have no columns, so that \"count\" does not tell how many rows there are; add a "
          "variable "
          "\"rows\" with count = \"rows * columns\", or say it with \"count\" in [output]",
          least.where());
    return {"count / columns", where};
  }

  void read_output() {
    const auto table = top_.table("output");
    const auto count = table ? table->text("count") : std::nullopt;
    instance_.output_count = expression(count ? *count : usual_output_count());
    if (!table) return;
    instance_.output_initial = initial(*table, instance_.output_initial);
    instance_.output_reset =
        choice(reset_names, "reset", in_contract(table->text("reset")), instance_.output_reset);
    instance_.in_place = table->boolean("in_place", false);
  }

  std::array<Expression, 3> extent(const Table& table, std::string_view key) const {
    std::array<Expression, 3> extents{Expression::constant(1), Expression::constant(1),
                                      Expression::constant(1)};
    const std::vector<Text> texts = table.extent(key);
    for (std::size_t i = 0; i < texts.size(); ++i) extents[i] = expression(texts[i]);
    return extents;
  }

  LaunchContract launch(const Table& table) const {
    LaunchContract launch;
    launch.where = table.where("entry");
    launch.entry = substitute(table.text("entry")->value, bindings_, Place::cpp, launch.where);
    read_host(table, launch);
    launch.grid = extent(table, "grid");
    launch.block = extent(table, "block");
    launch.cluster = extent(table, "cluster");
    launch.has_cluster = table.has("cluster");
    launch.cooperative = table.boolean("cooperative", false);
    const auto shared = table.text("shared");
    launch.shared = shared ? expression(*shared) : Expression::constant(0);
    for (const Text& text : table.texts("arguments")) launch.arguments.push_back(argument(text));
    return launch;
  }

  /// A host function has no shape; a kernel must have one.
  void read_host(const Table& table, LaunchContract& launch) const {
    launch.host = table.boolean("host", false);
    for (const std::string_view key : {"grid", "block", "cluster", "cooperative", "shared"}) {
      if (launch.host && table.has(key))
        throw InputError(fmt::format("a host function is called without \"{}\"; leave it out", key),
                         table.where(key));
      if (!launch.host && (key == "grid" || key == "block") && !table.has(key))
        throw InputError(fmt::format("{} lacks the key \"{}\": {}", spelled_table("launch"), key,
                                     find_key("launch", key)->sentence),
                         table.where());
    }
    const auto gpus = in_contract(table.text("gpus"));
    if (!gpus) return;
    if (!launch.host) throw InputError("\"gpus\" is for host functions; add host = true", gpus->where);
    if (!knows(gpus->value))
      throw InputError(fmt::format("\"gpus\" names the variable \"{}\", which [domain] does not have{}",
                                   gpus->value, suggestion(gpus->value, variables_)),
                       gpus->where);
    launch.gpus = gpus->value;
  }

  ArgumentContract argument(const Text& text) const {
    const std::string known = substitute_known(text.value, bindings_, Place::contract);
    ArgumentContract parsed = parse_argument(resolved(known), buffers_, text.where);
    check_argument(parsed, text);
    return parsed;
  }

  void check_argument(const ArgumentContract& argument, const Text& text) const {
    check_names(argument.value, text);
    for (const ArgumentContract& member : argument.members) check_argument(member, text);
  }

  void read_claims() {
    const auto table = top_.table("claims");
    if (!table) return;
    if (instance_.reduction) check_keys("claims", *table, instance_.reduction->op);
    Claims& claims = instance_.claims;
    claims.deterministic = table->boolean("deterministic", claims.deterministic);
    claims.same_for_every_launch = table->boolean("same_for_every_launch", claims.same_for_every_launch);
    if (claims.same_for_every_launch && instance_.reduction &&
        instance_.reduction->result == ResultShape::partials)
      throw InputError(
          "partial results hang on the launch; \"same_for_every_launch\" is for all other results",
          table->where("same_for_every_launch"));
    if (claims.same_for_every_launch && !claims.deterministic)
      throw InputError(
          "what is the same for every launch is the same in every run; write deterministic = true",
          table->where("same_for_every_launch"));
    claims.nan = choice(nan_names, "nan", in_contract(table->text("nan")), claims.nan);
    claims.empty = choice(empty_names, "empty", in_contract(table->text("empty")), claims.empty);
    claims.ties = choice(tie_names, "ties", in_contract(table->text("ties")), claims.ties);
    claims.masked = choice(masked_names, "masked", in_contract(table->text("masked")), claims.masked);
    claims.flushes_subnormals = table->boolean("flushes_subnormals", claims.flushes_subnormals);
    if (table->has("uses_every_input_once"))
      claims.uses_every_input_once = table->boolean("uses_every_input_once", true);
    if (const auto height = table->text("height")) claims.height = expression(*height);
  }

  const Table& top_;
  const Bindings& bindings_;
  bool calls_;  ///< the contract has a `call`, whose kernel and launch are generated
  Instance instance_;
  std::vector<std::string> variables_;
  std::vector<std::string> buffers_{"input", "output"};
  Bindings earlier_launches_;
};

}  // namespace

Instance build_instance(const Table& top, const Bindings& bindings, bool calls) {
  return InstanceBuilder(top, bindings, calls).build();
}

}  // namespace foldproof
