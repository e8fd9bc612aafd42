// Placeholders such as {T} and {B}: the names of the matrix in a contract's strings, and their replacement.
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
/// In file order.
using Bindings = std::vector<Binding>;

/// Null if the name is not bound.
const std::string* value_of(const Bindings& bindings, std::string_view name);

/// "T=f32,B=128"; a binding without a name is written as its value alone.
std::string to_text(const Bindings& bindings);

/// Where a string is used: contracts use "f32" and "sum"; in C++ these become "float" and "Sum".
enum class Place : std::uint8_t { contract, cpp };

/// `text` with every {NAME} replaced by its value; {NAME:wide} by the type in which elements of that type are
/// accumulated: f32 for floating-point types of 16 bits and fewer, otherwise the value itself;
/// {NAME:magnitude} by the type of magnitudes: the unsigned type for a signed integer, otherwise the same as
/// {NAME:wide}. Throws InputError for a NAME that the matrix does not have.
std::string substitute(std::string_view text, const Bindings& bindings, Place place, const Position& where);

/// The same for kernel arguments, where {input} with an unknown name is a struct of one member and is left
/// unchanged.
std::string substitute_known(std::string_view text, const Bindings& bindings, Place place);

/// `text` with sizeof(T) replaced by sizeof(f32) if T is bound to f32.
std::string substitute_sizeof(std::string_view text, const Bindings& bindings);

/// `text` with every whole word that is bound replaced by its value.
std::string substitute_words(std::string_view text, const Bindings& words);

/// Whether `name` may name a placeholder or a variable: a letter, then letters, digits and underscores, at
/// most 64 characters.
bool is_identifier(std::string_view name);

}  // namespace foldproof
