#include "cli/reference_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command/program.h"

namespace foldproof {

void ReferenceOptions::attach(CLI::App& app) {
  app.add_option(
         "--as", as,
         "Instead of a contract, the reference contract of what the kernels compute, such as softmax:rows or "
         "top-k:rows,k=8; \"audit --as list\" lists all")
      ->type_name("PROBLEM[:SHAPE][,KEY=VALUE…]");
  app.add_option(
         "--map", map,
         "With --as: the parameters of the kernel, by index from 0 or by name (default: guessed), such as "
         "x=0,y=1,rows=2,columns=3")
      ->type_name("PART=PARAMETER,…");
}

std::optional<Reference> ReferenceOptions::reference() const {
  if (as.empty() && !map.empty()) throw InputError("--map requires --as, which names the parts to map");
  if (as.empty()) return std::nullopt;
  return reference_named(as, map);
}

int list_references(const Console& console) {
  const std::vector<Problem> all = problems();
  console.print_as_asked(
      [&] {
        Json list = Json::array();
        for (const Problem& problem : all)
          list.push_back({{"name", problem.name},
                          {"operator", info(problem.op).name},
                          {"shapes", shapes_of(problem)},
                          {"meaning", problem.synopsis}});
        return Json{{"reference_contracts", list}};
      },
      [&] {
        std::string text;
        for (const Problem& problem : all)
          text += fmt::format("{:<20} {:<34} {}\n", problem.name,
                              fmt::format("{}", fmt::join(shapes_of(problem), ", ")), problem.synopsis);
        return text;
      });
  return exit_ok;
}

}  // namespace foldproof
