// All forms allowed by the syntax of a row of ptx.def.
#pragma once

#include <string>
#include <vector>

#include "devices/emulated/isa/form.h"

namespace foldproof::isa {

struct NamedForm {
  std::string text;
  Form form;
};

/// Every combination of the row's words, modifiers and types that exists and belongs to no other row.
std::vector<NamedForm> every_form_of(const Row& row);

}  // namespace foldproof::isa
