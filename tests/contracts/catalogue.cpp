// Checks that kernels/ contains exactly the kernels that kernels/matrix.toml requires.
#include <algorithm>
#include <map>
#include <set>

#include <toml++/toml.h>

#include <fmt/format.h>

#include "base/files.h"
#include "catch.h"
#include "contracts/contract.h"

namespace foldproof {
namespace {

const std::string kernels = FOLDPROOF_SOURCE_DIR "/kernels";

using Words = std::vector<std::string>;
using Pairs = std::set<std::string>;  ///< "f32 sum"

Words words_of(const toml::table& table, std::string_view key, const Words& fallback) {
  const toml::array* array = table[key].as_array();
  if (array == nullptr) return fallback;
  Words words;
  for (const toml::node& node : *array) words.push_back(node.value_or(std::string()));
  return words;
}

struct Matrix {
  std::map<std::string, Pairs> due;  ///< by id
  Words faults;

  explicit Matrix(const toml::table& file) {
    const Words types = words_of(file, "types", {}), operators = words_of(file, "operators", {});
    for (const auto& [key, node] : file)
      if (const toml::table* row = node.as_table()) add(std::string(key.str()), *row, types, operators);
  }

 private:
  void add(const std::string& id, const toml::table& row, const Words& all_types, const Words& operators) {
    const Words types = words_of(row, "types", all_types);
    if (types != all_types && row["why"].value_or(std::string()).empty())
      faults.push_back(id + " has fewer types and does not say why");
    if (row["technique"].value_or(std::string()).empty()) faults.push_back(id + " names no technique");
    Pairs& pairs = due[id];
    for (const std::string& type : types)
      for (const std::string& op : words_of(row, "operators", operators)) pairs.insert(type + " " + op);
    const toml::array* gaps = row["gaps"].as_array();
    for (std::size_t i = 0; gaps != nullptr && i < gaps->size(); ++i)
      leave_out(id, *gaps->get(i)->as_table(), types, words_of(row, "operators", operators));
  }

  void leave_out(const std::string& id, const toml::table& gap, const Words& types, const Words& operators) {
    if (gap["reason"].value_or(std::string()).empty()) faults.push_back(id + " has a gap without a reason");
    for (const std::string& type : words_of(gap, "types", types))
      for (const std::string& op : words_of(gap, "operators", operators))
        if (due[id].erase(type + " " + op) == 0)
          faults.push_back(fmt::format("{} leaves out {} {}, which it does not have", id, type, op));
  }
};

Matrix matrix() { return Matrix(toml::parse_file(kernels + "/matrix.toml")); }

/// What the contracts cover, by id; defects and repaired kernels are not rows of the matrix.
std::map<std::string, Pairs> covered() {
  std::map<std::string, Pairs> all;
  for (const auto& file : contracts_below(kernels)) {
    const std::string folder = file.parent_path().filename().string();
    if (folder == "defects" || folder == "repaired") continue;
    const Contract contract = load_contract(file, Trust::full);
    for (const Instance& instance : contract.instances) {
      const std::string type(name(instance.reduction->input));
      all[contract.id].insert(fmt::format("{} {}", type, name(instance.reduction->op)));
      for (const AdditionalOutput& additional : instance.additional_outputs)
        all[contract.id].insert(fmt::format("{} {}", type, name(additional.reduction.op)));
    }
  }
  return all;
}

/// "a; b, …": what is in one and not in the other.
std::string missing(const std::map<std::string, Pairs>& wanted, const std::map<std::string, Pairs>& there) {
  std::string text;
  for (const auto& [id, pairs] : wanted)
    for (const std::string& pair : pairs)
      if (!there.contains(id) || !there.at(id).contains(pair)) text += fmt::format("{} {}; ", id, pair);
  return text;
}

TEST_CASE("README states how many instances the catalogue has, and how many need a GPU") {
  std::size_t instances = 0, host_functions = 0;
  for (const auto& file : contracts_below(kernels))
    for (const Instance& instance : load_contract(file, Trust::full).instances) {
      ++instances;
      host_functions += is_host_function(instance) ? 1 : 0;
    }
  const std::string readme = read_text_file(FOLDPROOF_SOURCE_DIR "/README.md", 1 << 20);
  CHECK(readme.find(fmt::format("The catalogue has {} instances; {} call host functions", instances,
                                host_functions)) != std::string::npos);
}

TEST_CASE("every row of the catalogue has a kernel in the matrix") {
  constexpr std::pair<char, int> families[] = {{'A', 13}, {'B', 10}, {'C', 14},
                                               {'E', 9},  {'F', 10}, {'G', 6}};
  const Matrix rows = matrix();
  for (const auto& [family, count] : families)
    for (int number = 1; number <= count; ++number) {
      const std::string row = fmt::format("{}{}", family, number);
      INFO(row);
      CHECK(std::ranges::any_of(rows.due, [&](const auto& kernel) {
        return kernel.first == row || kernel.first.starts_with(row + "-");
      }));
    }
}

TEST_CASE("every gap in the matrix has a reason") { CHECK(matrix().faults == Words{}); }

TEST_CASE("every kernel of the matrix exists, for every type and every operator") {
  CHECK(missing(matrix().due, covered()) == "");
}

TEST_CASE("no kernel exists that is not in the matrix") { CHECK(missing(covered(), matrix().due) == ""); }

}  // namespace
}  // namespace foldproof
