// From syntax to a runnable program: names become offsets, suffixes become forms, labels become indices.
#include "devices/emulated/machine/function_lowering.h"

namespace foldproof::machine {

Program lower(const ptx::Module& module, const std::string& name,
              const std::function<std::uint64_t(std::uint64_t bytes)>& allocate) {
  Program program;
  program.name = name;
  program.locs = module.locs;
  program.files = module.files;
  LoweringContext context{program, {}, {}, {}};
  for (const ptx::Function& function : module.functions)
    if (function.body)
      context.functions.try_emplace(function.name, static_cast<std::uint32_t>(context.functions.size()));
  context.addresses = lay_out(module, program, context.functions, allocate);
  program.functions.resize(context.functions.size());
  for (const ptx::Function& function : module.functions)
    if (function.body)
      program.functions[context.functions.at(function.name)] = FunctionLowering(context, function).run();
  return program;
}

}  // namespace foldproof::machine
