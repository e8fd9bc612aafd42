// Contracts written to break the reader: each is refused in one sentence and in a short time.
#include <string>

#include "catch.h"
#include "workshop.h"

using namespace foldproof;

namespace {

bool is_refused(const std::string& toml) {
  const std::string error = load_error(toml);
  INFO(toml.substr(0, 200) << " ... " << error);
  return error.starts_with("k.toml") && error.find('\n') == std::string::npos && error.size() < 4000;
}

std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

const std::string one_launch = "\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n";

}  // namespace

TEST_CASE("broken TOML is refused at its position") {
  CHECK(load_error("format = \n").starts_with("k.toml:1:"));
  CHECK(is_refused("format = 1\nformat = 1\n"));
  CHECK(is_refused("[[launch]]\n[launch]\n"));
  CHECK(is_refused("format = 1\nid = \"\xff\xfe\"\n"));
  CHECK(is_refused(std::string("format = 1\nid = \"\0\"\n", 20)));
  CHECK(is_refused("format = 1\n[source]\npath = \"a.cu\\u0000b.cu\"\n"));
  CHECK(load_error("format = 1\nid = \"a\\\\u0000\"\n").find("NUL") == std::string::npos);
  CHECK(is_refused("\"\"\"\n"));
  CHECK(is_refused("format = 99999999999999999999\n"));
  CHECK(is_refused("a.b.c.d = 1\nformat = 1"));
}

TEST_CASE("a file beyond the limit is not read") {
  CHECK(is_refused("format = 1\n#" + std::string(2 << 20, 'x')));
}

TEST_CASE("deep nesting does not exhaust the stack") {
  CHECK(is_refused("format = 1\nx = " + std::string(100000, '[')));
  CHECK(is_refused("format = 1\ntypes = " + repeated("{ a = ", 50000)));
  CHECK(is_refused("format = 1\n" + repeated("a.", 100000) + "b = 1"));
}

TEST_CASE("every value of a wrong type is refused") {
  for (const char* key : {"format", "id", "summary", "types", "exclude", "source", "reduction", "domain",
                          "output", "buffer", "launch", "claims", "allow", "equivalent"}) {
    for (const char* value : {"1.5", "true", "[[1]]", "[1, \"a\"]", "1979-05-27T07:32:00Z", "nan"}) {
      const std::string start = std::string(key) == "format" ? "" : "format = 1\n";
      CHECK(is_refused(start + key + " = " + value + "\n"));
    }
  }
}

TEST_CASE("a domain has at most 64 variables") {
  const auto with_variables = [](int variables) {
    std::string text = "format = 1\n[domain]\n";
    for (int i = 0; i < variables; ++i) text += "v" + std::to_string(i) + " = \"0 .. 2\"\n";
    return text + "[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n";
  };
  CHECK(load_error(with_variables(64)).empty());
  CHECK(load_error(with_variables(65)) == "k.toml:2:1: [domain] has 65 variables; the limit is 64");
}

TEST_CASE("a matrix beyond the limit is refused before it is built") {
  std::string axes;
  for (char axis = 'A'; axis <= 'Z'; ++axis) axes += std::string(1, axis) + " = [1, 2, 3, 4, 5, 6, 7, 8], ";
  axes.resize(axes.size() - 2);
  CHECK(load_error("format = 1\ntypes = { " + axes + " }" + one_launch).find("more than 4096 combinations") !=
        std::string::npos);
  CHECK(is_refused("format = 1\ntypes = { T = [] }" + one_launch));
  CHECK(is_refused("format = 1\ntypes = { T = [1, 1] }" + one_launch));
  CHECK(is_refused("format = 1\ntypes = { T = [\"a;b\"] }" + one_launch));
  CHECK(is_refused("format = 1\ntypes = { \"a b\" = [1] }" + one_launch));
  CHECK(is_refused("format = 1\ntypes = { T = [[1]] }" + one_launch));
}

TEST_CASE("a placeholder with too many values is refused before they are compared") {
  std::string values;
  for (int i = 0; i < 100'000; ++i) values += std::to_string(i) + ",";
  CHECK(load_error("format = 1\ntypes = { A = [" + values + "] }\n" + one_launch)
            .find("has 100000 values; the limit is 4096") != std::string::npos);
}

TEST_CASE("a large contract with many combinations is refused before they are built") {
  std::string values;
  for (int i = 0; i < 4096; ++i) values += std::to_string(i) + ",";
  const std::string contract = "format = 1\nsummary = \"" + std::string(500'000, 'x') +
                               "\"\ntypes = { A = [" + values + "] }\n" + one_launch;
  CHECK(load_error(contract).find("combinations, too many for a contract of") != std::string::npos);
}

TEST_CASE("more tables than any kernel needs are refused") {
  CHECK(load_error("format = 1\n" + one_launch + repeated("[[buffer]]\nname = \"b\"\n", 1025))
            .find("[[buffer]] occurs 1025 times; the limit is 1024") != std::string::npos);
}

TEST_CASE("hostile arguments are refused") {
  const std::string start = "format = 1\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\narguments = [\"";
  CHECK(is_refused(start + std::string(1000, '{') + std::string(1000, '}') + "\"]"));
  CHECK(is_refused(start + "{\"]"));
  CHECK(is_refused(start + "{}\"]"));
  CHECK(is_refused(start + "\"]"));
  CHECK(is_refused(start + ":\"]"));
  CHECK(is_refused(start + "f32:\"]"));
  CHECK(is_refused(start + "input +\"]"));
  CHECK(is_refused(start + repeated("{f32:1,", 5000) + "\"]"));
}
