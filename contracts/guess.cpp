#include "contracts/guess.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/files.h"
#include "base/text.h"
#include "contracts/declarations.h"
#include "contracts/guessing/candidates.h"
#include "contracts/guessing/source_launches.h"
#include "contracts/markers.h"
#include "contracts/names.h"
#include "ptx/query.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

/// "ns::sum" with common template arguments: float for types, 256 for sizes, false for switches.
std::optional<std::string> instantiation_of(const DeclaredKernel& kernel) {
  std::vector<std::string> arguments;
  for (const std::string& parameter : kernel.template_parameters) {
    if (parameter.find('=') != std::string::npos) break;  // this parameter and those after it have defaults
    if (parameter.find('<') != std::string::npos || parameter.find("...") != std::string::npos)
      return std::nullopt;
    const bool is_type = parameter.starts_with("typename") || parameter.starts_with("class");
    arguments.emplace_back(is_type ? "float" : parameter.starts_with("bool") ? "false" : "256");
  }
  return fmt::format("{}<{}>", kernel.name, fmt::join(arguments, ", "));
}

/// A kernel and its compiled source.
struct FoundKernel {
  Kernel kernel;
  std::shared_ptr<const Image> image;
};

/// Compiles the entry, given as C++ or a PTX file spells it.
FoundKernel compiled_kernel(const fs::path& source, const std::string& entry,
                            const std::vector<DeclaredKernel>& declared, const CompileOptions& options) {
  CompiledSource made = compiled_entry(source, entry, options);
  const auto image = std::make_shared<const Image>(std::move(made.image));
  return {kernel_of(*image, made.lowered.at(0), declared), image};
}

/// Whether the kernels include an instance of the template. Specializations are compiled even if nothing uses
/// the template, so they do not count.
bool is_instantiated(const DeclaredKernel& kernel, const std::vector<FoundKernel>& kernels,
                     const std::vector<DeclaredKernel>& declared) {
  const auto is_instance = [&](const FoundKernel& found) {
    const EntrySignature& signature = found.kernel.signature;
    return signature.spelled.ends_with('>') && plain_name(signature.spelled) == kernel.name &&
           signature.parameters.size() == kernel.parameters.size();
  };
  const auto specializes = [&](const DeclaredKernel& other) {
    return !other.specialized_for.empty() && other.name == kernel.name &&
           other.parameters.size() == kernel.parameters.size();
  };
  return std::ranges::count_if(kernels, is_instance) > std::ranges::count_if(declared, specializes);
}

Contract contract_of(const fs::path& source, const std::string& id, const std::string& summary,
                     Instance instance) {
  Contract contract;
  contract.source = source;
  contract.id = id;
  contract.summary = summary;
  contract.instances.push_back(std::move(instance));
  read_markers(contract);
  return contract;
}

Contract unfit(const fs::path& source, const std::string& id, const std::string& entry,
               std::vector<std::string> parameters, const std::string& reason) {
  LaunchContract launch;
  launch.entry = entry;
  Instance instance;
  instance.launches.push_back(std::move(launch));
  Contract contract =
      contract_of(source, id, fmt::format("{}({})", entry, fmt::join(parameters, ", ")), std::move(instance));
  contract.no_fit = NoFit{reason, std::move(parameters)};
  return contract;
}

/// The kernels of a source, and contracts for its templates without an instance.
struct FoundKernels {
  std::vector<FoundKernel> kernels;
  std::vector<Contract> without_instance;

  /// Adds an instance of the template with common arguments, or a contract that says why there is none.
  void add_instance(const fs::path& source, const DeclaredKernel& kernel,
                    const std::vector<DeclaredKernel>& declared, const CompileOptions& options) {
    const auto spelled = instantiation_of(kernel);
    if (!spelled) return add_without_instance(source, kernel, "its arguments cannot be guessed");
    try {
      FoundKernel instance = compiled_kernel(source, *spelled, declared, options);
      const auto is_same = [&](const FoundKernel& other) {
        return other.kernel.signature.lowered == instance.kernel.signature.lowered;
      };
      if (std::ranges::any_of(kernels, is_same))
        return add_without_instance(source, kernel, fmt::format("{} is a specialization", *spelled));
      kernels.push_back(std::move(instance));
    } catch (const InputError&) {
      add_without_instance(source, kernel, fmt::format("{} does not compile", *spelled));
    }
  }

