// A wrong contract is refused in one sentence, at the position of the error; without trust, so is one that
// reads or runs something outside its folder.
#include <filesystem>

#include "catch.h"
#include "workshop.h"

using namespace foldproof;

TEST_CASE("a wrong contract is refused in one sentence with file, line and column") {
  CHECK(load_error("id = \"x\"\n") ==
        "k.toml:1:1: the top-level table lacks the key \"format\": The version of this format: 1.");
  CHECK(load_error("format = 2\n") ==
        "k.toml:1:10: unknown format 2; this version of Foldproof reads format 1");
  CHECK(load_error("format = 1\n") ==
        "k.toml:1:1: the contract has no [[launch]]; add one with entry, grid, block and arguments");
  CHECK(load_error(with_top("summry = \"x\"")) ==
        "k.toml:2:1: unknown key \"summry\" in the top-level table; did you mean \"summary\"?");
  CHECK(load_error(with_end("grids = 1")) ==
        "k.toml:9:1: unknown key \"grids\" in [[launch]]; did you mean \"grid\"?");
  CHECK(load_error(with_top("id = 5")) ==
        "k.toml:2:6: \"id\" in the top-level table must be a string, not an integer");
  CHECK(load_error(with_end("cooperative = \"yes\"")) ==
        "k.toml:9:15: \"cooperative\" in [[launch]] must be true or false, not a string");
  CHECK(load_error(with_end("shared = \"4 * blocks\"")) ==
        "k.toml:9:11: unknown name \"blocks\" in the expression \"4 * blocks\" (known: count)");
  CHECK(load_error(with_end("shared = \"4 * (count\"")) ==
        "k.toml:9:21: expected \")\", found the end in the expression \"4 * (count\"");
  CHECK(load_error(with_end("[launch]\nentry = 1")).find("k.toml:9:1: invalid TOML") == 0);
  CHECK(load_error(with_end("[[buffer]]\nname = \"b\"\ntype = \"f31\"\ncount = 1")) ==
        "k.toml:11:9: unknown type \"f31\"; did you mean \"f32\"?");
}

TEST_CASE("an equivalent-mutant annotation covers at least one statement") {
  const auto with_statements = [](const std::string& number) {
    return with_end(
        "[[equivalent]]\nmutation = \"delete-barrier\"\nfile = \"k.cu\"\ncode = \"x\"\nreason = \"r\"\n"
        "statements = " +
        number);
  };
  const Workshop workshop;
  CHECK(workshop.load(with_statements("2")).equivalents.at(0).statements == 2);
  CHECK(load_error(with_statements("0")) == "k.toml:14:14: \"statements\" must be at least 1, not 0");
  CHECK(load_error(with_statements("-1")) == "k.toml:14:14: \"statements\" must be at least 1, not -1");
}

TEST_CASE("placeholders without values are refused at their position") {
  CHECK(load_error(with_end("shared = \"2 * {X}\"")) ==
        "k.toml:9:15: the placeholder {X} has no values, since the contract has no types");
  CHECK(load_error(with_top("types = { TY = [\"f32\"] }") + "shared = \"{TT}\"\n") ==
        "k.toml:9:11: unknown placeholder {TT}; did you mean \"TY\"?");
}

TEST_CASE("names must be unused where they are declared and known where they are used") {
  CHECK(load_error(with_end("[[buffer]]\nname = \"output\"\ntype = \"f32\"\ncount = 1"))
            .find("is already used") != std::string::npos);
  CHECK(load_error(with_end("[[buffer]]\nname = \"a b\"\ntype = \"f32\"\ncount = 1"))
            .find("cannot name a buffer") != std::string::npos);
  CHECK(load_error(with_end("arguments = [\"partials\"]")).find("unknown name \"partials\"") !=
        std::string::npos);
  CHECK(load_error(with_end("arguments = [\"{input, count}\"]")).find("such as \"i32:count\"") !=
        std::string::npos);
  CHECK(load_error(with_end("arguments = [\"f33:1\"]"))
            .find("unknown type \"f33\" before \":\"; did you mean \"f32\"?") != std::string::npos);
  CHECK(load_error(with_end("arguments = [\"f32:one\"]"))
            .find("\"one\" is not a number; write one such as 1.5") != std::string::npos);
  CHECK(load_error(with_end("arguments = [\"input - 1\"]")).find("only \"+ elements\" may follow") !=
        std::string::npos);
}

TEST_CASE("an invalid argument is refused with the syntax of arguments") {
  const auto argument = [](const std::string& text) {
    return load_error(with_end("arguments = [\"" + text + "\"]"));
  };
  CHECK(argument("{input, }").find("an argument is empty; write a buffer, an expression, a typed number") !=
        std::string::npos);
  CHECK(argument("{input").find("missing \"}\" after the last member of a struct") != std::string::npos);
  CHECK(argument("{{{{{{{{{input}}}}}}}}}").find("replace the inner ones by their members") !=
        std::string::npos);
}

