// Executes one instruction by its PTX text, without a parser: operands are lists of values, one value per
// lane.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "devices/emulated/isa/instruction.h"

namespace foldproof::tests {

/// Values as bits, zero-extended. Predicates are 0 or 1.
using Value = std::uint64_t;
using Column = std::vector<Value>;
using Columns = std::vector<Column>;

/// The form of "add.rn.ftz.f32"; fails the test if there is none.
isa::Form form_of(const std::string& text);
bool exists(const std::string& text);

/// The form of a mov with a vector of `parts` on one side.
isa::Form packing_form_of(isa::Packing packing, unsigned parts, const std::string& text);

/// Executes the form for as many lanes as the sources have values, warp after warp, and returns the
/// destinations: d, then e, or all parts of a vector. Each warp runs with a full mask and then with partial
/// ones: inactive columns must keep their bits, even if the destination is also a source; otherwise the test
/// fails. Optional operands are left out from the right.
Columns run(const isa::Form& form, const Columns& sources);
Columns run(const std::string& text, const Columns& sources);

/// Requires the first destination for each set of operands to equal `expected`. Records the row as covered.
void check(const std::string& text, const Columns& sources,
           const std::function<Value(const Column&)>& expected);
void check(const isa::Form& form, const std::string& text, const Columns& sources,
           const std::function<Value(const Column&)>& expected);

/// The result for one set of operands.
Value run_one(const std::string& text, const Column& operands);

/// check() with an expectation of one, two, three or four parameters.
template <class F>
requires std::is_invocable_v<F, Value>
void check1(const std::string& text, const Columns& sources, F f) {
  check(text, sources, [&](const Column& x) { return static_cast<Value>(f(x[0])); });
}
template <class F>
void check2(const std::string& text, const Columns& sources, F f) {
  check(text, sources, [&](const Column& x) { return static_cast<Value>(f(x[0], x[1])); });
}
template <class F>
void check3(const std::string& text, const Columns& sources, F f) {
  check(text, sources, [&](const Column& x) { return static_cast<Value>(f(x[0], x[1], x[2])); });
}
template <class F>
void check4(const std::string& text, const Columns& sources, F f) {
  check(text, sources, [&](const Column& x) { return static_cast<Value>(f(x[0], x[1], x[2], x[3])); });
}

}  // namespace foldproof::tests
