#include "command/source_options.h"

#include <fmt/format.h>

#include <iterator>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "command/project_file.h"

namespace foldproof {

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace

void SourceOptions::attach(CLI::App& app) {
  const auto once = [](CLI::Option* option) { option->group("Compilation")->allow_extra_args(false); };
  once(app.add_option("-I", includes_, "Include folder")->type_name("DIR"));
  once(app.add_option("-D", defines_,
                      "Macro definition; a value with a quote, $, `, \\, ;, &, | or @ requires --nvcc")
           ->type_name("NAME[=VALUE]"));
  once(app.add_option("--std", standard_, "Language standard (also -std=c++20)")->type_name("STANDARD"));
  once(app.add_option("--arch", arch_, "PTX target, such as compute_80")->type_name("TARGET"));
  once(app.add_option("--nvcc", nvcc_,
                      "Additional flags for nvcc; a first word that is not a flag names the compiler")
           ->type_name("\"FLAGS\""));
  once(app.add_option("--compile-commands", compile_commands_,
                      "Folder that contains the compile_commands.json to read flags from")
           ->type_name("DIR"));
  once(app.add_option(
              "--project", project_,
              "Project file with defaults, or \"none\" (default: foldproof.toml next to PATH or above)")
           ->type_name("FILE"));
  once(app.add_flag("--trust", trusts_,
                    "Allow contracts that run host functions, and contracts and stored cases that name files "
                    "outside their folder"));
}

std::vector<std::string> SourceOptions::contract_flags() const {
  std::vector<std::string> flags;
  if (!standard_.empty()) flags.push_back("-std=" + standard_);
  for (const std::string& define : defines_) flags.push_back("-D" + define);
  for (const std::string& folder : includes_) flags.push_back("-I" + folder);
  return checked_flags(flags);
}

std::string SourceOptions::further_words() const {
  std::string words;
  for (const auto& [option, value] : {std::pair{"--nvcc", nvcc_}, {"--compile-commands", compile_commands_}})
    if (!value.empty()) words += fmt::format(" {} {}", option, shell_word(value));
  return words;
}

std::string SourceOptions::words() const {
  return words_besides_project() + (project_.empty() ? "" : " --project " + shell_word(project_));
}

std::string SourceOptions::words_besides_project() const {
  std::string words;
  for (const std::string& flag : contract_flags())
    words += flag.starts_with("-I") ? " -I " + shell_word(flag.substr(2)) : " " + shell_word(flag);
  if (!arch_.empty()) words += " --arch " + shell_word(arch_);
  return words + further_words();
}

CompileOptions SourceOptions::compile_options() const {
  CompileOptions options;
  options.flags = contract_flags();
  std::vector<std::string> further = words_of(nvcc_);
  if (!further.empty() && !further[0].starts_with('-')) {
    options.nvcc = further[0];
    further.erase(further.begin());
  }
  options.nvcc_flags = std::move(further);
  if (!project_.empty() && project_ != "none") {
    ProjectDefaults defaults = read_project_file(project_);
    options.project_flags = std::move(defaults.flags);
    options.project_arch = std::move(defaults.arch);
  }
  options.arch = arch_;
  options.compile_commands = compile_commands_;
  return options;
}

}  // namespace foldproof
