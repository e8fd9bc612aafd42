#include "contracts/guess.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "contracts/declarations.h"
#include "contracts/guessing/guesses.h"
#include "contracts/markers.h"

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
  contract.expected = finding_markers(read_text_file(source, largest_source), source);
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

/// The kernels of a source, and contracts for the templates of which it has no instance.
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
    without_instance.push_back(unfit(
        source, kernel.name, kernel.name, kernel.parameters,
        fmt::format("the source has no instance of this template, and {}; name one with --entry, such as "
                    "\"{}<float>\"",
                    why, kernel.name)));
  }
};

/// The kernels that the source itself instantiates, then its other templates with common arguments.
FoundKernels all_kernels(const fs::path& source, const std::vector<DeclaredKernel>& declared,
                         const CompileOptions& options) {
  FoundKernels found;
  const auto image = compile_source(source, {}, options);
  for (const EntrySignature& entry : entries_of(image->ptx.module()))
    found.kernels.push_back({kernel_of(*image, entry.lowered, declared), image});
  std::vector<DeclaredKernel> templates;
  std::ranges::copy_if(declared, std::back_inserter(templates), [&](const DeclaredKernel& kernel) {
    return !kernel.template_parameters.empty() && !is_instantiated(kernel, found.kernels, declared);
  });
  for (const DeclaredKernel& kernel : templates) found.add_instance(source, kernel, declared, options);
  return found;
}

FoundKernel wished_kernel(const fs::path& source, const std::string& entry,
                          const std::vector<DeclaredKernel>& declared, const CompileOptions& options) {
  const auto kernel = std::ranges::find(declared, entry, &DeclaredKernel::name);
  const bool is_template = kernel != declared.end() && !kernel->template_parameters.empty();
  const auto spelled = is_template ? instantiation_of(*kernel) : std::nullopt;
  return compiled_kernel(source, spelled.value_or(entry), declared, options);
}

/// What to audit instead of a file without kernels, as the end of a sentence.
std::string next_step(const fs::path& source) {
  const std::string extension = source.extension().string();
  for (const char* header : {".h", ".hh", ".hpp", ".cuh"})
    if (extension == header)
      return "; audit a .cu file that includes this header and instantiates its templates";
  for (const char* library : {".a", ".o", ".so", ".cubin", ".fatbin"})
    if (extension == library)
      return "; audit the source, or the PTX that \"nvcc -ptx -lineinfo\" makes from it";
  return "";
}

std::string id_of(const Kernel& kernel) {
  return kernel.entry.ends_with(')') ? kernel.entry : plain_name(kernel.signature.spelled);
}

Contract guessed(const fs::path& source, const Kernel& kernel, const std::optional<Reference>& reference) {
  std::vector<std::string> assumptions;
  Instance instance = guess_instance(kernel, {.reference = reference ? &*reference : nullptr}, assumptions);
  instance.launches[0].lowered = kernel.signature.lowered;
  Contract contract = contract_of(
      source, id_of(kernel),
      fmt::format("{} {}({})", reference ? reference->as + " by" : "guessed from the signature of",
                  kernel.signature.spelled, fmt::join(kernel.signature.parameters, ", ")),
      std::move(instance));
  contract.assumptions = std::move(assumptions);
  return contract;
}

std::vector<std::string> declarations_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> declarations;
  for (const Parameter& parameter : parameters)
    declarations.push_back(parameter.name.empty() ? parameter.type : parameter.type + " " + parameter.name);
  return declarations;
}

Contract unfit(const fs::path& source, const Kernel& kernel, const std::string& reason) {
  return unfit(source, id_of(kernel), kernel.entry, declarations_of(kernel.parameters), reason);
}

/// Every reference contract; those with an epsilon also with the usual ones.
std::vector<Reference> all_references() {
  std::vector<Reference> references;
  for (const Problem& problem : problems())
    for (const std::string_view shape : shapes_of(problem)) {
      const std::string as = fmt::format("{}:{}", problem.name, shape);
      references.push_back(reference_named(as, ""));
      if (!info(problem.op).takes("epsilon")) continue;
      for (const char* epsilon : {"1e-5", "1e-6", "1e-12"})
        references.push_back(reference_named(fmt::format("{},epsilon={}", as, epsilon), ""));
    }
  return references;
}

