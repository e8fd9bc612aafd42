#include "contracts/nvcc/unit.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"
#include "base/text.h"
#include "devices/host_program.h"

namespace foldproof {
namespace {

constexpr std::string_view address = "foldproof_entry_";  ///< the globals that hold addresses
constexpr std::string_view place = "entry-";  ///< the generated files that diagnostics about them name

std::optional<std::size_t> index_after(std::string_view text, std::string_view prefix) {
  const std::size_t at = text.find(prefix);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(at + prefix.size());
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  return error == std::errc{} ? std::optional(index) : std::nullopt;
}

/// ".global .align 8 .u64 foldproof_entry_3 = _Z3sumPf;"
struct Address {
  std::size_t entry;
  std::string lowered;
};

std::optional<Address> address_in(std::string_view line) {
  if (line.find(".global") == std::string_view::npos) return std::nullopt;
  const auto entry = index_after(line, address);
  const std::size_t equals = line.find("= ");
  const std::size_t end = line.rfind(';');
  if (!entry || equals == std::string_view::npos || end == std::string_view::npos || end < equals)
    return std::nullopt;
  return Address{*entry, std::string(line.substr(equals + 2, end - equals - 2))};
}

/// The head of a forward declaration, which nvcc writes before globals that name an entry.
bool begins_declaration(std::string_view line) {
  const std::size_t entry = line.find(".entry ");
  const bool leads =
      entry != std::string_view::npos && line.substr(0, entry).find("//") == std::string_view::npos;
  return leads && line.find_first_of("({") == std::string_view::npos;
}

std::string include_of(const std::filesystem::path& source) {
  const std::string path = source.string();
  if (path.find_first_of("\"\n\\") != std::string::npos)
    throw InputError("a source's path may hold no quote, backslash or line break; rename it", {path});
  return fmt::format("#include \"{}\"\n", path);
}

}  // namespace

std::string translation_unit(const std::filesystem::path& source, const std::vector<std::string>& entries,
                             const std::string& appendix) {
  std::string unit = include_of(source) + appendix;
  for (std::size_t i = 0; i < entries.size(); ++i)
    unit += fmt::format("#line 1 \"{}{}{}\"\n__device__ void* {}{} = (void*)(&{});\n", generated, place, i,
                        address, i, entries[i]);
  return unit;
}

std::string host_unit(const std::filesystem::path& source, const std::vector<std::string>& entries) {
  return include_of(source) + host_program_code(entries, fmt::format("{}{}", generated, place));
}

std::optional<std::size_t> entry_of_diagnostic(std::string_view file) {
  return file.starts_with(generated) ? index_after(file, place) : std::nullopt;
}

UnitPtx without_addresses(std::string_view ptx, std::size_t entries) {
  UnitPtx result;
  result.lowered.resize(entries);
  for (std::string_view rest = ptx; !rest.empty();) {
    const std::string_view line = take_line(rest);
    if (const auto found = address_in(line); found && found->entry < entries) {
      result.lowered[found->entry] = found->lowered;
    } else if (begins_declaration(line)) {
      while (!rest.empty() && take_line(rest) != ";") {
      }
    } else {
      result.ptx.append(line).push_back('\n');
    }
  }
  // Debug information (-G) describes the globals too; then they must stay, for the text to make sense.
  if (result.ptx.find(address) != std::string::npos) result.ptx = ptx;
  return result;
}

}  // namespace foldproof
