// Keys of a contract: which values each operator accepts, and their table in docs/contracts.md.
#include "contracts/keys.h"

#include <fmt/format.h>

#include "base/files.h"
#include "catch.h"
#include "workshop.h"

using namespace foldproof;

namespace {

/// The tables of docs/contracts.md, as Markdown.
std::string key_reference() {
  std::string text;
  std::string_view table = "none yet";
  for (const KeyRow& row : contract_keys()) {
    if (row.table != table) {
      table = row.table;
      text += fmt::format("\n### {}\n\n| key | type | default | meaning |\n|---|---|---|---|\n",
                          table.empty() ? "The top-level table" : spelled_table(table));
    }
    text +=
        fmt::format("| `{}` | {} | {} | {} |\n", row.key, description(row.type), row.fallback, row.sentence);
  }
  return text;
}

std::string with_custom(const std::string& combine, const std::string& identity = "identity = \"0\"") {
  return "format = 1\n[reduction]\noperator = \"custom\"\ninput = \"i32\"\ncombine = \"" + combine + "\"\n" +
         identity + "\n[domain]\ncount = 4\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n";
}

}  // namespace

TEST_CASE("docs/contracts.md contains the program's table of keys") {
  const std::string page = read_text_file(FOLDPROOF_SOURCE_DIR "/docs/contracts.md", std::size_t{1} << 20);
  INFO("docs/contracts.md must hold this below \"Every key\":" << key_reference());
  CHECK(page.find(key_reference()) != std::string::npos);
}

TEST_CASE("a renamed key is refused with its new name") {
  CHECK(load_error(with_end("[[equivalent]]\nmutation = \"delete-barrier\"\nat = \"k.cu:1\"\ncode = \"x\"\n"
                            "reason = \"r\"")) ==
        "k.toml:11:1: \"at\" in [[equivalent]] has been renamed to \"file\", without a line: \"code\" quotes "
        "the statement");
}

TEST_CASE("the size of the output follows from the shape of the result") {
  const Workshop workshop;
  const std::string reduction = "[reduction]\noperator = \"sum\"\ninput = \"f32\"\nresult = ";
  CHECK(workshop.load(with_end(reduction + "\"scan\"")).instances[0].output_count.text() == "count");
  CHECK(load_error(with_end(reduction + "\"partials\"")) ==
        "k.toml:9:1: the result \"partials\" requires the key \"count\" in [output]: the number of elements");
  CHECK(workshop.load(with_end(reduction + "\"partials\"\n[output]\ncount = \"2 * count\""))
            .instances[0]
            .output_count.evaluate({{"count", 4}}) == 8);
}

TEST_CASE("a result that the operator does not have is refused with those that it has") {
  const auto error = [](const std::string& op, const std::string& result) {
    return load_error(with_end("[reduction]\noperator = \"" + op + "\"\ninput = \"f32\"\n" + result));
  };
  CHECK(error("softmax", "result = \"value\"") ==
        "k.toml:12:11: softmax has no result \"value\"; write result = \"rows\" or \"columns\" or "
        "\"array\" in [reduction]");
  CHECK(error("softmax", "") ==
        "k.toml:9:1: softmax has no result \"value\", which is the default; write result = \"rows\" or "
        "\"columns\" or \"array\" in [reduction]");
  CHECK(error("histogram", "").find("which is the default; write result = \"bins\" in [reduction]") !=
        std::string::npos);
  CHECK(error("argmax", "result = \"scan\"")
            .find("argmax has no result \"scan\"; write result = \"value\" or \"rows\"") !=
        std::string::npos);
}

TEST_CASE("values and bins are expressions") {
  const Workshop workshop;
  const std::string reduction = "[reduction]\noperator = \"histogram\"\ninput = \"u8\"\nresult = \"bins\"\n";
  const std::string output = "[output]\ncount = 4\n";
  const Contract contract =
      workshop.load(with_end(reduction + "values = \"0 .. 4 * count - 1\"\nbin = \"x / 4\"\n" + output));
  const Reduction& read = *contract.instances[0].reduction;
  CHECK(read.values->high.evaluate({{"count", 3}}) == 11);
  CHECK(read.bin->evaluate({{"x", 11}}) == 2);
  const auto error = [&](const std::string& line) { return load_error(with_end(reduction + line + output)); };
  CHECK(error("values = \"0 .. bins\"\n").find("unknown name \"bins\"") != std::string::npos);
  CHECK(error("bin = \"count / 4\"\n") ==
        "k.toml:13:8: \"bin\" must be an expression in x, the element, such as \"x / 4\"");
  CHECK(load_error(with_end("[reduction]\noperator = \"sum\"\ninput = \"u8\"\nbin = \"x / 4\"\n")) ==
        "k.toml:12:8: \"bin\" applies to histogram, not to sum");
}

