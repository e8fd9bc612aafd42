#include "shadowed.h"

#include <algorithm>
#include <cstring>

#include "catch.h"

namespace foldproof::tests {

Shadowed::Shadowed(const isa::Form& form, const std::vector<std::size_t>& absent) : form_(form) {
  std::uint32_t next_mask = 4, next_row = 64;
  for (std::size_t k = 0; k < form_.ports.size(); ++k) {
    const bool is_mask = form_.ports[k].bytes == 0;
    const bool is_absent = std::ranges::find(absent, k) != absent.end();
    rows_.push_back(is_absent ? isa::no_operand : is_mask ? next_mask : next_row);
    (is_mask ? next_mask : next_row) += is_mask ? 4 : 512;
  }
  instruction_.form = &form_;
  instruction_.compute = form_.compute;
  if (rows_.size() > instruction_.operand.size()) instruction_.wide = rows_.data();
  std::copy_n(rows_.begin(), std::min(rows_.size(), instruction_.operand.size()),
              instruction_.operand.begin());
}

std::size_t Shadowed::first_source() const {
  return static_cast<std::size_t>(std::ranges::count(form_.ports, true, &isa::Port::written));
}

void Shadowed::alias(std::size_t port) {
  rows_[0] = rows_[port];
  instruction_.operand[0] = rows_[port];
}

Value Shadowed::get(const Frame& frame, std::size_t port, unsigned lane, unsigned half) const {
  const std::uint32_t offset = port == carry ? isa::carry_offset : rows_[port];
  Value value = 0;
  if (bytes(port) == 0) {
    std::memcpy(&value, frame.data() + offset, sizeof(isa::LaneMask));
    return value >> lane & 1;
  }
  std::memcpy(&value, frame.data() + offset + lane * bytes(port) + 8 * half, std::min(bytes(port), 8u));
  return value;
}

void Shadowed::set(Frame& frame, std::size_t port, unsigned lane, Value value, unsigned half) const {
  const std::uint32_t offset = port == carry ? isa::carry_offset : rows_[port];
  if (bytes(port) == 0) {
    isa::LaneMask& mask = isa::mask(frame.data(), offset);
    mask = (mask & ~(1u << lane)) | static_cast<isa::LaneMask>(value & 1) << lane;
  } else {
    std::memcpy(frame.data() + offset + lane * bytes(port) + 8 * half, &value, std::min(bytes(port), 8u));
  }
}

std::vector<std::size_t> Shadowed::sources() const {
  std::vector<std::size_t> ports;
  for (std::size_t k = first_source(); k < rows_.size(); ++k)
    if (rows_[k] != isa::no_operand) ports.push_back(k);
  if (form_.reads_carry) ports.push_back(carry);
  return ports;
}

std::vector<std::size_t> Shadowed::destinations() const {
  std::vector<std::size_t> ports;
  for (std::size_t k = 0; k < first_source(); ++k)
    if (rows_[k] != isa::no_operand) ports.push_back(k);
  if (form_.writes_carry) ports.push_back(carry);
  return ports;
}

Shadowed::Frame Shadowed::computed(const Frame& frame, isa::LaneMask lanes) const {
  Frame result = frame;
  form_.compute(result.data(), instruction_, lanes);
  return result;
}

Column undefined_after(const isa::Form& form, const std::vector<Known>& sources) {
  std::vector<std::size_t> absent;
  const std::size_t given = sources.size() - (form.reads_carry ? 1 : 0);
  const auto first = static_cast<std::size_t>(std::ranges::count(form.ports, true, &isa::Port::written));
  for (std::size_t k = first + given; k < form.ports.size(); ++k) absent.push_back(k);
  Shadowed shadowed(form, absent);
  const auto places = shadowed.sources();
  REQUIRE(places.size() == sources.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    shadowed.set(shadowed.values, places[k], 0, sources[k].value);
    shadowed.set(shadowed.undefined, places[k], 0, sources[k].undefined);
  }
  shadowed.propagate();
  Column result;
  for (const std::size_t place : shadowed.destinations())
    result.push_back(shadowed.get(shadowed.undefined, place, 0));
  return result;
}

Column undefined_after(const std::string& text, const std::vector<Known>& sources) {
  INFO(text);
  return undefined_after(form_of(text), sources);
}

Value undefined_result(const std::string& text, const std::vector<Known>& sources) {
  return undefined_after(text, sources).front();
}

}  // namespace foldproof::tests
