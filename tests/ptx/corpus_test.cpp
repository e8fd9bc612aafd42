// Runs the parser on nvcc's output for tests/ptx/data, with -G and with -use_fast_math: on one architecture
// or, after the target foldproof_full_ptx_corpus, on four.
//
// There is no recorded parse to compare with: a simple line-by-line reading of the text, in nvcc's layout,
// determines which instructions, labels and .loc exist, and the module must contain exactly those.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "ptx/documents.h"
#include "session.h"

using namespace foldproof::ptx;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> corpus() {
  std::vector<fs::path> files;
  if (std::string(FOLDPROOF_PTX_CORPUS_DIR).empty()) return files;
  for (const auto& entry : fs::recursive_directory_iterator(FOLDPROOF_PTX_CORPUS_DIR))
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string trimmed(const std::string& line) {
  const std::string kept = line.substr(0, line.find("//"));
  const std::size_t first = kept.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : kept.substr(first, kept.find_last_not_of(" \t\r") + 1 - first);
}

/// The lines of a text without comments; inline assembly of the fixtures puts several statements on some
/// lines.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);  // line numbers start at 1
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(trimmed(line));
  return lines;
}

std::size_t lines_with(const std::vector<std::string>& lines, const std::string& word) {
  return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(word) != std::string::npos;
  }));
}

/// Everything in a body, including nested scopes.
struct Contents {
  std::vector<const Statement*> statements;
  std::vector<const CallStatement*> calls;
  std::vector<const Label*> labels;
};

void collect(const Scope& scope, Contents& contents) {
  for (const Item& item : scope.items) {
    if (const auto* inner = std::get_if<std::unique_ptr<Scope>>(&item)) collect(**inner, contents);
    if (const auto* statement = std::get_if<Statement>(&item)) contents.statements.push_back(statement);
    if (const auto* call = std::get_if<CallStatement>(&item)) contents.calls.push_back(call);
    if (const auto* label = std::get_if<Label>(&item)) contents.labels.push_back(label);
  }
}

Contents contents_of(const Module& module) {
  Contents contents;
  for (const Function& function : module.functions)
    if (function.body) collect(*function.body, contents);
  return contents;
}

/// Whether the line contains an operand's names; numbers may be spelled in several ways.
bool shows(const std::string& line, const Operand& operand) {
  const auto has = [&](const Name& name) {
    return line.find(name.component.empty() ? name.text : name.text + "." + name.component) !=
           std::string::npos;
  };
  if (operand.paired_predicate && !has(*operand.paired_predicate)) return false;
  if (const auto* name = std::get_if<Name>(&operand.value)) return has(*name);
  if (const auto* address = std::get_if<AddressOf>(&operand.value))
    return !address->base || has(*address->base);
  if (const auto* vector = std::get_if<std::vector<Operand>>(&operand.value))
    return std::all_of(vector->begin(), vector->end(),
                       [&](const Operand& element) { return shows(line, element); });
  return true;
}

std::string spelt(const Statement& statement) {
  std::string opcode = statement.opcode;
  for (const std::string& suffix : statement.suffixes) opcode += "." + suffix;
  return opcode;
}

std::uint32_t number_at(std::stringstream& stream) {
  std::uint32_t number = 0;
  stream >> number;
  return number;
}

/// Whether the corpus is missing. If so, the running test case is marked as skipped and must return.
bool lacks_corpus() {
  if (!corpus().empty()) return false;
  foldproof::tests::skip(
      "nvcc was not found when the tests were configured; install the CUDA Toolkit to try the parser on "
      "compiled "
      "kernels");
  return true;
}

/// Runs `check` on every file of the corpus.
template <class Check>
void for_each_file(Check check) {
  for (const fs::path& file : corpus()) {
    INFO(file.string());
    const std::string text = contents_of(file);
    const Module module = parse(text, file.string());
    check(module, lines_of(text));
  }
}

}  // namespace

TEST_CASE("Every fixture was compiled for every architecture: plain, with -G and with -use_fast_math",
          "[ptx][corpus][nvcc]") {
  if (lacks_corpus()) return;
  std::map<std::string, std::set<std::string>> stems;
  for (const fs::path& file : corpus()) stems[file.parent_path().filename()].insert(file.stem());
  CHECK(!stems.empty());
  for (const auto& [architecture, names] : stems) {
    INFO(architecture);
    for (const char* fixture : {"trees", "warps", "formats", "groups", "calls"})
      for (const char* variant : {"", "-debug", "-fast"})
        CHECK(names.count(std::string(fixture) + variant) == 1);
  }
}

TEST_CASE("The numbers of entries, files and .loc match the text", "[ptx][corpus][nvcc]") {
  if (lacks_corpus()) return;
  for_each_file([](const Module& module, const std::vector<std::string>& lines) {
    CHECK(module.version_major >= 8);
    CHECK(module.target.rfind("sm_", 0) == 0);
    const auto entries = std::count_if(module.functions.begin(), module.functions.end(),
                                       [](const Function& function) { return function.is_entry; });
    CHECK(static_cast<std::size_t>(entries) == lines_with(lines, ".entry "));
    CHECK(module.files.size() == lines_with(lines, ".file\t"));
    CHECK(module.locs.size() - 1 == lines_with(lines, ".loc\t"));
  });
}

