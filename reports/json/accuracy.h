// The accuracy of a kernel, as JSON.
#pragma once

#include "reports/json.h"

namespace foldproof {

/// Adds the fields that docs/json.md lists to a kernel's object, and reads them back.
void add_accuracy(Json& kernel, const Accuracy& accuracy);
Accuracy accuracy_from(const Json& kernel);

}  // namespace foldproof
