// Text from outside reaches terminals and files with control characters as escapes, and without markup.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/printable.h"
#include "catch.h"
#include "cli/add_one.h"
#include "cli/program.h"

using namespace foldproof::test;
namespace fs = std::filesystem;

namespace {

/// Control characters, markup of XML and Markdown, and characters that change the direction of text.
const std::string hostile = "\x1b[31m\x07\r</svg><script>| pipe ` \u202e\u2066\u009b end";

std::string toml_of(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text)
    quoted += static_cast<unsigned char>(c) < 0x20 ? fmt::format("\\u{:04x}", static_cast<int>(c))
                                                   : std::string(1, c);
  return quoted + "\"";
}

std::string content(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Whether nothing in it controls a terminal.
void check_is_harmless(const std::string& text) {
  INFO(foldproof::printable_lines(text));
  CHECK(foldproof::printable_lines(text) == text);
}

const std::string contract_text = sum_contract(
    "id = " + toml_of(hostile) + "\nsummary = " + toml_of(hostile) + "\npublished = " + toml_of(hostile),
    "count = \"0 .. 1000\"\nblock = \"32\"\ngrid = \"1\"");

/// The folder has a hostile name, too.
struct Hostile : Folder {
  Hostile() {
    fs::create_directory(inner());
    file("inner\x1b[31m\xff/sum.ptx", sum_ptx);
    file("inner\x1b[31m\xff/sum.toml", contract_text);
  }
  std::string inner() const { return path("inner\x1b[31m\xff"); }
  std::string contract() const { return inner() + "/sum.toml"; }
};

/// printer(): calls printf with the format `text`.
std::string printing_ptx(const std::string& text) {
  std::string bytes;
  for (const char c : text) bytes += fmt::format("{}, ", static_cast<int>(static_cast<unsigned char>(c)));
  return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);
.global .align 1 .b8 format[{}] = {{{}0}};
.visible .entry printer()
{{
  .local .align 8 .b8 values[8];
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  mov.u64 %rd1, format;
  cvta.global.u64 %rd1, %rd1;
  mov.u64 %rd2, values;
  cvta.local.u64 %rd2, %rd2;
  {{
    .param .b64 a;
    .param .b64 b;
    .param .b32 r;
    st.param.b64 [a], %rd1;
    st.param.b64 [b], %rd2;
    call (r), vprintf, (a, b);
    ld.param.b32 %r1, [r];
  }}
  ret;
}}
)",
                     text.size() + 1, bytes);
}

}  // namespace

TEST_CASE("printf of a kernel prints escapes in text and its bytes in JSON") {
  const Folder folder;
  const std::string file =
      folder.file("printer.ptx", printing_ptx("\x1b[31mred\r\x07\tone\n\xff\u202etwo\n"));
  const Ran ran = run({"sanitize", file, "--entry", "printer"});
  INFO(ran.out << ran.err);
  CHECK(ran.status == 0);
  CHECK(ran.out.starts_with("\\x1b[31mred\\x0d\\x07\tone\n\\xff\\u202etwo\n"));
  const RanJson in_json = run_json({"sanitize", file, "--entry", "printer"});
  const auto printed = in_json.json.at("kernels").at(0).at("printed").get<std::string>();
  CHECK(printed.starts_with("\x1b[31mred\r\x07\tone\n"));
}

TEST_CASE("what a kernel prints is not a command for a CI service") {
  const Folder folder;
  const std::string file =
      folder.file("printer.ptx", printing_ptx("::add-mask::a\n \t::error::b\n##vso[task.setvariable]c\n"));
  const Ran ran = run({"sanitize", file, "--entry", "printer"});
  CHECK(ran.out.starts_with("\\x3a:add-mask::a\n \t\\x3a:error::b\n#\\x23vso[task.setvariable]c\n"));
  const RanJson in_json = run_json({"sanitize", file, "--entry", "printer"});
  CHECK(in_json.json.at("kernels").at(0).at("printed").get<std::string>().ends_with(
      "##vso[task.setvariable]c\n"));
  const Ran raw = run({"sanitize", file, "--entry", "printer", "--format", "json"});
  CHECK_FALSE(contains(raw.out, "##vso["));
  const Ran unknown = run({"audit", "##vso[task.complete]::error::a"});
  CHECK_FALSE(contains(unknown.err, "##vso["));
}

