#include "contracts/guessing/source_launches.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "contracts/cuda_tokens.h"
#include "contracts/guess.h"
#include "contracts/guessing/host_evaluation.h"
#include "contracts/guessing/launch_forms.h"
#include "contracts/guessing/source_text.h"
#include "contracts/guessing/source_values.h"
#include "contracts/signature.h"

namespace foldproof {
namespace {

constexpr std::uint32_t most_threads = 1024;
// Tokens from the beginning of a function to a launch.
constexpr std::size_t longest_path = 4096;

class Launches {
 public:
  explicit Launches(const SourceText& text) : text_(text), values_(text), host_(text, values_) {}

  /// `shares_name`: with another kernel or instance.
  std::vector<SourceLaunch> of(const LaunchedKernel& kernel, bool shares_name) {
    std::vector<SourceLaunch> found;
    for (const std::size_t i : text_.places_of(kernel.name)) {
      const auto launch = text_.launch_at(i + 1);
      if (!launch) continue;
      const std::optional<bool> is_its_own = shares_name ? launches(*launch, kernel) : true;
      if (is_its_own == false) continue;
      if (!is_its_own || launch->configuration.size() < 2 || depends_on_constants(i)) return {};
      found.push_back(described(*launch, host_.calls_of(i)));
    }
    return found;
  }

 private:
  /// Whether the launch is one of that kernel, and not of another with its name; nothing if that is unknown.
  std::optional<bool> launches(const LaunchText& launch, const LaunchedKernel& kernel) const {
    std::string arguments;
    bool is_spelled_out = launch.template_arguments.begin < launch.template_arguments.end;
    for (std::size_t i = launch.template_arguments.begin; i < launch.template_arguments.end; ++i) {
      arguments += without_suffix(text_.token(i));
      is_spelled_out &= !is_letter(text_.token(i).front()) || is_type(text_.token(i));
    }
    if (!kernel.template_arguments.empty() && arguments == plain(kernel.template_arguments)) return true;
    return is_spelled_out ? std::optional(false) : std::nullopt;
  }

  /// The text of its tokens.
  static std::string plain(std::string_view arguments) {
    std::string text;
    for (const std::string_view token : tokens_of(arguments)) text += without_suffix(token);
    return text;
  }

  SourceLaunch described(const LaunchText& launch, std::vector<HostCall> calls) {
    SourceLaunch result;
    result.calls = std::move(calls);
    result.grid = values_.extents_in(launch.configuration[0]);
    result.block = block_of(values_.extents_in(launch.configuration[1]));
    for (std::size_t axis = 0; axis < result.blocks.size(); ++axis)
      result.blocks.at(axis) = values_.expression_in(launch.configuration[0], axis).value_or("");
    const bool has_one_dimension = result.block[1] == 1U && result.block[2] == 1U;
    if (has_one_dimension || result.block == SourceExtents{})  // the latter may be a variable
      result.threads = values_.expression_in(launch.configuration[1]).value_or("");
    result.is_only_one = text_.launches() == 1;
    result.shared =
        launch.configuration.size() < 3 ? "0" : values_.expression_in(launch.configuration[2]).value_or("");
    for (const TokenRange& argument : launch.arguments) result.arguments.push_back(text_of(argument));
    complete_by_calls(result);
    if (!has_known_sizes(result)) result.not_understood = "<<<" + spelled(launch.configuration) + ">>>";
    // What is also passed to the kernel as a number is not a dim3.
    const std::string& blocks = result.blocks[0];
    if (!blocks.empty() && std::ranges::find(result.arguments, blocks) != result.arguments.end())
      for (const std::size_t axis : {1, 2})
        if (result.blocks.at(axis).empty()) result.blocks.at(axis) = "1";
    return result;
  }

