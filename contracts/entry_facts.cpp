#include "contracts/entry_facts.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text.h"

namespace foldproof {
namespace {

/// Up to the brace that closes the body; inline assembly has braces of its own.
std::string_view definition_from(std::string_view ptx) {
  int depth = 0;
  for (std::size_t i = 0; i < ptx.size(); ++i) {
    if (ptx.substr(i, 2) == "//") i = std::min(ptx.find('\n', i), ptx.size() - 1);
    if (ptx[i] == '{') ++depth;
    if (ptx[i] == '}' && --depth == 0) return ptx.substr(0, i);
  }
  return ptx;
}

/// From the entry's name on.
std::string_view definition_of(std::string_view ptx, std::string_view lowered) {
  const std::size_t begin = ptx.find(".entry " + std::string(lowered) + "(");
  return begin == std::string_view::npos ? std::string_view{} : definition_from(ptx.substr(begin));
}

bool is_name_character(char c) { return is_word(c) || c == '$' || c == '%'; }

using Names = std::set<std::string_view>;

Names names_in(std::string_view text) {
  Names names;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t begin = i;
    while (i < text.size() && is_name_character(text[i])) ++i;
    if (i != begin) names.insert(text.substr(begin, i - begin));
  }
  return names;
}

/// What stands in calls: functions, registers that hold one, and what is passed.
Names names_in_calls(std::string_view text) {
  Names names;
  for (std::size_t at = text.find("call"); at != std::string_view::npos; at = text.find("call", at + 1)) {
    const char before = at == 0 ? '\n' : text[at - 1];
    const char behind = at + 4 < text.size() ? text[at + 4] : '\n';
    if (is_name_character(before) || before == '.' || is_name_character(behind)) continue;
    names.merge(names_in(text.substr(at, text.find(';', at) - at)));
  }
  return names;
}

/// The functions that PTX defines: ".func (.param .b32 retval) name(…) {…}".
std::map<std::string_view, std::string_view> functions_of(std::string_view ptx) {
  constexpr std::string_view directive = ".func";
  std::map<std::string_view, std::string_view> functions;
  for (std::size_t at = ptx.find(directive); at != std::string_view::npos; at = ptx.find(directive, at + 1)) {
    std::size_t name = ptx.find_first_not_of(" \t\r\n", at + directive.size());
    if (name == std::string_view::npos) break;
    if (ptx[name] == '(') name = ptx.find_first_not_of(" \t\r\n", ptx.find(')', name) + 1);
    const std::size_t open = ptx.find_first_of("{;", at);
    if (name == std::string_view::npos || open == std::string_view::npos) break;
    if (ptx[open] == '{')
      functions[ptx.substr(name, ptx.find_first_of("( \t\r\n", name) - name)] =
          definition_from(ptx.substr(at));
  }
  return functions;
}

/// The definition, and those of all that it calls by name.
std::vector<std::string_view> with_callees(std::string_view ptx, std::string_view definition) {
  std::map<std::string_view, std::string_view> functions = functions_of(ptx);
  std::vector<std::string_view> all{definition};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const std::string_view name : names_in_calls(all[i]))
      if (const auto callee = functions.extract(name)) all.push_back(callee.mapped());
  return all;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) lines.push_back(trimmed(take_line(text)));
  return lines;
}

/// The instruction's name, behind a brace of inline assembly and a predicate.
std::string_view opcode_of(std::string_view line) {
  if (line.starts_with('{')) line = trimmed(line.substr(1));
  if (line.starts_with('@')) line = trimmed(line.substr(std::min(line.find(' '), line.size())));
  return line.substr(0, line.find_first_of(" \t;"));
}

std::vector<std::uint32_t> numbers_behind(std::string_view line) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = line.find_first_of("0123456789"); i < line.size();
       i = line.find_first_of("0123456789", i)) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(line.data() + i, line.data() + line.size(), value);
    numbers.push_back(error == std::errc{} ? value : 0);
    i = static_cast<std::size_t>(end - line.data());
  }
  return numbers;
}

