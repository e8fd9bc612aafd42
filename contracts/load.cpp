#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "contracts/arguments.h"
#include "contracts/call.h"
#include "contracts/contract.h"
#include "contracts/document.h"
#include "contracts/files.h"
#include "contracts/markers.h"
#include "contracts/matrix.h"
#include "contracts/names.h"
#include "contracts/placeholders.h"

namespace foldproof {

std::string_view name(Operator op) { return name_of(operator_names, op); }

std::optional<Operator> operator_named(std::string_view name) { return value_named(operator_names, name); }

namespace {

namespace fs = std::filesystem;

std::vector<std::string> element_names() {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(Element::u64); ++i) names.emplace_back(name(static_cast<Element>(i)));
  return names;
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
  InstanceBuilder(const Table& top, const Combination& combination, bool calls)
      : top_(top), bindings_(combination.bindings), calls_(calls) {
    instance_.label = combination.label;
    instance_.bindings = combination.bindings;
  }

  Instance build() {
    read_reduction();
    read_domain();
    read_buffers();
    read_output();
    for (const Table& table : top_.tables("launch")) {
      instance_.launches.push_back(launch(table));
      name_launch();
    }
    read_claims();
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
    earlier_launches_[name + "_grid"] = volume(launch.grid);
    earlier_launches_[name + "_block"] = volume(launch.block);
  }

  void read_reduction() {
    const auto table = top_.table("reduction");
    if (!table) return;
    Reduction reduction;
    reduction.op = choice(operator_names, "operator", in_contract(table->text("operator")), Operator::sum);
    reduction.input = element_of(in_contract(*table->text("input")));
    const auto accumulator = in_contract(table->text("accumulator"));
    reduction.accumulator = accumulator ? element_of(*accumulator) : reduction.input;
    const auto output = in_contract(table->text("output"));
    reduction.output = output ? element_of(*output) : reduction.accumulator;
    reduction.result = choice(result_names, "result", in_contract(table->text("result")), ResultShape::value);
    instance_.reduction = reduction;
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
  }

