// The sections of an audit's report as text for a terminal, and the phrases that they share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/printable.h"
#include "base/text.h"
#include "properties/verdict.h"

namespace foldproof {

/// How the values of each instance were checked, if there are few instances; empty if nothing was checked.
/// Clean instances and defects found as expected are left out unless `verbose`.
std::string accuracy_text(const AuditReport& report, bool verbose, unsigned width);

/// One paragraph per group of classes: the number of cases of all instances in each class. Empty if nothing
/// was counted.
std::string coverage_text(const AuditReport& report, unsigned width);

/// One row per instance, fitted to `width` columns. Clean instances of a kernel that differ only in numbers
/// (block sizes) share a row, which shows the range of the numbers, the total of cases and time, and the
/// worst ratio.
std::string table(const AuditReport& report, bool color, unsigned width);

/// The name of a kernel, with its instance in brackets.
std::string titled(const std::string& name, const std::string& instance);

/// "1 case", "2 cases"
std::string counted(std::size_t number, std::string_view noun);

/// A sentence from outside, wrapped as by wrap(); cut if it is very long.
inline std::string sentence_text(const std::string& sentence, std::size_t used, std::size_t indent,
                                 std::size_t width) {
  return wrap(shortened(printable(sentence)), used, indent, width);
}

/// At most `width` characters; longer text ends in two dots.
inline std::string cut(const std::string& text, std::size_t width) {
  return columns_of(text) > width ? first_columns(text, width - 2) + ".." : text;
}

}  // namespace foldproof
