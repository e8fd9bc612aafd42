// Runs that must be refused.
#pragma once

#include <string>
#include <vector>

#include "catch.h"
#include "cli/program.h"

namespace foldproof::test {

/// The run must be refused with status 2 and a sentence that contains `part`.
inline RanJson refused(const std::vector<std::string>& arguments, const std::string& part) {
  const RanJson ran = run_json(arguments);
  INFO(ran.json.dump() << "\n" << ran.err);
  CHECK(ran.status == 2);
  CHECK(ran.json.at("tool") == "foldproof");
  CHECK(ran.json.at("kernels").empty());
  const auto message = ran.json.at("error").at("message").get<std::string>();
  CHECK(message.find(part) != std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
  CHECK(ran.err.find("error: ") != std::string::npos);
  return ran;
}

inline std::vector<std::string> sanitize(const std::string& file, const std::vector<std::string>& further) {
  std::vector<std::string> arguments{"sanitize", file, "--entry", "add_one"};
  arguments.insert(arguments.end(), further.begin(), further.end());
  return arguments;
}

}  // namespace foldproof::test