TEST_CASE("a hostile id, summary or folder name is printed as escapes by every verb") {
  const Hostile folder;
  const std::string report = folder.path("report");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"audit", folder.contract(), "--cases", "2", "--report", report},
        {"audit", folder.contract(), "--cases", "2", "--counters", "--coverage"},
        {"list", folder.contract()},
        {"tree", folder.contract()},
        {"mutate", folder.contract(), "--budget", "2s"},
        {"audit", folder.inner() + "/nowhere.toml"},
        {"audit", folder.contract(), "--only", hostile},
        {"replay", folder.contract()},
        {hostile}}) {
    const Ran ran = run(arguments);
    INFO(foldproof::printable(arguments.front()));
    CHECK(ran.out.size() + ran.err.size() > 0);
    check_is_harmless(ran.out);
    check_is_harmless(ran.err);
  }
  check_is_harmless(content(report + "/report.txt"));
  const RanJson listed = run_json({"list", folder.contract()});
  CHECK(listed.json.at("kernels").at(0).at("summary") == hostile);
}

TEST_CASE("a drawing of a tree has neither markup nor control characters from an id") {
  const Hostile folder;
  const std::string file = folder.path("tree.svg");
  CHECK(run({"tree", folder.contract(), "--svg", file}).status == 0);
  const std::string svg = content(file);
  check_is_harmless(svg);
  CHECK_FALSE(contains(svg, "<script"));
  CHECK(svg.find("</svg>") == svg.size() - std::string("</svg>\n").size());
  CHECK(contains(svg, "\\x1b[31m\\x07\\x0d&lt;/svg&gt;&lt;script&gt;"));
}

TEST_CASE("a page of kernels has no markup from an id, a summary or a file name") {
  const Hostile folder;
  const Ran ran = run_laboratory({"kernels", folder.contract()});
  CHECK(ran.status == 0);
  check_is_harmless(ran.out);
  const std::size_t at = ran.out.find("\n| \\\\x1b");
  REQUIRE(at != std::string::npos);
  std::string row = ran.out.substr(at + 1);
  row.resize(row.find('\n'));
  std::size_t separators = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '\\')
      ++i;
    else
      separators += row[i] == '|' ? 1 : 0;
  }
  CHECK(separators == 10);
  CHECK(contains(row, "\\</svg\\>\\<script\\>\\| pipe \\`"));
  CHECK(contains(row, "../kernels/inner%1B%5B31m%FF/sum.ptx"));
}

TEST_CASE("a wrong line of PTX or of a contract is quoted with escapes") {
  const Folder folder;
  for (const auto& [name, text] : {std::pair<const char*, std::string>{"k.ptx", "\x1b[31m\xff\u202e;\n"},
                                   {"k.toml", "format = 1\nid = '\x1b[31m'\n"},
                                   {"l.toml", "format = 1\n\"\u202e\u009b\" = 1 # \u202e\n"}}) {
    const std::string file = folder.file(name, text);
    const Ran ran = run(file.ends_with("ptx") ? std::vector<std::string>{"sanitize", file, "--entry", "k"}
                                              : std::vector<std::string>{"audit", file});
    CHECK(ran.status == 2);
    check_is_harmless(ran.err);
    CHECK(contains(ran.err, " | "));
  }
}

TEST_CASE("what nvcc prints is shown with escapes") {
  const Folder folder;
  const std::string nvcc =
      folder.file("nvcc",
                  "#!/bin/sh\n"
                  "[ \"$1\" = --version ] && { echo release 13.0; exit; }\n"
                  "printf 'k.cu(1): error: \\033[31m\\r\\377 \\342\\200\\256\\n'\nexit 1\n");
  fs::permissions(nvcc, fs::perms::owner_all);
  const std::string file = folder.file("k.cu", "__global__ void k() {}\n");
  const Ran ran = run({"sanitize", file, "--entry", "k", "--nvcc", nvcc});
  CHECK(ran.status == 2);
  CHECK(contains(ran.err, "\\x1b[31m"));
  check_is_harmless(ran.err);
}

TEST_CASE("a sentence of a megabyte is cut in text and in JSON") {
  const Folder folder;
  std::string key;
  while (key.size() < 1'000'000) key += "µ";
  const std::string file = folder.file("k.toml", "format = 1\n\"" + key + "\" = 1\n");
  const RanJson ran = run_json({"audit", file});
  CHECK(ran.status == 2);
  const auto message = ran.json.at("error").at("message").get<std::string>();
  CHECK(message.size() <= 2000);
  CHECK(contains(message, "µ… (truncated to the first "));
  CHECK(ran.err.size() < 3000);  // with the position and the quoted line
  CHECK(contains(ran.err, "…\n"));
  check_is_harmless(ran.err);
}