std::optional<std::uint32_t> threads_in(std::string_view line) {
  std::uint64_t product = 1;
  for (const std::uint32_t extent : numbers_behind(line)) product *= extent;
  return product == 0 || product > 1024 ? std::nullopt : std::optional(static_cast<std::uint32_t>(product));
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

void read_directive(std::string_view line, EntryFacts& facts) {
  if (contains(line, ".reqntid")) facts.required_threads = threads_in(line.substr(line.find(".reqntid")));
  if (contains(line, ".maxntid")) facts.most_threads = threads_in(line.substr(line.find(".maxntid")));
  if (line.starts_with(".reqnctapercluster")) {
    const auto extents = numbers_behind(line);
    for (std::size_t i = 0; i < 3; ++i) facts.cluster[i] = i < extents.size() ? extents[i] : 1;
  }
  if (!line.starts_with(".shared")) return;
  facts.uses_shared = true;
  const std::size_t open = line.rfind('[');
  if (open == std::string_view::npos) return;
  std::uint64_t bytes = 0;
  std::from_chars(line.data() + open + 1, line.data() + line.size(), bytes);
  facts.shared_arrays.push_back(bytes);
}

/// "atom.global.add.f32" and "red.relaxed.gpu.add.f32" become "add.f32"; empty for another operation.
std::string operation_and_type(std::string_view opcode, std::initializer_list<std::string_view> operations) {
  const std::string dotted = "." + std::string(opcode) + ".";
  for (const std::string_view operation : operations)
    if (contains(dotted, "." + std::string(operation) + "."))
      return std::string(operation) + std::string(opcode.substr(opcode.rfind('.')));
  return "";
}

/// Whether elements come from global memory: into registers, or by an asynchronous copy into shared memory.
bool is_global_read(std::string_view opcode) {
  if (opcode.starts_with("cp.async")) {
    const std::size_t global = opcode.find(".global");
    return global != std::string_view::npos && opcode.find(".shared") < global;
  }
  return opcode.starts_with("ld.") && !contains(opcode, ".shared") && !contains(opcode, ".param") &&
         !contains(opcode, ".local");
}

/// What one thread reads at once: 16 for ld.global.v4.f32; 0 where the instruction does not say.
std::uint64_t bytes_read(std::string_view line, std::string_view opcode) {
  const bool copies = opcode.starts_with("cp.async");
  const auto numbers = numbers_behind(line.substr(copies ? line.rfind(']') + 1 : opcode.rfind('.')));
  if (numbers.empty()) return 0;
  if (copies) return numbers[0];
  const std::uint64_t elements = contains(opcode, ".v2.") ? 2 : contains(opcode, ".v4.") ? 4 : 1;
  return elements * numbers[0] / 8;
}

/// Whether the register that an instruction writes is one of them.
bool writes_one_of(const Names& names, std::string_view line, std::string_view opcode) {
  const std::string_view operands = line.substr(line.find(opcode) + opcode.size());
  return names.contains(trimmed(operands.substr(0, operands.find(','))));
}

/// `in_calls`: what is read for a call is no element.
void read_instruction(std::string_view line, const Names& in_calls, EntryFacts& facts) {
  const std::string_view opcode = opcode_of(line);
  const auto is = [&](std::string_view name) { return opcode.starts_with(name); };
  if (contains(line, "%nctaid")) facts.uses_grid_size = true;
  if (contains(line, "%ctaid") || contains(line, "%clusterid")) facts.uses_block_index = true;
  if (contains(line, "%envreg")) facts.uses_grid_sync = true;
  if (is("shfl") || is("redux") || is("vote")) facts.uses_shuffle = true;
  if (contains(opcode, ".shared")) facts.uses_shared = true;
  if ((is("atom") || is("red.")) && !contains(opcode, ".shared"))
    facts.atomics.insert(
        operation_and_type(opcode, {"add", "max", "min", "inc", "exch", "cas", "and", "or", "xor"}));
  if (is_global_read(opcode) && !writes_one_of(in_calls, line, opcode))
    facts.widest_read = std::max(facts.widest_read, bytes_read(line.substr(line.find(opcode)), opcode));
  if (contains(opcode, ".ftz") && !is("ex2.approx") && !opcode.ends_with(".f64"))
    facts.flushes_subnormals = true;
  if (contains(opcode, ".approx") || contains(opcode, ".full")) facts.approximates = true;
  constexpr std::string_view computing[] = {"add", "mul",  "min",   "max", "div",
                                            "rcp", "sqrt", "rsqrt", "ex2", "lg2"};
  for (const std::string_view operation : computing)
    if (is(std::string(operation) + ".")) facts.arithmetic.insert(operation_and_type(opcode, {operation}));
}

/// Whether a read stands between a label and a later branch back to it.
bool has_read_in_loop(const std::vector<std::string_view>& lines) {
  std::map<std::string_view, std::size_t> reads_before_label;
  std::size_t reads = 0;
  for (const std::string_view line : lines) {
    const std::string_view opcode = opcode_of(line);
    if (line.ends_with(':')) reads_before_label[line.substr(0, line.size() - 1)] = reads;
    if (is_global_read(opcode)) ++reads;
    if (!opcode.starts_with("bra")) continue;
    const std::string_view statement = line.substr(0, line.find(';'));
    const std::size_t space = statement.find_last_of(" \t");
    if (space == std::string_view::npos) continue;
    const auto label = reads_before_label.find(statement.substr(space + 1));
    if (label != reads_before_label.end() && label->second < reads) return true;
  }
  return false;
}

bool contains_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_name_character(text[at - 1]);
    if (begins && (end == text.size() || !is_name_character(text[end]))) return true;
  }
  return false;
}

/// Dynamic shared memory is declared outside the entry, without a size.
bool mentions_dynamic_shared(std::string_view ptx, std::string_view body) {
  constexpr std::string_view directive = ".extern .shared";
  for (std::size_t at = ptx.find(directive); at != std::string_view::npos; at = ptx.find(directive, at + 1)) {
    const std::string_view line = ptx.substr(at, ptx.find('\n', at) - at);
    const std::size_t bracket = line.find('[');
    const std::size_t space = line.find_last_of(" \t", bracket);
    if (bracket == std::string_view::npos || space == std::string_view::npos) continue;
    if (contains_word(body, line.substr(space + 1, bracket - space - 1))) return true;
  }
  return false;
}

}  // namespace

EntryFacts facts_of(std::string_view ptx, std::string_view lowered) {
  EntryFacts facts;
  for (const std::string_view definition : with_callees(ptx, definition_of(ptx, lowered))) {
    const std::vector<std::string_view> lines = lines_of(definition);
    const Names in_calls = names_in_calls(definition);
    for (const std::string_view line : lines)
      line.starts_with('.') ? read_directive(line, facts) : read_instruction(line, in_calls, facts);
    facts.reads_in_loop |= has_read_in_loop(lines);
    facts.uses_dynamic_shared |= mentions_dynamic_shared(ptx, definition);
  }
  facts.uses_shared = facts.uses_shared || facts.uses_dynamic_shared;
  return facts;
}

}  // namespace foldproof
