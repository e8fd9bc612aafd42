#include "properties/case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>

#include "base/text.h"
#include "contracts/document.h"

namespace foldproof {
namespace {

/// A TOML key, bare if possible.
std::string key(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, is_word) ? name : toml_string(name);
}

/// "; it is now …", for a key of an earlier version.
std::string_view renamed(std::string_view key) {
  if (key == "law") return "; it is now \"relation\"";
  if (key == "modifiers") return "; it is now \"transforms\"";
  return "";
}

/// One table of a case file: every key is read at most once, and unknown keys are errors.
class Fields {
 public:
  Fields(const toml::table& table, std::string place, const std::string& file)
      : table_(table), place_(std::move(place)), file_(file) {}

  std::string text(std::string_view key) {
    const toml::node& node = required(key);
    if (!node.is_string()) wrong(node, key, "a string");
    return node.as_string()->get();
  }

  Position where(std::string_view key) { return position_of(required(key), file_); }

  /// Empty if the key is absent.
  std::string optional_text(std::string_view key) {
    known_.emplace(key);
    return table_.get(key) == nullptr ? "" : text(key);
  }

  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high) {
    const toml::node& node = required(key);
    if (!node.is_integer()) wrong(node, key, "an integer");
    const std::int64_t value = node.as_integer()->get();
    if (value < low || value > high) wrong(node, key, fmt::format("between {} and {}", low, high));
    return value;
  }

  /// 64 bits, as a string because TOML's integers are signed: decimal, or hexadecimal after 0x.
  std::uint64_t bits(std::string_view key) {
    const toml::node& node = required(key);
    std::string digits = text(key);
    const int base = digits.starts_with("0x") ? 16 : 10;
    if (base == 16) digits.erase(0, 2);
    if (const auto value = integer_in<std::uint64_t>(digits, base)) return *value;
    wrong(node, key, "a string with an unsigned 64-bit number");
  }

  const toml::table& table(std::string_view key) {
    const toml::node& node = required(key);
    if (!node.is_table()) wrong(node, key, "a table");
    return *node.as_table();
  }

  const toml::array* optional_array(std::string_view key) {
    known_.emplace(key);
    const toml::node* node = table_.get(key);
    if (node != nullptr && !node->is_array()) wrong(*node, key, "an array");
    return node == nullptr ? nullptr : node->as_array();
  }

  /// Throws InputError for a key that was never read.
  void end() const {
    for (const auto& [key, node] : table_)
      if (!known_.contains(std::string(key.str())))
        throw InputError(fmt::format("unknown key \"{}\" in {}{}", key.str(), place_, renamed(key.str())),
                         position_of(node, file_));
  }

  [[noreturn]] void wrong(const toml::node& node, std::string_view key, std::string_view should_be) const {
    throw InputError(fmt::format("\"{}\" in {} must be {}", key, place_, should_be),
                     position_of(node, file_));
  }

 private:
  const toml::node& required(std::string_view key) {
    known_.emplace(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr)
      throw InputError(fmt::format("the key \"{}\" is missing in {}", key, place_),
                       position_of(table_, file_));
    return *node;
  }

  const toml::table& table_;
  std::string place_;
  const std::string& file_;
  std::set<std::string, std::less<>> known_;
};

/// The result of `read`, whose errors get the position.
auto located(const Position& where, const auto& read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(error.sentence(), where);
  }
}

/// Older files store the element's bits under a separate key.
Planted planted_element(const toml::node& node, const std::string& file) {
  if (!node.is_table())
    throw InputError("a planted element must be a table with \"index\" and \"value\"",
                     position_of(node, file));
  Fields fields(*node.as_table(), "a planted element", file);
  const auto index = static_cast<std::uint64_t>(fields.integer("index", 0, std::int64_t{1} << 40));
  const bool is_old = node.as_table()->contains("bits");
  Planted planted{index, is_old ? fmt::format("0x{:x}", fields.bits("bits")) : fields.text("value")};
  fields.end();
  located(position_of(node, file), [&] { check_planted(planted.value); });
  return planted;
}

/// Read from the key for its kind.
LaunchOrder order_in(Fields& fields, const toml::table& table) {
  const bool is_load = table.contains("co_running_load");
  const std::string_view key = is_load ? "co_running_load" : "schedule";
  const std::string text = fields.text(key);
  return located(fields.where(key), [&]() -> LaunchOrder {
    if (is_load) return co_running_load_named(text);
    return schedule_named(text);
  });
}

InputStep step_in(const std::string& text, const Position& where) {
  return located(where, [&] { return input_step(text); });
}

InputStep distribution_in(const std::string& text, const Position& where) {
  if (text.find('+') != std::string::npos)
    throw InputError(
        "a stored case lists transforms under the key \"transforms\", as in transforms = "
        "[\"shuffled\"]",
        where);
  return step_in(text, where);
}

Case case_in(const toml::table& table, const std::string& file) {
  Fields fields(table, "[case]", file);
  Case c;
  c.input.distribution = distribution_in(fields.text("distribution"), fields.where("distribution"));
  c.input.seed = fields.bits("seed");
  c.offset = static_cast<std::uint64_t>(fields.integer("offset", 0, largest_offset));
  c.calls = static_cast<std::uint64_t>(fields.integer("calls", 1, most_calls));
  c.order = order_in(fields, table);
  c.relation = fields.optional_text("relation");
  for (const auto& [name, node] : fields.table("variables")) {
    if (!node.is_integer())
      throw InputError(fmt::format("the variable \"{}\" must be an integer", name.str()),
                       position_of(node, file));
    c.variables.emplace(name.str(), node.as_integer()->get());
  }
  if (const toml::array* transforms = fields.optional_array("transforms"))
    for (const toml::node& node : *transforms) {
      if (!node.is_string()) throw InputError("a transform must be a string", position_of(node, file));
      c.input.transforms.push_back(step_in(node.as_string()->get(), position_of(node, file)));
    }
  if (const toml::array* planted = fields.optional_array("planted"))
    for (const toml::node& node : *planted) c.input.planted.push_back(planted_element(node, file));
  fields.end();
  return c;
}

}  // namespace

