// {T} and {B}: the names of the matrix inside a contract's strings, and what they become.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace foldproof {

/// A placeholder's name and its value.
struct Binding {
  std::string name, value;
  bool operator==(const Binding&) const = default;
};
/// In the order of the file.
using Bindings = std::vector<Binding>;

/// Null where the name has no value.
const std::string* value_of(const Bindings& bindings, std::string_view name);

/// "T=f32,B=128"; a binding without a name is its value alone.
std::string to_text(const Bindings& bindings);

/// Where a string goes: a contract's own places keep "f32" and "sum"; in C++ they become "float" and "Sum".
enum class Place : std::uint8_t { contract, cpp };

/// `text` with every {NAME} replaced; {NAME:wide} by what an element of that type is folded in: f32 for
/// floating-point types of 16 bits and fewer, the same value otherwise; {NAME:magnitude} by what holds its
/// magnitude: the unsigned type of an integer, otherwise as wide. Throws InputError for a NAME that the
/// matrix does not have.
std::string substitute(std::string_view text, const Bindings& bindings, Place place, const Position& where);

/// As `substitute`, for kernel arguments: {input} with an unknown name is a struct of one member, and stays.
std::string substitute_known(std::string_view text, const Bindings& bindings, Place place);

/// `text` with sizeof(T) replaced by sizeof(f32) where T is bound.
std::string substitute_sizeof(std::string_view text, const Bindings& bindings);

/// `text` with every whole word that is bound replaced.
std::string substitute_words(std::string_view text, const Bindings& words);

/// Whether `name` may name a placeholder or a variable: a letter, then letters, digits and underscores.
bool is_identifier(std::string_view name);

}  // namespace foldproof
