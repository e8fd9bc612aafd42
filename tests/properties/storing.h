// A kernel that fails and one that does not, and audits that store cases.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "fake_kernel.h"

namespace foldproof::fake {

inline void loses_element_40(const Launch& launch) {
  auto values = launch.elements<float>();
  if (values.size() > 40) values.erase(values.begin() + 40);
  launch.store(random_tree_sum(values, 1));
}

inline void correct(const Launch& launch) { launch.store(random_tree_sum(launch.elements<float>(), 1)); }

inline AuditOptions storing_in(const std::filesystem::path& folder, std::uint64_t cases = 40) {
  AuditOptions options;
  options.store = folder;
  options.cases = cases;
  return options;
}

inline std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  return {std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()};
}

inline Contract contract_at(const std::filesystem::path& file) {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.file = file;
  return contract;
}

}  // namespace foldproof::fake