 private:
  void add_without_instance(const fs::path& source, const DeclaredKernel& kernel, const std::string& why) {
    without_instance.push_back(
        unfit(source, kernel.name, kernel.name, kernel.parameters,
              fmt::format("the source does not instantiate this template, and {}; specify an instance with "
                          "--entry, such as \"{}<float>\"",
                          why, kernel.name)));
  }
};

/// Whether the kernel does nothing and is not one of those that the source declares, as CUB's EmptyKernel.
bool is_empty_of_library(const Image& image, const EntrySignature& entry,
                         const std::vector<DeclaredKernel>& declared) {
  const std::string name = plain_name(entry.spelled);
  return !declared.empty() && std::ranges::find(declared, name, &DeclaredKernel::name) == declared.end() &&
         ptx::is_empty(*ptx::find(image.ptx.module(), entry.lowered));
}

/// The kernels that the source itself instantiates and that are `wanted`.
template <typename Wanted>
std::vector<FoundKernel> instances_in(const fs::path& source, const std::vector<DeclaredKernel>& declared,
                                      const CompileOptions& options, const Wanted& wanted) {
  std::vector<FoundKernel> found;
  const auto image = compile_source(source, {}, options);
  for (const EntrySignature& entry : entries_of(image->ptx.module()))
    if (wanted(*image, entry)) found.push_back({kernel_of(*image, entry.lowered, declared), image});
  return found;
}

/// The kernels that the source itself instantiates, then its other templates with common arguments.
FoundKernels all_kernels(const fs::path& source, const std::vector<DeclaredKernel>& declared,
                         const CompileOptions& options) {
  FoundKernels found;
  found.kernels =
      instances_in(source, declared, options, [&](const Image& image, const EntrySignature& entry) {
        return !is_empty_of_library(image, entry, declared);
      });
  std::vector<DeclaredKernel> templates;
  std::ranges::copy_if(declared, std::back_inserter(templates), [&](const DeclaredKernel& kernel) {
    return !kernel.template_parameters.empty() && !is_instantiated(kernel, found.kernels, declared);
  });
  for (const DeclaredKernel& kernel : templates) found.add_instance(source, kernel, declared, options);
  return found;
}

/// Of a template, the instances of the source or, if it has none, one with common arguments.
std::vector<FoundKernel> wished_kernels(const fs::path& source, const std::string& entry,
                                        const std::vector<DeclaredKernel>& declared,
                                        const CompileOptions& options) {
  const auto kernel = std::ranges::find(declared, entry, &DeclaredKernel::name);
  if (kernel == declared.end() || kernel->template_parameters.empty())
    return {compiled_kernel(source, entry, declared, options)};
  std::vector<FoundKernel> instances = instances_in(
      source, declared, options,
      [&](const Image&, const EntrySignature& one) { return plain_name(one.spelled) == kernel->name; });
  if (!instances.empty()) return instances;
  return {compiled_kernel(source, instantiation_of(*kernel).value_or(entry), declared, options)};
}

/// What to audit instead of a file without kernels, as the end of a sentence.
std::string next_step(const fs::path& source) {
  const std::string extension = source.extension().string();
  for (const char* header : {".h", ".hh", ".hpp", ".cuh"})
    if (extension == header)
      return "; audit a .cu file that includes this header and instantiates its templates";
  for (const char* library : {".a", ".o", ".so", ".cubin", ".fatbin"})
    if (extension == library)
      return "; audit the source, or the PTX that \"nvcc -ptx -lineinfo\" generates from it";
  return "";
}

std::string id_of(const Kernel& kernel) {
  return kernel.entry.ends_with(')') ? kernel.entry : plain_name(kernel.signature.spelled);
}

/// Partial results of such a sum are rounded individually, so that one block computes it.
bool names_compensated_method(const Reference& reference) {
  const std::string* method = reference.value_of("method");
  const auto* row = method == nullptr ? std::end(sum_names)
                                      : std::ranges::find(sum_names, *method, &Named<SumMethod>::name);
  return row != std::end(sum_names) && is_compensated(row->value);
}

