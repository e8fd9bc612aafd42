#include "contracts/guess.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

/// The kernels that the source itself instantiates, then its other templates with common arguments.
std::vector<Kernel> all_kernels(const fs::path& source, const std::vector<DeclaredKernel>& declared,
                                const CompileOptions& options, std::vector<std::string>& said) {
  std::vector<Kernel> kernels;
  const auto image = compile_source(source, {}, options);
  for (const EntrySignature& entry : entries_of(image->ptx.module()))
    kernels.push_back(kernel_of(*image, entry.lowered, declared));
  std::vector<std::string> instantiated;
  for (const Kernel& kernel : kernels)
    if (kernel.signature.spelled.ends_with('>')) instantiated.push_back(plain_name(kernel.signature.spelled));
  for (const DeclaredKernel& kernel : declared) {
    if (kernel.template_parameters.empty()) continue;
    const auto specializes = [&](const DeclaredKernel& other) {
      return other.is_specialization && other.name == kernel.name;
    };
    // A specialization is compiled even if nothing uses the template.
    if (std::ranges::count(instantiated, kernel.name) > std::ranges::count_if(declared, specializes))
      continue;
    const auto spelled = instantiation_of(kernel);
    if (!spelled) {
      said.push_back(
          fmt::format("{0}: the template was skipped, since its arguments cannot be guessed; name an "
                      "instance with --entry.",
                      kernel.name));
      continue;
    }
    try {
      Kernel instance = compiled_kernel(source, *spelled, declared, options);
      const auto is_same = [&](const Kernel& other) {
        return other.signature.lowered == instance.signature.lowered;
      };
      if (std::ranges::any_of(kernels, is_same)) {
        said.push_back(
            fmt::format("{}: the template was skipped, since {} is a specialization; name an instance "
                        "with --entry.",
                        kernel.name, *spelled));
        continue;
      }
      kernels.push_back(std::move(instance));
      said.push_back(fmt::format("{}: the template is instantiated as {}.", kernel.name, *spelled));
    } catch (const InputError&) {
      said.push_back(fmt::format(
          "{}: the template was skipped, since {} does not compile; name an instance with --entry.",
          kernel.name, *spelled));
    }
  }
  return kernels;
}

Kernel wished_kernel(const fs::path& source, const std::string& entry,
                     const std::vector<DeclaredKernel>& declared, const CompileOptions& options,
                     std::vector<std::string>& said) {
  const auto kernel = std::ranges::find(declared, entry, &DeclaredKernel::name);
  const bool is_template = kernel != declared.end() && !kernel->template_parameters.empty();
  const auto spelled = is_template ? instantiation_of(*kernel) : std::nullopt;
  if (!spelled) return compiled_kernel(source, entry, declared, options);
  said.push_back(fmt::format("{}: the template is instantiated as {}.", entry, *spelled));
  return compiled_kernel(source, *spelled, declared, options);
}

Contract guessed(const fs::path& source, const Kernel& kernel, std::vector<std::string>& said) {
  Contract contract;
  contract.source = source;
  contract.id = kernel.entry.ends_with(')') ? kernel.entry : plain_name(kernel.signature.spelled);
  contract.summary = fmt::format("guessed from the signature of {}({})", kernel.signature.spelled,
                                 fmt::join(kernel.signature.parameters, ", "));
  contract.instances.push_back(guess_instance(kernel, said));
  contract.instances[0].launches[0].lowered = kernel.signature.lowered;
  contract.expected = finding_markers(read_text_file(source, largest_source), source);
  return contract;
}

}  // namespace

std::vector<Contract> guess_contracts(const fs::path& source, const std::string& entry,
                                      const CompileOptions& options, std::vector<std::string>& said) {
  const bool is_ptx = source.extension() == ".ptx";
  const auto declared =
      is_ptx ? std::vector<DeclaredKernel>{} : kernels_declared(preprocessed_source(source, options));
  const std::vector<Kernel> kernels =
      entry.empty() ? all_kernels(source, declared, options, said)
                    : std::vector{wished_kernel(source, entry, declared, options, said)};
  if (kernels.empty())
    throw InputError(declared.empty()
                         ? "this file contains no kernel"
                         : fmt::format("the kernel \"{}\" is a template whose arguments cannot be guessed; "
                                       "name an instance of it, such as \"{}<float>\"",
                                       declared[0].name, declared[0].name),
                     {source.string()});
  std::vector<Contract> contracts;
  std::vector<std::string> reasons;
  for (const Kernel& kernel : kernels) {
    try {
      contracts.push_back(guessed(source, kernel, said));
    } catch (const InputError& error) {
      reasons.push_back(error.sentence());
    }
  }
  if (contracts.empty()) throw InputError(reasons.front(), {source.string()});
  for (const std::string& reason : reasons) said.push_back(reason + ".");
  return contracts;
}

}  // namespace foldproof
