#include "contracts/representative_instances.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "contracts/signature.h"

namespace foldproof {
namespace {

/// An instance, with its template arguments.
struct TemplateInstance {
  std::size_t index;
  std::vector<std::string> arguments;
};

/// The instances of one template that are not chosen yet.
class Template {
 public:
  void add(std::size_t index, const std::vector<std::string>& arguments) {
    left_.push_back({index, arguments});
  }

  bool is_empty() const { return left_.empty(); }

  /// Removes the first of those with most values that no chosen instance has, and returns its index.
  std::size_t take() {
    const auto best = std::ranges::max_element(
        left_, {}, [&](const TemplateInstance& instance) { return new_values(instance); });
    const TemplateInstance taken = *best;
    left_.erase(best);
    for (std::size_t k = 0; k < taken.arguments.size(); ++k) chosen_.emplace(k, taken.arguments[k]);
    return taken.index;
  }

 private:
  std::size_t new_values(const TemplateInstance& instance) const {
    std::size_t count = 0;
    for (std::size_t k = 0; k < instance.arguments.size(); ++k)
      count += chosen_.contains({k, instance.arguments[k]}) ? 0 : 1;
    return count;
  }

  std::vector<TemplateInstance> left_;
  std::set<std::pair<std::size_t, std::string>> chosen_;  ///< positions and values of arguments
};

/// Of "sum<float, 128u>": "float" and " 128u".
std::vector<std::string> template_arguments(std::string_view spelled) {
  const std::string_view list = spelled.substr(std::min(spelled.find('<'), spelled.size()));
  std::vector<std::string> arguments;
  if (list.size() > 2)
    for (const std::string_view argument : split_list(list.substr(1, list.size() - 2), "<({[", ">)}]"))
      arguments.emplace_back(argument);
  return arguments;
}

}  // namespace

std::vector<std::size_t> representative_instances(const std::vector<std::string>& kernels, std::size_t most) {
  // Overloads have different numbers of arguments or parameters.
  std::map<std::tuple<std::string, std::size_t, std::size_t>, Template> templates;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const EntrySignature signature = signature_of_spelling(kernels[i]);
    const std::vector<std::string> arguments = template_arguments(signature.spelled);
    templates[{plain_name(signature.spelled), arguments.size(), signature.parameters.size()}].add(i,
                                                                                                  arguments);
  }
  std::vector<std::size_t> chosen;
  const std::size_t wanted = std::min(std::max(most, templates.size()), kernels.size());
  while (chosen.size() < wanted)
    for (auto& [name, instances] : templates)
      if (!instances.is_empty() && chosen.size() < wanted) chosen.push_back(instances.take());
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace foldproof