std::string to_string(const InputStep& step) {
  if (const auto* number = std::get_if<std::int64_t>(&step.argument))
    return fmt::format("{}:{}", step.name, *number);
  if (const auto* place = std::get_if<PlantedAt>(&step.argument))
    return fmt::format("{}:{}", step.name, place_names[static_cast<std::size_t>(*place)]);
  return step.name;
}

InputStep input_step(std::string_view text) {
  const std::size_t colon = text.find(':');
  InputStep step{std::string(text.substr(0, colon)), {}};
  if (colon == std::string_view::npos) return step;
  const std::string_view argument = text.substr(colon + 1);
  const auto* place = std::ranges::find(place_names, argument);
  if (const auto number = integer_in<std::int64_t>(argument))
    step.argument = *number;
  else if (place != std::end(place_names))
    step.argument = static_cast<PlantedAt>(place - std::begin(place_names));
  else
    throw InputError(fmt::format("\"{}\" must have an integer or one of {} after its colon", text,
                                 fmt::join(place_names, ", ")));
  return step;
}

std::string to_string(const InputDistribution& input) {
  std::string text = to_string(input.distribution);
  for (const InputStep& transform : input.transforms) text += "+" + to_string(transform);
  return text;
}

std::string describe(const Case& c) {
  std::string text;
  // The usual variables first, in the order in which a launch is read; then the contract's own.
  const std::string_view usual[] = {"count", "block", "grid"};
  for (const std::string_view name : usual)
    if (const auto found = c.variables.find(name); found != c.variables.end())
      text += fmt::format("{}={} ", name, found->second);
  for (const auto& [name, value] : c.variables)
    if (std::ranges::find(usual, name) == std::end(usual)) text += fmt::format("{}={} ", name, value);
  text +=
      fmt::format("{} seed={} {}={}", to_string(c.input), c.input.seed, key_of(c.order), to_string(c.order));
  if (c.offset != 0 && !c.variables.contains("offset")) text += fmt::format(" offset={}", c.offset);
  if (c.calls != 1) text += fmt::format(" calls={}", c.calls);
  if (!c.relation.empty()) text += fmt::format(" relation={}", c.relation);
  for (const auto& [index, value] : c.input.planted) text += fmt::format(" x[{}]={}", index, value);
  return text;
}

std::string to_toml(const StoredCase& stored) {
  const Case& c = stored.c;
  std::string entry;
  for (const auto& [key, value] :
       {std::pair{"entry", &stored.entry}, std::pair{"as", &stored.as}, std::pair{"map", &stored.map}})
    if (!value->empty()) entry += fmt::format("{:<8} = {}\n", key, toml_string(*value));
  std::string text = fmt::format(
      "format   = 1\ncontract = {}\n{}instance = {}\nfinding  = {}\n\n[case]\ndistribution = {}\n"
      "seed         = \"{}\"\n{:<12} = {}\noffset       = {}\ncalls        = {}\n",
      toml_string(stored.contract.string()), entry, toml_string(stored.instance), toml_string(stored.finding),
      toml_string(to_string(c.input.distribution)), c.input.seed, key_of(c.order),
      toml_string(to_string(c.order)), c.offset, c.calls);
  if (!c.relation.empty()) text += fmt::format("relation     = {}\n", toml_string(c.relation));
  if (!c.input.transforms.empty())
    text += fmt::format("transforms   = [{}]\n",
                        fmt::join(c.input.transforms | std::views::transform([](const InputStep& transform) {
                                    return toml_string(to_string(transform));
                                  }),
                                  ", "));
  if (!c.input.planted.empty()) {
    text += "planted = [\n";
    for (const auto& [index, value] : c.input.planted)
      text += fmt::format("  {{ index = {}, value = {} }},\n", index, toml_string(value));
    text += "]\n";
  }
  text += "\n[case.variables]\n";
  for (const auto& [name, value] : c.variables) text += fmt::format("{} = {}\n", key(name), value);
  return text;
}

StoredCase load_case(const std::filesystem::path& path) {
  const std::string file = path.string();
  const toml::table parsed = parse_toml(path);
  Fields fields(parsed, "the case", file);
  fields.integer("format", 1, 1);
  StoredCase stored;
  stored.contract = path.parent_path() / fields.text("contract");
  stored.where = fields.where("contract");
  stored.entry = fields.optional_text("entry");
  stored.as = fields.optional_text("as");
  stored.map = fields.optional_text("map");
  if (stored.entry.empty() && !stored.as.empty())
    throw InputError("\"as\" requires \"entry\", the kernel of the reference contract", fields.where("as"));
  if (stored.as.empty() && !stored.map.empty())
    throw InputError("\"map\" requires \"as\", the reference contract", fields.where("map"));
  stored.instance = fields.text("instance");
  stored.finding = fields.text("finding");
  stored.c = case_in(fields.table("case"), file);
  fields.end();
  return stored;
}

std::filesystem::path contract_beside(const std::filesystem::path& store,
                                      const std::filesystem::path& named) {
  std::error_code error;
  const std::filesystem::path beside =
      (std::filesystem::absolute(store) / ".." / named.filename()).lexically_normal();
  return !std::filesystem::exists(named, error) && std::filesystem::exists(beside, error) ? beside : named;
}

}  // namespace foldproof