  /// Whether it is known how many blocks and threads it has, at least along x and with sample values.
  static bool has_known_sizes(const SourceLaunch& launch) {
    const auto are_known = [&](HostExtents HostCall::*extents) {
      return !launch.calls.empty() && std::ranges::all_of(launch.calls, [&](const HostCall& call) {
        return (call.*extents)[0].has_value();
      });
    };
    return (launch.grid[0] || !launch.blocks[0].empty() || are_known(&HostCall::grid)) &&
           (launch.block[0] || !launch.threads.empty() || are_known(&HostCall::block));
  }

  /// The text of the parts, without the spaces around operators; only the beginning of a long one.
  std::string spelled(const std::vector<TokenRange>& parts) const {
    std::string all;
    for (const TokenRange& part : parts) {
      all += all.empty() ? "" : ", ";
      for (std::size_t i = part.begin; i < part.end; ++i) {
        const bool are_words =
            i > part.begin && is_word(text_.token(i - 1).back()) && is_word(text_.token(i).front());
        all += are_words ? " " : "";
        all += text_.token(i);
      }
    }
    constexpr std::size_t longest = 100;
    return all.size() > longest ? all.substr(0, longest) + "..." : all;
  }

  /// The name of a variable whose value is computed, but not by an expression, stands for what is passed.
  std::string text_of(TokenRange argument) {
    const bool is_one = argument.end == argument.begin + 1 && is_name(text_.token(argument.begin));
    const std::string name(is_one ? text_.token(argument.begin) : "");
    return values_.expression_in(argument).value_or(name);
  }

  /// A block that can be launched.
  static SourceExtents block_of(const SourceExtents& extents) {
    std::uint64_t threads = 1;
    for (const auto extent : extents) threads *= std::min(extent.value_or(1), most_threads + 1);
    return threads > most_threads ? SourceExtents{} : extents;
  }

  /// Whether the token is in a statement, or a block, that an `if` with a constant condition may skip.
  bool depends_on_constants(std::size_t at) {
    int depth = 0;
    bool is_same_statement = true;
    for (std::size_t k = 0; k < longest_path && at-- > 0; ++k) {
      if (depth == 0 && is_same_statement && text_.token(at) == "if" && is_constant_condition(at + 1))
        return true;
      if (depth == 0 && (text_.token(at) == ";" || text_.token(at) == "}")) is_same_statement = false;
      depth -= depth_change(text_.token(at));
      if (depth < 0) {  // what encloses it
        depth = 0;
        is_same_statement = true;
      }
    }
    return false;
  }

  /// "constexpr (...)", or a condition without variables.
  bool is_constant_condition(std::size_t at) {
    if (text_.token(at) != "(") return true;
    const auto end = text_.end_of(at);
    for (; end && at < *end; ++at) {
      const bool is_word = is_letter(text_.token(at).front());
      if (is_word && text_.token(at) != "sizeof" && !is_type(text_.token(at)) &&
          !number_of(values_.constant(at)))
        return false;
    }
    return end.has_value();
  }

  const SourceText& text_;
  SourceValues values_;
  HostEvaluation host_;
};

}  // namespace

LaunchedKernel launched_kernel(const std::string& spelled) {
  LaunchedKernel kernel{std::string(unqualified(spelled)), ""};
  if (const std::size_t open = spelled.find('<'); open != std::string::npos)
    kernel.template_arguments = spelled.substr(open + 1, spelled.size() - open - 2);
  return kernel;
}

std::vector<std::vector<SourceLaunch>> launches_in(std::string_view source,
                                                   const std::vector<LaunchedKernel>& kernels) {
  std::map<std::string_view, std::size_t> with_name;
  for (const LaunchedKernel& kernel : kernels) ++with_name[kernel.name];
  const SourceText text(source);
  Launches launches(text);
  std::vector<std::vector<SourceLaunch>> found;
  for (const LaunchedKernel& kernel : kernels)
    found.push_back(launches.of(kernel, with_name[kernel.name] > 1));
  return found;
}

}  // namespace foldproof
