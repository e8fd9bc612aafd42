// foldproof-lab kernels: generates the page docs/kernels.md, which lists what the kernels of a folder claim.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "benchmarks/verbs.h"
#include "command/subjects.h"
#include "contracts/names.h"

namespace foldproof {
namespace {

/// Distinct words, in the order of appearance.
class Words {
 public:
  void add(std::string word) {
    if (!word.empty() && std::ranges::find(words_, word) == words_.end()) words_.push_back(std::move(word));
  }
  std::string joined() const { return words_.empty() ? "–" : fmt::format("{}", fmt::join(words_, " ")); }

 private:
  std::vector<std::string> words_;
};

std::string claims_of(const Instance& instance) {
  const Claims& claims = instance.claims;
  std::vector<std::string> words;
  if (claims.deterministic) words.emplace_back("deterministic");
  if (claims.nan != NanPolicy::unspecified)
    words.push_back(fmt::format("NaN: {}", name_of(nan_names, claims.nan)));
  if (claims.ties == Ties::first) words.emplace_back("first of equal ones");
  if (claims.masked != Masked::unspecified)
    words.push_back(fmt::format("all masked: {}", name_of(masked_names, claims.masked)));
  if (claims.flushes_subnormals) words.emplace_back("may flush subnormals");
  return words.empty() ? "–" : fmt::format("{}", fmt::join(words, "; "));
}

std::string row(const Contract& contract) {
  Words types, operators, results, heights;
  for (const Instance& instance : contract.instances) {
    if (!instance.reduction) continue;
    const auto add = [&](const Reduction& reduction) {
      types.add(std::string(name(reduction.input)));
      operators.add(std::string(name(reduction.op)));
      results.add(std::string(name_of(result_names, reduction.result)));
    };
    add(*instance.reduction);
    for (const AdditionalOutput& additional : instance.additional_outputs) add(additional.reduction);
    if (instance.claims.height) heights.add("`" + instance.claims.height->text() + "`");
  }
  const std::filesystem::path folder = contract.file.parent_path().filename();
  const std::string file = (folder / contract.source.filename()).string();
  return fmt::format("| {} | [{}](../kernels/{}) | {} | {} | {} | {} | {} | {} | {} |\n", contract.id,
                     contract.source.stem().string(), file, contract.summary, types.joined(),
                     operators.joined(), results.joined(),
                     contract.instances.empty() ? "–" : claims_of(contract.instances.front()),
                     heights.joined(), contract.published.empty() ? "–" : contract.published);
}

/// A table for each folder, one row per contract, in the order of `subjects`. Links are relative to the
/// folder `docs` next to `kernels`.
std::string kernel_page(const std::vector<Subject>& subjects) {
  std::string text =
      "# The kernels\n\n"
      "Written by `foldproof-lab kernels > docs/kernels.md` from the contracts; a test compares this "
      "page with them.\nThe height is that of the summation tree: the most combinations on one element's way "
      "into a result.\n[`contracts.md`](contracts.md) explains the words.\n";
  std::string folder;
  for (const Subject& subject : subjects) {
    const std::string here = subject.contract.file.parent_path().filename().string();
    if (here != folder) {
      folder = here;
      text += fmt::format(
          "\n## {}\n\n"
          "| id | kernel | technique | types | operators | results | claims | height | published |\n"
          "|---|---|---|---|---|---|---|---|---|\n",
          folder);
    }
    text += row(subject.contract);
  }
  return text;
}

}  // namespace

Run attach_kernels(CLI::App& app, Console& console) {
  auto path = std::make_shared<std::string>();
  app.add_option("PATH", *path, "Folder, source file or contract (default: the bundled catalogue)");
  return [path, &console] {
    console.print(kernel_page(load_subjects({*path, {}, {}}, {}, console)));
    return int{exit_ok};
  };
}

}  // namespace foldproof
