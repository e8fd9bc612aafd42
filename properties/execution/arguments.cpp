#include "properties/execution/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "oracles/number.h"

namespace foldproof {
namespace {

constexpr std::uint32_t address_bytes = 8;

/// An argument with its own size, and the alignment that C++ gives it inside a structure.
struct Laid {
  JobArgument argument;
  std::uint32_t alignment = 1;
};

class Layout {
 public:
  Layout(const Variables& variables, const FindBuffer& find, const Position& where)
      : variables_(variables), find_(find), where_(where) {}

  /// `width` is the size of the parameter in bytes; only an integer without a type depends on it.
  Laid lay(const ArgumentContract& argument, std::uint32_t width) const {
    switch (argument.form) {
      case ArgumentContract::Form::pointer: return pointer(argument);
      case ArgumentContract::Form::number: return number(argument);
      case ArgumentContract::Form::structure: return structure(argument);
      case ArgumentContract::Form::integer: break;
    }
    return integer(argument, argument.typed ? static_cast<std::uint32_t>(size_of(argument.type)) : width);
  }

 private:
  Laid pointer(const ArgumentContract& argument) const {
    const BufferPlace place = find_(argument.buffer);
    const std::int64_t elements = argument.value.evaluate(variables_);
    std::int64_t offset = 0;
    if (__builtin_mul_overflow(elements, static_cast<std::int64_t>(place.element_bytes), &offset))
      throw InputError(fmt::format("the address of element {} of \"{}\" does not fit in 64 bits", elements,
                                   argument.buffer),
                       where_);
    return {{ArgumentBytes(address_bytes), {{0, place.index, static_cast<std::uint64_t>(offset)}}},
            address_bytes};
  }

  Laid number(const ArgumentContract& argument) const {
    return scalar(encode(argument.type, number_of(argument.number)),
                  static_cast<std::uint32_t>(size_of(argument.type)));
  }

  Laid integer(const ArgumentContract& argument, std::uint32_t width) const {
    const std::int64_t value = argument.value.evaluate(variables_);
    if (width != 1 && width != 2 && width != 4 && width != 8)
      throw InputError(fmt::format("the integer \"{}\" is passed to a parameter of {} bytes",
                                   argument.value.text(), width),
                       where_);
    const unsigned bits = width * 8;
    const bool fits =
        bits == 64 || (value >= -(std::int64_t{1} << (bits - 1)) && value < (std::int64_t{1} << bits));
    if (!fits)
      throw InputError(fmt::format("\"{}\" is {}, which does not fit in the kernel's parameter of {} bits",
                                   argument.value.text(), value, bits),
                       where_);
    return scalar(static_cast<std::uint64_t>(value), width);
  }

  static Laid scalar(std::uint64_t bits, std::uint32_t width) {
    Laid laid{{ArgumentBytes(width), {}}, width};
    std::memcpy(laid.argument.bytes.data(), &bits, width);
    return laid;
  }

  Laid structure(const ArgumentContract& argument) const {
    Laid whole;
    ArgumentBytes& bytes = whole.argument.bytes;
    for (const ArgumentContract& member : argument.members) {
      const Laid laid = lay(member, address_bytes);
      pad(bytes, laid.alignment);
      for (PointerPatch patch : laid.argument.pointers) {
        patch.at += static_cast<std::uint32_t>(bytes.size());
        whole.argument.pointers.push_back(patch);
      }
      bytes.insert(bytes.end(), laid.argument.bytes.begin(), laid.argument.bytes.end());
      whole.alignment = std::max(whole.alignment, laid.alignment);
    }
    pad(bytes, whole.alignment);
    return whole;
  }

  static void pad(ArgumentBytes& bytes, std::uint32_t alignment) {
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
  }

  const Variables& variables_;
  const FindBuffer& find_;
  const Position& where_;
};

}  // namespace

JobArgument lay_out(const ArgumentContract& argument, std::uint32_t parameter_bytes,
                    const Variables& variables, const FindBuffer& find, const Position& where) {
  Laid laid = Layout(variables, find, where).lay(argument, parameter_bytes);
  if (laid.argument.bytes.size() != parameter_bytes)
    throw InputError(fmt::format("an argument of {} bytes is passed to a parameter of {} bytes",
                                 laid.argument.bytes.size(), parameter_bytes),
                     where);
  return std::move(laid.argument);
}

}  // namespace foldproof
