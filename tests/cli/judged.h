// What the audit of kernels without a contract says about each kernel.
#pragma once

#include <map>
#include <string>

#include "cli/program.h"

namespace foldproof::test {

struct Judged {
  std::string verdict, reason, notes;
  std::string errors;    ///< their kinds, one after the other
  std::string warnings;  ///< their messages, one after the other
};

/// That member of all findings with that severity.
inline std::string joined(const nlohmann::json& kernel, const char* severity, const char* member) {
  std::string text;
  for (const auto& finding : kernel.at("findings"))
    if (finding.at("severity") == severity) text += std::string(finding.at(member)) + " ";
  return text;
}

/// By entry.
inline std::map<std::string, Judged> judged(const RanJson& ran) {
  std::map<std::string, Judged> all;
  for (const auto& kernel : ran.json.at("kernels"))
    all[kernel.at("entry")] = {
        kernel.at("verdict"), kernel.at("reason").is_string() ? std::string(kernel.at("reason")) : "",
        kernel.at("notes").dump(), joined(kernel, "error", "kind"), joined(kernel, "warning", "message")};
  return all;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace foldproof::test