/// Sets the likeliest instance, and the contract with it.
void guess_contract(const fs::path& source, const Kernel& kernel, const std::optional<Reference>& reference,
                    GuessedKernel& guess) {
  Supposition supposed{.reference = reference ? &*reference : nullptr, .is_chosen = reference.has_value()};
  if (reference && names_compensated_method(*reference)) supposed.grid = 1;
  InstanceGuess likeliest = guess_instance(kernel, supposed);
  likeliest.instance.launches[0].lowered = kernel.signature.lowered;
  const Instance& instance = likeliest.instance;
  if (const Operator op = instance.reduction->op;
      !reference && !says_operator(kernel) && says_other(instance.output_name, op))
    throw Unfit(fmt::format(
        "no contract can be guessed for this kernel, since it seems to compute {}, but its output is called "
        "\"{}\"; use --as to specify what the kernel computes, or complete the contract that `foldproof "
        "init` writes",
        name(op), instance.output_name));
  if (!reference && has_unknown_nans(last_name(kernel), instance.reduction->op))
    throw Unfit(fmt::format(
        "no contract can be guessed for this kernel, since its name says that it ignores NaN, which the "
        "operator {} does not support",
        name(instance.reduction->op)));
  guess.likeliest = std::move(likeliest);
  guess.contract = contract_of(
      source, id_of(kernel),
      fmt::format("{} {}({})", reference ? reference->as + " by" : "guessed from the signature of",
                  kernel.signature.spelled, fmt::join(kernel.signature.parameters, ", ")),
      guess.likeliest.instance);
  guess.contract.assumptions = guess.likeliest.assumptions;
}

std::vector<std::string> declarations_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> declarations;
  for (const Parameter& parameter : parameters) {
    const std::string own = parameter.name.empty() ? parameter.type : parameter.type + " " + parameter.name;
    if (parameter.whole.empty()) declarations.push_back(own);
    if (!parameter.whole.empty() && declarations.size() == parameter.argument)
      declarations.push_back(parameter.whole);
  }
  return declarations;
}

Contract unfit(const fs::path& source, const Kernel& kernel, const std::string& reason) {
  return unfit(source, id_of(kernel), kernel.entry, declarations_of(kernel.parameters), reason);
}

void expand_structs(std::string_view text, std::vector<FoundKernel>& kernels) {
  const auto may_take = [](const FoundKernel& found) { return may_take_structs(found.kernel); };
  if (text.empty() || std::ranges::none_of(kernels, may_take)) return;
  const SourceText source(text);
  for (FoundKernel& found : kernels) expand_structs(found.kernel, found.image->ptx.module(), source);
}

/// Sets the launches of the kernels in the source.
void find_launches(std::string_view text, std::vector<FoundKernel>& kernels) {
  std::vector<LaunchedKernel> launched;
  for (const FoundKernel& found : kernels)
    launched.push_back(launched_kernel(found.kernel.signature.spelled));
  auto launches = launches_in(text, launched);
  for (std::size_t k = 0; k < kernels.size(); ++k) kernels[k].kernel.launches = std::move(launches[k]);
}

KnownBlocks blocks_of(const Kernel& kernel) {
  KnownBlocks blocks;
  blocks.launched = kernel.launched_blocks();
  blocks.launched_threads = kernel.launched_threads();
  for (const SourceLaunch& launch : kernel.launches)
    if (std::ranges::find(blocks.launches, launch) == blocks.launches.end())
      blocks.launches.push_back(launch);
  blocks.launched_grid = kernel.launched_grid(kernel.grid_axis());
  blocks.may_be_several = kernel.facts.uses_block_index || kernel.has_open_grid();
  blocks.may_assert = kernel.facts.asserts;
  blocks.widest_read = kernel.facts.widest_read;
  blocks.template_integers = template_integers(kernel);
  blocks.unused_parameters = kernel.facts.unused_parameters;
  blocks.is_required = kernel.facts.required_threads.has_value();
  blocks.most = kernel.facts.required_threads.value_or(kernel.facts.most_threads.value_or(blocks.most));
  return blocks;
}

