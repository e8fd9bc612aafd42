#include "contracts/guess.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/files.h"
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

/// Compiles the entry, given as C++ or a PTX file spells it.
Kernel compiled_kernel(const fs::path& source, const std::string& entry,
                       const std::vector<DeclaredKernel>& declared, const CompileOptions& options) {
  const CompiledSource made = compiled_entry(source, entry, options);
  return kernel_of(made.image, made.lowered.at(0), declared);
}

/// Whether the kernels include an instance of the template. Specializations are compiled even if nothing uses
/// the template, so they do not count.
bool is_instantiated(const DeclaredKernel& kernel, const std::vector<Kernel>& kernels,
                     const std::vector<DeclaredKernel>& declared) {
  const auto is_instance = [&](const Kernel& other) {
    return other.signature.spelled.ends_with('>') && plain_name(other.signature.spelled) == kernel.name &&
           other.signature.parameters.size() == kernel.parameters.size();
  };
  const auto specializes = [&](const DeclaredKernel& other) {
    return !other.specialized_for.empty() && other.name == kernel.name &&
           other.parameters.size() == kernel.parameters.size();
  };
  return std::ranges::count_if(kernels, is_instance) > std::ranges::count_if(declared, specializes);
}

/// An instance of the template with common arguments, added to the kernels; or why there is none.
std::string add_instance(const fs::path& source, const DeclaredKernel& kernel,
                         const std::vector<DeclaredKernel>& declared, const CompileOptions& options,
                         std::vector<Kernel>& kernels) {
  const auto spelled = instantiation_of(kernel);
  if (!spelled) return "its arguments cannot be guessed";
  try {
    Kernel instance = compiled_kernel(source, *spelled, declared, options);
    const auto is_same = [&](const Kernel& other) {
      return other.signature.lowered == instance.signature.lowered;
    };
    if (std::ranges::any_of(kernels, is_same)) return fmt::format("{} is a specialization", *spelled);
    kernels.push_back(std::move(instance));
    return "";
  } catch (const InputError&) {
    return fmt::format("{} does not compile", *spelled);
  }
}

/// The kernels that the source itself instantiates, then its other templates with common arguments.
std::vector<Kernel> all_kernels(const fs::path& source, const std::vector<DeclaredKernel>& declared,
                                const CompileOptions& options, std::vector<std::string>& left_out) {
  std::vector<Kernel> kernels;
  const auto image = compile_source(source, {}, options);
  for (const EntrySignature& entry : entries_of(image->ptx.module()))
    kernels.push_back(kernel_of(*image, entry.lowered, declared));
  std::vector<DeclaredKernel> templates;
  std::ranges::copy_if(declared, std::back_inserter(templates), [&](const DeclaredKernel& kernel) {
    return !kernel.template_parameters.empty() && !is_instantiated(kernel, kernels, declared);
  });
  for (const DeclaredKernel& kernel : templates) {
    const std::string why_not = add_instance(source, kernel, declared, options, kernels);
    if (!why_not.empty())
      left_out.push_back(fmt::format("{}: the template was skipped, since {}; name an instance with --entry.",
                                     kernel.name, why_not));
  }
  return kernels;
}

Kernel wished_kernel(const fs::path& source, const std::string& entry,
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

Contract guessed(const fs::path& source, const Kernel& kernel, const std::optional<Reference>& reference) {
  Contract contract;
  contract.source = source;
  contract.id = kernel.entry.ends_with(')') ? kernel.entry : plain_name(kernel.signature.spelled);
  contract.summary =
      fmt::format("{} {}({})", reference ? reference->as + " by" : "guessed from the signature of",
                  kernel.signature.spelled, fmt::join(kernel.signature.parameters, ", "));
  contract.instances.push_back(
      guess_instance(kernel, reference ? &*reference : nullptr, contract.assumptions));
  contract.instances[0].launches[0].lowered = kernel.signature.lowered;
  if (reference) contract.as = reference->as, contract.map = reference->map;
  contract.expected = finding_markers(read_text_file(source, largest_source), source);
  return contract;
}

}  // namespace

std::vector<Contract> guess_contracts(const fs::path& source, const std::string& entry,
                                      const CompileOptions& options, std::vector<std::string>& left_out,
                                      const std::optional<Reference>& reference) {
  const bool is_ptx = source.extension() == ".ptx";
  const auto declared =
      is_ptx ? std::vector<DeclaredKernel>{} : kernels_declared(preprocessed_source(source, options));
  const std::vector<Kernel> kernels = entry.empty()
                                          ? all_kernels(source, declared, options, left_out)
                                          : std::vector{wished_kernel(source, entry, declared, options)};
  if (kernels.empty())
    throw InputError(declared.empty()
                         ? "this file contains no kernel" + next_step(source)
                         : fmt::format("the kernel \"{}\" is a template whose arguments cannot be guessed; "
                                       "name an instance of it, such as \"{}<float>\"",
                                       declared[0].name, declared[0].name),
                     {source.string()});
  std::vector<Contract> contracts;
  std::vector<std::string> reasons;
  for (const Kernel& kernel : kernels) {
    try {
      contracts.push_back(guessed(source, kernel, reference));
    } catch (const InputError& error) {
      reasons.push_back(error.sentence());
    }
  }
  if (contracts.empty()) throw InputError(reasons.front(), {source.string()});
  for (const std::string& reason : reasons) left_out.push_back(reason + ".");
  return contracts;
}

std::string assumed(const Contract& contract) {
  const Instance& instance = contract.instances.at(0);
  const auto block = std::ranges::find(instance.domain, "block", &std::pair<std::string, Range>::first);
  return fmt::format("{}: assumed {}, block size {}.", instance.launches.at(0).entry,
                     fmt::join(contract.assumptions, ", "), block->second.low.text());
}

}  // namespace foldproof
