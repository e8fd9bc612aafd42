// Lowers a syntax tree to a runnable program: names become offsets, suffixes become forms, labels become
// indices.
#include <fmt/format.h>

#include "devices/emulated/program/function_lowering.h"
#include "devices/emulated/program/load_marks.h"
#include "devices/emulated/program/observed_attributes.h"
#include "ptx/query.h"

namespace foldproof::emulated {

namespace {

/// Whether it orders nothing although it is strong, and waits for nothing.
bool is_plain_strong_access(const Instruction& i) {
  using isa::Semantics;
  return (i.action == Action::load || i.action == Action::store) && !i.polled &&
         (i.form->semantics == Semantics::relaxed || i.form->semantics == Semantics::volatile_);
}

bool is_of_cooperative_groups(const std::string& file) {
  return file.find("/include/cooperative_groups/") != std::string::npos ||
         file.ends_with("/include/cooperative_groups.h");
}

}  // namespace

Program lower(const ptx::Module& module, const std::string& name,
              const std::function<std::uint64_t(std::uint64_t bytes)>& allocate) {
  ptx::refuse_unknown(module, name);
  Program program;
  program.name = name;
  program.locs = module.locs;
  program.files = module.files;
  for (const auto& [number, file] : module.files) {
    if (is_of_cooperative_groups(file)) program.cooperative_groups_files.insert(number);
    if (file.ends_with("/cooperative_groups/details/sync.h")) program.group_barrier_files.insert(number);
  }
  LoweringContext context{.program = program, .addresses = {}, .functions = {}, .forms = {}};
  for (const ptx::Function& function : module.functions)
    if (function.body)
      context.functions.try_emplace(function.name, static_cast<std::uint32_t>(context.functions.size()));
  program.functions.resize(context.functions.size());
  // Calls and addresses of an alias refer to its function.
  for (const auto& [alias_name, alias] : module.aliases) {
    const auto function = context.functions.find(alias.function);
    if (function == context.functions.end())
      throw InputError(fmt::format("the alias {} refers to {}, which the module does not define", alias_name,
                                   alias.function),
                       {name, alias.ptx_line, 0});
    context.functions.emplace(alias_name, function->second);
  }
  context.addresses = lay_out(module, program, context.functions, allocate);
  for (const ptx::Function& function : module.functions)
    if (function.body)
      program.functions[context.functions.at(function.name)] = FunctionLowering(context, function).run();
  mark_polls(program);
  mark_confirmed(program);
  for (FunctionCode& code : program.functions)
    for (Instruction& i : code.instructions) {
      i.site = static_cast<std::uint32_t>(program.sites.size());
      program.sites.push_back(&i);
      i.repeats = is_repeated(i);
      program.has_plain_strong_accesses |= is_plain_strong_access(i);
      if (accesses_memory(i))
        program.details[i.detail].attributes = attributes_of(i, program.details[i.detail]);
    }
  return program;
}

}  // namespace foldproof::emulated
