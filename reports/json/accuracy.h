// How exact a kernel was, as JSON.
#pragma once

#include "reports/json.h"

namespace foldproof {

/// The fields that docs/json.md lists, into a kernel's object, and back.
void add_accuracy(Json& kernel, const Accuracy& accuracy);
Accuracy accuracy_from(const Json& kernel);

}  // namespace foldproof
