// Functions that nvcc leaves to the driver: printf and assert.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdio>
#include <cstring>

#include "devices/emulated/execution/executor.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

constexpr std::size_t longest_string = 4096;
constexpr std::size_t longest_output = 1 << 20;

std::uint64_t read_slot(const std::byte* registers, const Slot& slot, unsigned lane) {
  std::uint64_t value = 0;
  for (unsigned chunk = 0; chunk * 4 < slot.bytes && chunk < 2; ++chunk)
    std::memcpy(reinterpret_cast<std::byte*>(&value) + chunk * 4,
                registers + slot.offset + chunk * 128 + lane * 4, 4);
  return value;
}

void write_slot(std::byte* registers, const Slot& slot, unsigned lane, std::uint32_t value) {
  std::memcpy(registers + slot.offset + lane * 4, &value, 4);
}

/// One conversion of a format string, such as "%-8.3llf".
struct Conversion {
  std::string flags;  ///< flags, width and precision
  bool is_long = false;
  char type = 0;
};

// Parses the conversion that begins after a '%', and leaves `at` after it. `next` provides the value of a
// width or precision `*`. Returns false at the end of the text.
template <class Next>
bool read_conversion(const std::string& text, std::size_t& at, Conversion& out, Next next) {
  for (; at < text.size() && std::strchr("-+ #0123456789.*", text[at]); ++at)
    out.flags += text[at] == '*' ? std::to_string(static_cast<std::int32_t>(next(4))) : std::string{text[at]};
  while (at < text.size() && std::strchr("hljzt", text[at])) {
    // In the device ABI, l is 64 bits.
    out.is_long |= text[at] != 'h';
    ++at;
  }
  if (at == text.size()) return false;
  out.type = text[at++];
  return out.flags.size() <= 8;  // rejects absurd widths of a thousand digits
}

template <class T>
std::string print(const std::string& flags, const char* type, T value) {
  char buffer[512];
  const std::string spec = "%" + flags + type;
  const int length = std::snprintf(buffer, sizeof buffer, spec.c_str(), value);
  return length < 0 ? std::string{}
                    : std::string(buffer,
                                  std::min<std::size_t>(static_cast<std::size_t>(length), sizeof buffer - 1));
}

// Formats a conversion whose argument is provided by `next`; also handles %% and unknown conversions.
template <class Next>
std::string print_number(const Conversion& c, Next next) {
  const char type[] = {'l', 'l', c.type, 0};
  const unsigned bytes = c.is_long ? 8 : 4;
  switch (c.type) {
    case '%': return "%";
    case 'd':
    case 'i': {
      const std::uint64_t raw = next(bytes);
      return print(
          c.flags, type,
          c.is_long ? static_cast<long long>(raw) : static_cast<long long>(static_cast<std::int32_t>(raw)));
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o': return print(c.flags, type, static_cast<unsigned long long>(next(bytes)));
    case 'c': return {static_cast<char>(next(4))};
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return print(c.flags, type + 2, std::bit_cast<double>(next(8)));
    case 'p': return fmt::format("{:#x}", next(8));
    default: return "?";
  }
}

}  // namespace

// Memory that printf or assert reads; null if it is not accessible.
const std::byte* Executor::printed(Warp& warp, const Instruction& i, unsigned lane, std::uint64_t address,
                                   std::uint32_t bytes) {
  const Region found = parts_.addresses.region(warp, isa::StateSpace::none, address, lane);
  if (!found.host || !found.contains(address, bytes)) return nullptr;
  parts_.shadow.printed(warp, i, lane, found, address, bytes);
  return found.host + (address - found.begin);
}

std::string Executor::read_string(Warp& warp, const Instruction& i, unsigned lane, std::uint64_t address) {
  std::string text;
  while (text.size() < longest_string) {
    const std::byte* at = printed(warp, i, lane, address + text.size(), 1);
    if (!at || *at == std::byte{0}) break;
    text += static_cast<char>(*at);
  }
  return text;
}

// The arguments of vprintf are in one buffer, each at its natural alignment; floats are promoted to double.
Executor::Formatted Executor::format(Warp& warp, const Instruction& i, unsigned lane,
                                     std::uint64_t text_address, std::uint64_t values) {
  const std::string text = read_string(warp, i, lane, text_address);
  Formatted result;
  std::uint64_t offset = 0;
  auto next = [&](unsigned bytes) {
    offset = (offset + bytes - 1) / bytes * bytes;
    std::uint64_t value = 0;
    if (const std::byte* at = printed(warp, i, lane, values + offset, bytes)) std::memcpy(&value, at, bytes);
    offset += bytes;
    ++result.arguments;
    return value;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '%') {
      result.text += text[at++];
      continue;
    }
    ++at;
    Conversion conversion;
    if (!read_conversion(text, at, conversion, next)) break;
    if (conversion.type == 's')
      result.text += print(conversion.flags, "s", read_string(warp, i, lane, next(8)).c_str());
    else
      result.text += print_number(conversion, next);
  }
  return result;
}

void Executor::builtin(Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes) {
  const MachineOperands& detail = parts_.program.details[i.detail];
  std::byte* registers = frame.registers();
  auto argument = [&](std::size_t k, unsigned lane) {
    return read_slot(registers, detail.arguments[k], lane);
  };
  if (detail.builtin == Builtin::assert_fail) {
    const auto lane = first_lane(lanes);
    Finding finding = parts_.findings.make(
        Kind::crash, i,
        fmt::format("the assertion `{}` failed in {} ({}:{})", read_string(warp, i, lane, argument(0, lane)),
                    read_string(warp, i, lane, argument(3, lane)),
                    read_string(warp, i, lane, argument(1, lane)),
                    static_cast<std::uint32_t>(argument(2, lane))));
    finding.threads.push_back(parts_.geometry.thread(warp, lane));
    parts_.findings.end(std::move(finding));
  }
  for_lanes(lanes, [&](unsigned lane) {
    const Formatted result = format(warp, i, lane, argument(0, lane), argument(1, lane));
    if (printed_.size() < longest_output) printed_ += result.text;
    parts_.progress.changed();
    if (!detail.returns.empty()) write_slot(registers, detail.returns[0], lane, result.arguments);
  });
  if (!detail.returns.empty()) parts_.shadow.fresh(frame, std::array{detail.returns[0].offset}, lanes);
}

}  // namespace foldproof::emulated