/// The kernel under that supposition; nothing if it lacks an operand or a size.
std::optional<Candidate> candidate_for(const Kernel& kernel, const Supposition& supposed) {
  Candidate candidate;
  try {
    candidate.instance = guess_instance(kernel, supposed, candidate.assumptions);
  } catch (const Unfit&) {
    return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
  candidate.instance.launches[0].lowered = kernel.signature.lowered;
  candidate.is_narrow = supposed.elements_per_thread > 1 || supposed.reads_whole_groups;
  candidate.doubles_shared = supposed.shared_per_thread > 1;
  if (supposed.reference != nullptr)
    candidate.assumptions.push_back(fmt::format("operator {}", supposed.reference->as));
  return candidate;
}

/// The integers among the template arguments, from 2 to 1024: block sizes, or elements per thread.
std::vector<std::uint32_t> template_integers(const Kernel& kernel) {
  constexpr std::uint32_t most = 1024;
  std::vector<std::uint32_t> integers;
  const std::string_view spelled = kernel.signature.spelled;
  const std::size_t begin = spelled.find('<');
  if (begin == std::string_view::npos) return integers;
  for (const std::string_view argument :
       split_list(spelled.substr(begin + 1, spelled.size() - begin - 2), "<(", ">)")) {
    const std::size_t digits = argument.find_last_of("0123456789") + 1;  // "256u"
    const auto number = integer_in<std::uint32_t>(trimmed(argument.substr(0, digits)));
    if (number && *number > 1 && *number <= most) integers.push_back(*number);
  }
  return integers;
}

bool has_several_sizes(const Kernel& kernel) {
  return std::ranges::count_if(kernel.parameters, [](const Parameter& parameter) {
           return !parameter.is_pointer && parameter.element && !is_float(*parameter.element);
         }) > 1;
}

bool reads_groups(const Kernel& kernel) {
  return std::ranges::any_of(kernel.parameters, [&](const Parameter& parameter) {
    return parameter.is_pointer && parameter.element && parameter.lanes == 1 &&
           size_of(*parameter.element) < kernel.facts.widest_read;
  });
}

/// Everything that can be supposed about the launch and the sizes of the kernel, the likelier first.
std::vector<Supposition> suppositions(const Kernel& kernel) {
  const std::vector<std::uint32_t> integers = template_integers(kernel);
  std::vector<std::optional<std::uint32_t>> blocks{std::nullopt};
  blocks.insert(blocks.end(), integers.begin(), integers.end());
  std::set<std::uint32_t> elements{1, 2, 4, 8};
  elements.insert(integers.begin(), integers.end());
  const auto either = [](bool both) { return both ? std::vector{false, true} : std::vector{false}; };
  std::vector<Supposition> all;
  for (const bool orders : either(has_several_sizes(kernel)))
    for (const bool groups : either(reads_groups(kernel)))
      for (const auto block : blocks)
        for (const std::uint32_t per_thread : elements) {
          all.push_back({nullptr, block, per_thread, 1, groups, orders, false, false});
          if (kernel.facts.uses_dynamic_shared)
            all.push_back({nullptr, block, per_thread, 2, groups, orders, false, false});
        }
  all.push_back({.is_square = true});
  all.push_back({.output_is_scratch = true});
  // A kernel of shuffles alone is for a warp, or for blocks of whole warps.
  if (kernel.facts.uses_shuffle && !kernel.facts.uses_shared)
    for (const std::uint32_t block : {128U, 256U}) all.push_back({.block = block});
  return all;
}

/// The name without namespaces and template arguments.
std::string last_name(const Kernel& kernel) {
  const std::string name = plain_name(kernel.signature.spelled);
  const std::size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

/// Candidates without repetitions: many suppositions make no difference to a kernel.
class Candidates {
 public:
  explicit Candidates(const Kernel& kernel) : kernel_(kernel) {}

  void add(const Reference* reference, Supposition supposed, bool keeps_operator) {
    supposed.reference = reference;
    auto candidate = candidate_for(kernel_, supposed);
    if (!candidate) return;
    Contract contract;
    contract.instances = {candidate->instance};
    if (!texts_.insert(starter_contract(contract)).second) return;
    candidate->keeps_operator = keeps_operator;
    all_.push_back(std::move(*candidate));
  }

  std::vector<Candidate> take() { return std::move(all_); }

 private:
  const Kernel& kernel_;
  std::set<std::string> texts_;
  std::vector<Candidate> all_;
};

/// What else the kernel could be: first, what the user or its name says, with everything that can be supposed
/// about its launch; then, unless the user or the name has said it, everything that it could compute.
std::vector<Candidate> candidates_for(const Kernel& kernel, const Reference* chosen, bool is_settled) {
  const auto named = operator_named(last_name(kernel));
  const std::vector<Reference> references = chosen == nullptr ? all_references() : std::vector<Reference>{};
  Candidates candidates(kernel);
  const std::vector<Supposition> all = suppositions(kernel);
  for (const Supposition& supposed : all) {
    candidates.add(chosen, supposed, true);
    for (const Reference& reference : references)
      if (reference.op == named) candidates.add(&reference, supposed, true);
  }
  // A tally of the trial inputs would be a constant.
  const auto is_possible = [&](const Reference& reference) {
    return !is_settled && reference.op != named && info(reference.op).gives != OperatorInfo::Gives::tally;
  };
  for (const Supposition& supposed : all)
    if (supposed.elements_per_thread == 1 && supposed.shared_per_thread == 1 && !supposed.block)
      for (const Reference& reference : references)
        if (is_possible(reference)) candidates.add(&reference, supposed, false);
  return candidates.take();
}

}  // namespace

std::vector<GuessedKernel> guess_kernels(const fs::path& source, const std::string& entry,
                                         const CompileOptions& options,
                                         const std::optional<Reference>& reference) {
  const bool is_ptx = source.extension() == ".ptx";
  const auto declared =
      is_ptx ? std::vector<DeclaredKernel>{} : kernels_declared(preprocessed_source(source, options));
  FoundKernels found = entry.empty() ? all_kernels(source, declared, options)
                                     : FoundKernels{{wished_kernel(source, entry, declared, options)}, {}};
  if (found.kernels.empty() && found.without_instance.empty())
    throw InputError("this file contains no kernel" + next_step(source), {source.string()});
  std::vector<GuessedKernel> guesses;
  std::optional<InputError> wrong_reference;
  for (const auto& [kernel, image] : found.kernels) {
    GuessedKernel guess;
    guess.image = image;
    try {
      guess.contract = guessed(source, kernel, reference);
    } catch (const Unfit& why) {
      guess.contract = unfit(source, kernel, why.what());
    } catch (const InputError& error) {
      wrong_reference.emplace(error);
      guess.contract = unfit(source, kernel, error.sentence());
    }
    guess.is_named = operator_named(last_name(kernel)).has_value();
    if (reference) guess.contract.as = reference->as, guess.contract.map = reference->map;
    // A word such as "prod" is no more than a hint if the kernel cannot be that.
    const bool is_settled =
        row_of_name(last_name(kernel)) != nullptr || (guess.is_named && !guess.contract.no_fit);
    guess.candidates = [kernel = kernel, reference, is_settled] {
      return candidates_for(kernel, reference ? &*reference : nullptr, is_settled);
    };
    guesses.push_back(std::move(guess));
  }
  const auto is_unfit = [](const GuessedKernel& guess) { return guess.contract.no_fit.has_value(); };
  if (wrong_reference && std::ranges::all_of(guesses, is_unfit)) throw *wrong_reference;
  for (Contract& contract : found.without_instance)
    guesses.push_back({std::move(contract), false, [] { return std::vector<Candidate>{}; }, nullptr});
  return guesses;
}

std::string assumed(const Contract& contract) {
  const Instance& instance = contract.instances.at(0);
  const auto block = std::ranges::find(instance.domain, "block", &std::pair<std::string, Range>::first);
  return fmt::format("{}: assumed {}, block size {}.", instance.launches.at(0).entry,
                     fmt::join(contract.assumptions, ", "), block->second.low.text());
}

}  // namespace foldproof
