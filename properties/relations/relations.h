// The relations that kernels are tried against: what one input gives says something of what others give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"
#include "properties/case.h"

namespace foldproof {

/// A row of relations.def.
struct RelationInfo {
  std::string_view name;
  std::string_view claim;
};

std::span<const RelationInfo> relation_rows();
/// "permuted, padded, …"
std::string relation_names();

/// Those that may hold for the instance; whether one can be tried on a case hangs on its count and values.
std::vector<std::string> relations_of(const Instance& instance);

/// Throws InputError for a name that no relation has.
void check_relation(const std::string& name);

namespace relations {

/// Whose relations they are. The instance has a reduction.
struct RelationSubject {
  const Instance& instance;
  bool fixed_tree = false;  ///< the same launch means the same operations, whatever the elements are
  bool flushes = false;     ///< subnormal numbers may become zero
};

/// An input that a relation derives, and the variables of the case that has it.
struct Derived {
  Variables variables;
  std::vector<std::byte> input;
};

/// The further inputs that the case's relation needs; none where the case has no relation, or one that says
/// nothing of it. Throws InputError for a name that no relation has.
std::vector<Derived> derive(const RelationSubject& subject, const Case& c, std::span<const std::byte> input);

/// Whether the relation holds; `outputs`: the elements of the results as bits, those of the case first, then
/// those of the inputs that derive() gave; `forced`: the inputs force every bit of each of them.
bool holds(const RelationSubject& subject, const Case& c, std::span<const std::byte> input,
           const std::vector<std::vector<std::uint64_t>>& outputs, bool forced);

}  // namespace relations
}  // namespace foldproof
