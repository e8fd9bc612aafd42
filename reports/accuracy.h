// How exact a kernel was, for a terminal and as JSON.
#pragma once

#include <string>

#include "properties/verdict.h"
#include "reports/json.h"

namespace foldproof {

/// A few lines for each instance, where there are few; empty where nothing was judged.
std::string accuracy_text(const AuditReport& report, unsigned width);

/// The fields that docs/json.md lists, into a kernel's object, and back.
void add_accuracy(Json& kernel, const Accuracy& accuracy);
Accuracy accuracy_from(const Json& kernel);

}  // namespace foldproof
