// Checks that docs/json.md documents every field that the program prints.
#include <fstream>
#include <sstream>

#include "catch.h"
#include "cli/kernels.h"
#include "cli/program.h"

using namespace foldproof::test;

namespace {

std::string documentation() {
  std::ifstream file(source_file("docs/json.md"));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Checks the fields of all objects in `json`; the keys of `outputs` are indices and need no documentation.
void check_documented(const nlohmann::json& json, const std::string& text) {
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) {
      INFO(key);
      const bool row = text.find("| `" + key + "` |") != std::string::npos;
      CHECK((row || text.find("\"" + key + "\": [x, y, z]") != std::string::npos));
    }
    if (value.is_structured() && key != "outputs") check_documented(value, text);
  }
}

}  // namespace

TEST_CASE("every field of the printed JSON is documented") {
  const Folder folder;
  const std::string file = folder.file("add_one.ptx", add_one_ptx);
  const std::string text = documentation();
  check_documented(run_json({"sanitize", file, "--entry", "add_one", "--block", "8", "--arg",
                             "buffer:i32:4:zeros", "--arg", "u32:8", "--dump", "0", "--counters"})
                       .json,
                   text);
  check_documented(run_json({"audit", "nowhere.cu"}).json, text);
  check_documented(run_json({"mutate", source_file("kernels/tree/atomic_only.toml"), "--cases", "4"}).json,
                   text);
  check_documented(run_json({"list"}).json, text);
  check_documented(laboratory_output({"claims"}).json, text);
  check_documented(
      run_json({"audit", source_file("kernels/tree"), "--only", "A5", "--cases", "1", "--counters"}).json,
      text);
  check_documented(run_json({"prepare", source_file("kernels/tree/atomic_only.toml")}).json, text);
  check_documented(run_json({"exact", "sum", "--type", "i8", file}).json, text);
  check_documented(laboratory_output({"bench", "emulated", "--runs", "1"}).json, text);
  check_documented(laboratory_output({"bench", "oracles", "--runs", "1"}).json, text);
}