TEST_CASE("a domain must be a range that is not empty") {
  const auto domain = [](const std::string& lines) {
    return load_error("format = 1\n[domain]\n" + lines +
                      "\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n");
  };
  CHECK(domain("count = \"5 .. 4\"") == "k.toml:3:10: the range \"5 .. 4\" is empty");
  CHECK(domain("count = \"1 .. grid\"\ngrid = 3").find("unknown name \"grid\"") != std::string::npos);
  CHECK(domain("count = [1, 2]").find("must be an integer or a range in a string") != std::string::npos);
  CHECK(domain("input = 1").find("\"input\" cannot name a variable") != std::string::npos);
  CHECK(domain("seed = 1").find("\"seed\" cannot name a variable") != std::string::npos);
}

TEST_CASE("[tried] accepts only variables of the domain, with ranges that are not empty") {
  const auto tried = [](const std::string& line) {
    return load_error("format = 1\n[domain]\ncount = \"0 .. 9\"\n[tried]\n" + line +
                      "\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n");
  };
  CHECK(tried("count = \"0 .. 5\"").empty());
  CHECK(tried("grid = 5") == "k.toml:5:1: \"grid\" in [tried] is not a variable of [domain] (known: count)");
  CHECK(tried("count = \"5 .. 4\"") == "k.toml:5:10: the range \"5 .. 4\" is empty");
  CHECK(tried("count = [1]").find("must be an integer or a range in a string") != std::string::npos);
}

TEST_CASE("suppressions need a kind, a place, a reason and a date") {
  const std::string allow = "[[allow]]\nkind = \"shared-race\"\nat = \"k.cu\"\n";
  CHECK(load_error(with_end(allow + "reason = \"r\"")).find("lacks the key \"until\"") != std::string::npos);
  CHECK(load_error(with_end(allow + "until = 2027-01-01")).find("lacks the key \"reason\"") !=
        std::string::npos);
  CHECK(
      load_error(with_end(allow + "reason = \"r\"\nuntil = \"2027-01-01\"")) ==
      "k.toml:13:9: \"until\" in [[allow]] must be a date such as 2027-01-01, without quotes, not a string");
  CHECK(load_error(with_end(allow + "reason = \"\"\nuntil = 2027-01-01"))
            .find("must specify the finding (kind, at), a reason") != std::string::npos);
}

TEST_CASE("the source must exist") {
  const Workshop workshop;
  const auto file = workshop.write("lonely.toml", with_top(""));
  CHECK(error_of([&] {
          load_contract(file, Trust::full);
        }).find("lonely.cu does not exist; name it with \"path\"") != std::string::npos);
  CHECK(error_of([&] { load_contract(workshop.path() / "none.toml", Trust::full); }) ==
        "none.toml: the file does not exist");
  CHECK(error_of([&] { load_contract(workshop.path(), Trust::full); }).find("not a regular file") !=
        std::string::npos);
}

TEST_CASE("without trust, a source outside the contract's folder is refused, also through a link") {
  const Workshop workshop;
  workshop.write("other/k.cu", "");
  const auto named = [&](const std::string& path) {
    return workshop.write("contracts/k.toml", with_top("[source]\npath = \"" + path + "\"\n"));
  };
  workshop.write("contracts/below/k.cu", "");
  std::filesystem::create_symlink(workshop.path() / "other" / "k.cu",
                                  workshop.path() / "contracts" / "link.cu");
  for (const std::string path : {"../other/k.cu", "link.cu", "below/../../other/k.cu", "/etc/passwd"}) {
    const auto file = named(path);
    CHECK(error_of([&] { load_contract(file, Trust::limited); }).find("is outside the contract's folder") !=
          std::string::npos);
    CHECK_NOTHROW(load_contract(file, Trust::full));
  }
  CHECK_NOTHROW(load_contract(named("below/k.cu"), Trust::limited));
}

TEST_CASE("without trust, host functions are refused") {
  const Workshop workshop;
  const std::string host = "format = 1\n[[launch]]\nentry = \"clear\"\nhost = true\narguments = []\n";
  CHECK(error_of([&] { workshop.load(host, "", Trust::limited); }) ==
        "k.toml:4:8: \"host\" compiles C++ and runs it on this machine; pass --trust to allow it");
  CHECK_NOTHROW(workshop.load(host, "", Trust::full));
}

TEST_CASE("a call replaces launches and needs types") {
  const std::string source = "[source]\ncall = \"f(x)\"\n";
  CHECK(load_error(with_end(source)).find("either a \"call\" or launches") != std::string::npos);
  CHECK(load_error("format = 1\n" + source).find("requires a [reduction]") != std::string::npos);
  const std::string reduction = "[reduction]\noperator = \"sum\"\ninput = \"f32\"\n";
  CHECK(load_error("format = 1\n" + source + reduction).find("must specify \"block\", the block sizes") !=
        std::string::npos);
  CHECK(load_error("format = 1\n" + source + "lanes = \"0; evil\"\n" + reduction).find("a thread number") !=
        std::string::npos);
}
