// instruction_set.def against ptx.def: the page on supported instructions lists every row and nothing twice.
#include "devices/emulated/isa/instruction_set.h"

#include <algorithm>
#include <map>

#include "catch.h"
#include "run.h"

namespace foldproof::tests {
namespace {

/// The words of "mad.cc"; of several instructions, those of the first.
std::string first_name(const isa::IsaInstruction& instruction) {
  return std::string(instruction.name.substr(0, instruction.name.find(',')));
}

TEST_CASE("every row of ptx.def belongs to one instruction of the ISA", "[forms]") {
  std::map<std::string_view, int> uses;
  for (const isa::IsaInstruction& instruction : isa::isa_instructions())
    for (const isa::Row* row : isa::rows_of(instruction)) ++uses[row->id];
  for (const isa::Row& row : isa::rows()) {
    CAPTURE(row.id);
    CHECK(uses[row.id] == 1);
  }
}

TEST_CASE("an instruction of the ISA has rows that begin with its name, or a reason", "[forms]") {
  for (const isa::IsaInstruction& instruction : isa::isa_instructions()) {
    CAPTURE(instruction.name);
    CHECK(instruction.rows.empty() != instruction.reason.empty());
    const std::string name = first_name(instruction), opcode = name.substr(0, name.find('.'));
    for (const isa::Row* row : isa::rows_of(instruction)) {
      CAPTURE(row->id);
      CHECK(row->syntax.substr(0, row->syntax.find_first_of(".:")) == opcode);
    }
    CHECK((instruction.reason.empty() || instruction.reason.ends_with('.')));
  }
}

/// Whether the instruction "tex.1d.v4" begins with the words of "tex".
bool begins_with(std::string_view text, std::string_view words) {
  return text.starts_with(words) &&
         (text.size() == words.size() ||
          std::string_view(".:").find(text[words.size()]) != std::string_view::npos);
}

TEST_CASE("what is listed as missing is neither supported nor accepted", "[forms]") {
  for (const isa::IsaInstruction& missing : isa::isa_instructions()) {
    if (!missing.rows.empty()) continue;
    const std::string name = first_name(missing);
    CAPTURE(name);
    CHECK_FALSE(exists(name));
    // A row that begins with the name belongs to an instruction with a longer name: "shfl", and "shfl.sync".
    for (const isa::IsaInstruction& implemented : isa::isa_instructions())
      for (const isa::Row* row : isa::rows_of(implemented)) {
        CAPTURE(row->syntax, implemented.name);
        CHECK((!begins_with(row->syntax, name) ||
               (begins_with(implemented.name, name) && implemented.name.size() > name.size())));
      }
  }
}

TEST_CASE("the sections of instructions are listed, in the order of the ISA", "[forms]") {
  const auto sections = isa::isa_sections();
  auto section = sections.begin();
  for (const isa::IsaInstruction& instruction : isa::isa_instructions()) {
    section = std::find_if(section, sections.end(),
                           [&](const isa::IsaSection& s) { return s.number == instruction.section; });
    INFO(instruction.section << " " << instruction.name);
    REQUIRE(section != sections.end());
  }
}

}  // namespace
}  // namespace foldproof::tests