  void add_variable(const std::string& name, const Text& raw) {
    instance_.domain.emplace_back(name, range(raw));
    variables_.push_back(name);
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

  void read_buffers() {
    for (const Table& table : top_.tables("buffer")) {
      BufferContract buffer;
      const Text name = in_contract(*table.text("name"));
      const bool taken = std::ranges::find(buffers_, name.value) != buffers_.end() || knows(name.value);
      if (!is_identifier(name.value) || taken)
        throw InputError(taken ? fmt::format("the name \"{}\" is taken", name.value)
                               : fmt::format("\"{}\" cannot name a buffer", name.value),
                         name.where);
      buffer.name = name.value;
      buffer.type = element_of(in_contract(*table.text("type")));
      buffer.count = expression(*table.text("count"));
      buffer.initial = choice(initial_names, "initial", in_contract(table.text("initial")), buffer.initial);
      buffer.reset = choice(reset_names, "reset", in_contract(table.text("reset")), buffer.reset);
      buffers_.push_back(name.value);
      instance_.buffers.push_back(std::move(buffer));
    }
  }

  /// What a result has elements of where [output] does not say.
  Text usual_output_count() const {
    const ResultShape shape = instance_.reduction ? instance_.reduction->result : ResultShape::value;
    const Position where = top_.where("reduction");
    switch (shape) {
      case ResultShape::value: return {"1", where};
      case ResultShape::scan: return {"count", where};
      case ResultShape::rows: return {"rows", where};
      case ResultShape::partials:
      case ResultShape::bins:
      case ResultShape::array: break;
    }
    throw InputError(
        fmt::format("the result \"{}\" needs the key \"count\" in [output]: how many elements there are",
                    name_of(result_names, shape)),
        where);
  }

  void read_output() {
    const auto table = top_.table("output");
    const auto count = table ? table->text("count") : std::nullopt;
    instance_.output_count = expression(count ? *count : usual_output_count());
    if (!table) return;
    instance_.output_initial =
        choice(initial_names, "initial", in_contract(table->text("initial")), instance_.output_initial);
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
    Claims& claims = instance_.claims;
    claims.deterministic = table->boolean("deterministic", claims.deterministic);
    claims.nan = choice(nan_names, "nan", in_contract(table->text("nan")), claims.nan);
    claims.empty = choice(empty_names, "empty", in_contract(table->text("empty")), claims.empty);
    claims.flushes_subnormals = table->boolean("flushes_subnormals", claims.flushes_subnormals);
    claims.uses_every_input_once = table->boolean("uses_every_input_once", claims.uses_every_input_once);
  }

  const Table& top_;
  const Bindings& bindings_;
  bool calls_;  ///< the contract has a `call`, whose kernel and launch are generated
  Instance instance_;
  std::vector<std::string> variables_;
  std::vector<std::string> buffers_{"input", "output"};
  Bindings earlier_launches_;
};

/// A relative -I belongs to the contract's folder, wherever nvcc is started.
std::vector<std::string> resolved_flags(const std::vector<Text>& flags, const fs::path& folder) {
  std::vector<std::string> resolved;
  bool is_folder = false;  // the flag before was a bare -I or -isystem
  for (const Text& flag : flags) {
    const bool joined = flag.value.starts_with("-I") && flag.value.size() > 2;
    if (joined)
      resolved.push_back("-I" + (folder / flag.value.substr(2)).lexically_normal().string());
    else if (is_folder)
      resolved.push_back((folder / flag.value).lexically_normal().string());
    else
      resolved.push_back(flag.value);
    is_folder = flag.value == "-I" || flag.value == "-isystem";
  }
  return resolved;
}

fs::path absolute_folder(const fs::path& file) {
  std::error_code error;
  const fs::path absolute = fs::absolute(file, error);
  return (error ? file : absolute).lexically_normal().parent_path();
}

void read_source(const Table& top, Contract& contract) {
  const fs::path folder = absolute_folder(contract.file);
  contract.source = folder / contract.file.stem().concat(".cu");
  Position named = top.where();
  if (const auto source = top.table("source")) {
    if (const auto path = source->text("path")) {
      contract.source = (folder / path->value).lexically_normal();
      named = path->where;
    }
    contract.flags = resolved_flags(source->texts("flags"), folder);
    if (const auto arch = source->text("arch")) contract.arch = arch->value;
    if (const auto call = source->text("call")) {
      const auto temp = source->text("temp");
      const auto lanes = source->text("lanes");
      contract.call = DeviceCall{call->value, temp ? temp->value : "", lanes ? lanes->value : "0"};
      const bool numbered =
          std::ranges::all_of(contract.call->lanes, [](char c) { return c >= '0' && c <= '9'; });
      if (contract.call->lanes != "all" && (!numbered || contract.call->lanes.empty()))
        throw InputError("\"lanes\" must be a thread's number or \"all\"", lanes->where);
    }
  }
  std::error_code error;
  if (!fs::is_regular_file(contract.source, error))
    throw InputError(fmt::format("the source {} does not exist; name it with \"path\" in [source]",
                                 contract.source.string()),
                     named);
  contract.expected = finding_markers(read_text_file(contract.source, largest_source), contract.source);
}

Allow allow_of(const Table& table) {
  Allow allow;
  const Text kind = *table.text("kind");
  const auto known = kind_named(kind.value);
  if (!known) throw InputError(fmt::format("there is no kind of finding \"{}\"", kind.value), kind.where);
  allow.kind = *known;
  allow.at = table.text("at")->value;
  allow.reason = table.text("reason")->value;
  allow.until = table.date("until");
  allow.where = table.where();
  if (allow.at.empty() || allow.reason.empty())
    throw InputError("a suppression must say where it holds and why", table.where());
  return allow;
}

void check_launches(const Table& top, const Contract& contract) {
  const bool launches = !top.tables("launch").empty();
  if (contract.call && launches)
    throw InputError("a contract has either a \"call\" or launches; leave out the [[launch]] tables",
                     top.where("launch"));
  if (contract.call && !top.has("reduction"))
    throw InputError("a \"call\" needs a [reduction], which says the types of its element and its result",
                     top.where());
  if (!contract.call && !launches)
    throw InputError("the contract has no [[launch]]; add one with entry, grid, block and arguments",
                     top.where());
}

/// Whether "format" stands among the keys before the first table. A file with wrong TOML further down counts,
/// so that its error is told and not passed over.
bool is_contract(const fs::path& file) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    if (line[begin] == '[') return false;
    const std::string_view rest = std::string_view(line).substr(begin);
    if (rest.starts_with("format") && rest.find_first_of(" \t=", 6) == 6) return true;
  }
  return false;
}

}  // namespace

Contract load_contract(const fs::path& file) {
  const toml::table parsed = parse_toml(file);
  const auto format = parsed["format"].value<std::int64_t>();
  if (format && *format != 1)
    throw InputError(fmt::format("format {} is unknown; this program reads format 1", *format),
                     position_of(*parsed.get("format"), file.string()));
  const Table top(parsed, "", file.string());

  Contract contract;
  contract.file = file;
  const auto id = top.text("id");
  contract.id = id ? id->value : file.stem().string();
  const auto summary = top.text("summary");
  contract.summary = summary ? summary->value : "";
  read_source(top, contract);
  check_launches(top, contract);
  for (const Combination& combination : combinations(top)) {
    contract.instances.push_back(InstanceBuilder(top, combination, contract.call.has_value()).build());
    if (contract.call) imply_launch(contract.instances.back(), *contract.call, contract.instances.size() - 1);
  }
  for (const Table& table : top.tables("allow")) contract.allows.push_back(allow_of(table));
  return contract;
}

std::vector<fs::path> contracts_below(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    if (it->path().filename() == case_store_folder) it.disable_recursion_pending();
    if (it->path().extension() != ".toml" || !it->is_regular_file(error)) continue;
    if (is_contract(it->path())) found.push_back(it->path());
  }
  if (error)
    throw InputError(fmt::format("the folder cannot be searched: {}", error.message()), {folder.string()});
  std::ranges::sort(found);
  return found;
}

}  // namespace foldproof