TEST_CASE("a key for other operators is refused unless it has its default value") {
  const auto error = [](const std::string& op, const std::string& lines) {
    return load_error(with_end("[reduction]\noperator = \"" + op + "\"\ninput = \"f32\"\n" + lines));
  };
  CHECK(error("sum", "functions = \"library\"") ==
        "k.toml:12:14: \"functions\" applies to kl-divergence, log-sum-exp, cross-entropy, "
        "dense-cross-entropy, softmax and log-softmax, not to "
        "sum");
  CHECK(
      error("max", "method = \"shares\"") ==
      "k.toml:12:11: \"method\" applies to sum, mean, norm, variance, std, rstd and layer-norm, not to max");
  CHECK(error("mean", "method = \"two-pass\"") ==
        "k.toml:12:11: the method of mean must be unspecified, welford or shares");
  CHECK(error("variance", "method = \"shares\"") ==
        "k.toml:12:11: the method of variance must be unspecified, two-pass, textbook, shifted or welford");
  CHECK(error("mean", "scan = \"exclusive\"") ==
        "k.toml:12:9: \"scan\" applies to sum, prod, min, max, and, or, xor and custom, not to mean");
  CHECK(error("sum", "[claims]\nmasked = \"zero\"") ==
        "k.toml:13:11: \"masked\" applies to log-sum-exp, softmax and log-softmax, not to sum");
  CHECK(error("sum", "[claims]\nties = \"first\"") ==
        "k.toml:13:9: \"ties\" applies to argmin and argmax, not to sum");
  CHECK(error("softmax", "result = \"array\"\n[claims]\nheight = \"1\"")
            .find("and max-ratio, not to softmax") != std::string::npos);
  CHECK(error("sum", "functions = \"fast\"\n[claims]\nties = \"any\"\nheight = \"9\"").empty());
  CHECK(error("variance", "method = \"welford\"\n[claims]\nheight = \"9\"").empty());
  CHECK(error("mean", "correction = 1") ==
        "k.toml:12:14: \"correction\" applies to variance, std and rstd, not to mean");
}

TEST_CASE("a variance is that of a population or of a sample") {
  const Workshop workshop;
  const auto text = [](const std::string& lines) {
    return with_end("[reduction]\noperator = \"variance\"\ninput = \"f32\"\n" + lines);
  };
  CHECK(workshop.load(text("")).instances[0].reduction->correction == 0);
  CHECK(workshop.load(text("correction = 1")).instances[0].reduction->correction == 1);
  for (const char* number : {"2", "-1"})
    CHECK(load_error(text("correction = " + std::string(number))) ==
          "k.toml:12:14: \"correction\" must be 0 or 1, not " + std::string(number));
}

TEST_CASE("only the operator's own methods are accepted") {
  const Workshop workshop;
  const auto text = [](const std::string& op, const std::string& method) {
    return with_end("[reduction]\noperator = \"" + op + "\"\ninput = \"f32\"\nmethod = \"" + method + "\"");
  };
  CHECK(workshop.load(text("sum", "double-float")).instances[0].reduction->sum == SumMethod::double_float);
  CHECK(workshop.load(text("sum", "unspecified")).instances[0].reduction->sum == SumMethod::plain);
  CHECK(workshop.load(text("variance", "textbook")).instances[0].reduction->moment_method ==
        MomentMethod::textbook);
  CHECK(load_error(text("sum", "two-pass")).find("k.toml:12:11: ") == 0);
  CHECK(load_error(text("variance", "kahan")).find("k.toml:12:11: ") == 0);
  CHECK(load_error(text("sum", "kahan\"\nresult = \"partials\"\n[output]\ncount = \"2"))
            .find(": partial results are rounded individually") != std::string::npos);
}

TEST_CASE("same_for_every_launch needs a deterministic result whose shape does not depend on the launch") {
  const auto error = [](const std::string& result, const std::string& claims) {
    return load_error(with_end("[reduction]\noperator = \"sum\"\ninput = \"f32\"\nresult = \"" + result +
                               "\"\n[output]\ncount = 1\n[claims]\nsame_for_every_launch = true\n" + claims));
  };
  CHECK(error("value", "deterministic = true").empty());
  CHECK(
      error("value", "") ==
      "k.toml:16:25: a result that is the same for every launch is deterministic; add deterministic = true");
  CHECK(error("partials", "deterministic = true") ==
        "k.toml:16:25: \"same_for_every_launch\" does not apply to partial results, which depend on the "
        "launch");
}

TEST_CASE("a custom operator must be associative and have an identity") {
  const Contract contract = Workshop().load(with_custom("a + b + a * b"));
  const Reduction& reduction = *contract.instances[0].reduction;
  CHECK(reduction.op == Operator::custom);
  CHECK(reduction.custom->combine(2, 3) == 11);
  CHECK(reduction.custom->identity == 0);
  // (0 * 0 + 1) * 1 + 1 = 2, and 0 * (0 * 1 + 1) + 1 = 1.
  CHECK(load_error(with_custom("a * b + 1")) ==
        "k.toml:5:12: \"a * b + 1\" is not associative in i32: for 0, 0 and 1 it gives 2 if the first two "
        "are combined first, and 1 if the last two are; a kernel that combines partial results requires an "
        "associative operator");
  CHECK(load_error(with_custom("a + b", "identity = \"1\"")) ==
        "k.toml:5:12: 1 is not an identity of \"a + b\" in i32: combined with it, 0 becomes 1 as the first "
        "operand and 1 as the second; specify the value that changes nothing");
  CHECK(load_error(with_custom("a + b", "identity = \"2^32\"")) ==
        "k.toml:6:13: the identity 2^32 is not a value of i32");
  CHECK(load_error(with_custom("a / b")).find("other than +, - and *") != std::string::npos);
  CHECK(load_error(with_custom("a + c")).find("unknown name \"c\"") != std::string::npos);
  CHECK(load_error(with_custom("a + b", "")).find("requires the key \"identity\"") != std::string::npos);
}