/// Sets `wrong_reference` if the kernel does not have what the reference names.
GuessedKernel guess_of(const fs::path& source, FoundKernel found, const std::optional<Reference>& reference,
                       std::optional<InputError>& wrong_reference) {
  const Kernel& kernel = found.kernel;
  GuessedKernel guess;
  guess.image = std::move(found.image);
  guess.blocks = blocks_of(kernel);
  try {
    guess_contract(source, kernel, reference, guess);
  } catch (const Unfit& why) {
    guess.contract = unfit(source, kernel, why.what());
  } catch (const InputError& error) {
    wrong_reference.emplace(error);
    guess.contract = unfit(source, kernel, error.sentence());
  }
  guess.is_named = is_plain_name(last_name(kernel));
  if (reference) guess.contract.as = reference->as, guess.contract.map = reference->map;
  // A word such as "prod" is no more than a hint if the kernel cannot be that, and so is one such as "norm".
  const NameRow* row = row_of_name(last_name(kernel));
  // A scale is often at least some epsilon.
  const bool has_variants = row != nullptr && (!row->unknown.empty() || row->op == Operator::absmax);
  guess.contract.is_unconfirmed = !reference && (!guess.is_named || has_variants);
  const bool is_settled = row != nullptr
                              ? row->op != Operator::norm
                              : operator_in_name(last_name(kernel)).has_value() && !guess.contract.no_fit;
  guess.candidates = [kernel = std::move(found.kernel), reference, is_settled] {
    return candidates_for(kernel, reference ? &*reference : nullptr, is_settled);
  };
  return guess;
}

/// Whether one of the names is the same but for an argument that is `false` instead of `true`.
bool has_sibling_with_false(const std::string& spelled, const std::set<std::string>& names) {
  constexpr std::string_view yes = "true";
  for (std::size_t at = spelled.find(yes); at != std::string::npos; at = spelled.find(yes, at + 1)) {
    std::string sibling = spelled;
    if (names.contains(sibling.replace(at, yes.size(), "false"))) return true;
  }
  return false;
}

GuessedKernel guess_without_instance(Contract contract) {
  GuessedKernel guess;
  guess.contract = std::move(contract);
  guess.candidates = [] { return std::vector<Candidate>{}; };
  return guess;
}

}  // namespace

std::vector<GuessedKernel> guess_kernels(const fs::path& source, const std::string& entry,
                                         const CompileOptions& options,
                                         const std::optional<Reference>& reference) {
  const std::string text = source.extension() == ".ptx" ? "" : preprocessed_source(source, {}, options);
  const std::vector<DeclaredKernel> declared = kernels_declared(text);
  FoundKernels found = entry.empty() ? all_kernels(source, declared, options)
                                     : FoundKernels{wished_kernels(source, entry, declared, options), {}};
  if (found.kernels.empty() && found.without_instance.empty())
    throw InputError("this file contains no kernel" + next_step(source), {source.string()});
  std::vector<GuessedKernel> guesses;
  std::optional<InputError> wrong_reference;
  find_launches(text, found.kernels);
  expand_structs(text, found.kernels);
  std::set<std::string> spelled;
  for (const FoundKernel& one : found.kernels) spelled.insert(one.kernel.signature.spelled);
  for (FoundKernel& one : found.kernels) {
    const bool is_special_case = has_sibling_with_false(one.kernel.signature.spelled, spelled);
    guesses.push_back(guess_of(source, std::move(one), reference, wrong_reference));
    guesses.back().is_special_case = is_special_case;
  }
  const auto is_unfit = [](const GuessedKernel& guess) { return guess.contract.no_fit.has_value(); };
  if (wrong_reference && std::ranges::all_of(guesses, is_unfit)) throw *wrong_reference;
  for (Contract& contract : found.without_instance)
    guesses.push_back(guess_without_instance(std::move(contract)));
  return guesses;
}

std::string assumed(const Contract& contract) {
  return fmt::format("{}: assumed {}.", contract.instances.at(0).launches.at(0).entry,
                     fmt::join(contract.assumptions, ", "));
}

}  // namespace foldproof
