#include "contracts/scalar_arguments.h"

namespace foldproof {
namespace {

template <typename Argument, typename Arguments>
void add_scalars(Arguments& arguments, std::vector<Argument*>& all) {
  for (auto& argument : arguments) {
    if (argument.form == ArgumentContract::Form::structure)
      add_scalars(argument.members, all);
    else
      all.push_back(&argument);
  }
}

}  // namespace

std::vector<ArgumentContract*> scalar_arguments(std::vector<ArgumentContract>& arguments) {
  std::vector<ArgumentContract*> all;
  add_scalars(arguments, all);
  return all;
}

std::vector<const ArgumentContract*> scalar_arguments(const std::vector<ArgumentContract>& arguments) {
  std::vector<const ArgumentContract*> all;
  add_scalars(arguments, all);
  return all;
}

}  // namespace foldproof
