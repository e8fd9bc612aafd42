// What a user may write to name a kernel.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace foldproof {

/// Why the text can name no kernel, as a sentence; nothing for a name or a template-id such as "sum",
/// "ns::sum<float, 128>" or "(anonymous namespace)::sum".
std::optional<std::string> why_no_entry(std::string_view text);

}  // namespace foldproof