TEST_CASE("The line of each statement contains its opcode, guard and operands", "[ptx][corpus][nvcc]") {
  if (lacks_corpus()) return;
  for_each_file([](const Module& module, const std::vector<std::string>& lines) {
    for (const Statement* statement : contents_of(module).statements) {
      const std::string& line = lines.at(statement->at.ptx_line);
      INFO(line);
      if (line.find(spelt(*statement)) == std::string::npos)
        FAIL("The line does not show " << spelt(*statement));
      if (statement->guard &&
          line.find((statement->guard_negated ? "@!" : "@") + statement->guard->text) == std::string::npos)
        FAIL("The line does not show the guard " << statement->guard->text);
      for (const Operand& operand : statement->operands)
        if (!shows(line, operand)) FAIL("The line does not show each operand of " << spelt(*statement));
    }
  });
}

TEST_CASE("Every line with an instruction, a call or a label is in the module", "[ptx][corpus][nvcc]") {
  if (lacks_corpus()) return;
  for_each_file([](const Module& module, const std::vector<std::string>& lines) {
    const Contents contents = contents_of(module);
    std::set<std::uint32_t> known;
    for (const Statement* statement : contents.statements) known.insert(statement->at.ptx_line);
    for (const CallStatement* call : contents.calls) known.insert(call->at.ptx_line);
    for (const Label* label : contents.labels) known.insert(label->ptx_line);
    bool in_call = false, in_section = false;
    for (std::size_t number = 1; number < lines.size(); ++number) {
      const std::string& line = lines[number];
      in_section |= line.rfind(".section", 0) == 0;
      const bool is_continuation = in_call;
      in_call |= line.rfind("call", 0) == 0;
      if (line.find(';') != std::string::npos) in_call = false;
      const bool is_code =
          !line.empty() && !in_section && !is_continuation &&
          (std::isalpha(static_cast<unsigned char>(line[0])) != 0 || line[0] == '@' || line[0] == '$');
      const bool is_prototype = line.find(": .callprototype") != std::string::npos ||
                                line.find(": .branchtargets") != std::string::npos;
      INFO(number << ": " << line);
      if (is_code && !is_prototype && known.count(static_cast<std::uint32_t>(number)) == 0)
        FAIL("The module holds nothing of this line.");
      if (in_section && line == "}") in_section = false;
    }
  });
}

TEST_CASE("Each statement has the last .loc before it in its function", "[ptx][corpus][nvcc]") {
  if (lacks_corpus()) return;
  for_each_file([](const Module& module, const std::vector<std::string>& lines) {
    std::vector<Loc> current(lines.size());
    for (std::size_t number = 1; number < lines.size(); ++number) {
      const bool opens_function = lines[number].find(".entry") != std::string::npos ||
                                  lines[number].find(".func ") != std::string::npos;
      current[number] = opens_function ? Loc{} : current[number - 1];
      if (lines[number].rfind(".loc\t", 0) != 0) continue;
      std::stringstream stream(lines[number].substr(4));
      current[number].file = number_at(stream);
      current[number].line = number_at(stream);
      current[number].column = number_at(stream);
    }
    for (const Statement* statement : contents_of(module).statements) {
      const Loc& loc = module.locs.at(statement->at.loc);
      const Loc& expected = current.at(statement->at.ptx_line);
      if (loc.file != expected.file || loc.line != expected.line || loc.column != expected.column)
        FAIL("Line " << statement->at.ptx_line << " is said to come from " << loc.line << ", not "
                     << expected.line);
    }
  });
}

TEST_CASE("Every inlined line leads back to a line that was not inlined", "[ptx][corpus][nvcc]") {
  if (lacks_corpus()) return;
  std::size_t inlined = 0, named = 0;
  for_each_file([&](const Module& module, const std::vector<std::string>& lines) {
    std::size_t linked = 0;
    for (std::uint32_t index = 1; index < module.locs.size(); ++index) {
      const Loc& loc = module.locs[index];
      if (loc.inlined_at == 0) continue;
      ++linked;
      named += loc.function.rfind("_Z", 0) == 0 ? 1 : 0;
      if (loc.inlined_at >= index) FAIL("The call site of entry " << index << " comes after it.");
    }
    CHECK(linked == lines_with(lines, "inlined_at"));
    inlined += linked;
  });
  CHECK(inlined > 100);
  CHECK(named == inlined);
}

TEST_CASE("Tables, strings and function addresses have all their initial values", "[ptx][corpus][nvcc]") {
  if (lacks_corpus()) return;
  for_each_file([](const Module& module, const std::vector<std::string>&) {
    for (const Variable& variable : module.variables) {
      INFO(variable.name);
      std::uint64_t elements = variable.vector;
      for (std::uint64_t extent : variable.extents) elements *= extent;
      CHECK(variable.initial.size() <= elements);
      if (variable.name == "operators") {
        REQUIRE(variable.initial.size() == 2);
        CHECK(std::get<Name>(variable.initial[0].value).text == "_Z3addif");
        CHECK(std::get<Name>(variable.initial[1].value).text == "_Z8multiplyif");
      }
      if (variable.name == "weights") {  // 1.0f, 2.5f, -0.0f in little-endian bytes
        std::vector<std::uint64_t> bytes;
        for (const auto& value : variable.initial) bytes.push_back(std::get<Literal>(value.value).bits);
        CHECK(bytes == std::vector<std::uint64_t>{0, 0, 128, 63, 0, 0, 32, 64, 0, 0, 0, 128});
      }
    }
  });
}
