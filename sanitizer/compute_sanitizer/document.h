// The file that compute-sanitizer writes, taken apart into the trees of its records: one at a time, since
// there are as many as bytes that threads race for.
#pragma once

#include <boost/property_tree/ptree_fwd.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace foldproof::compute_sanitizer {

/// Calls `visit` with the tree of each <record> and its number, which counts from 1. Throws InputError where
/// `xml` is no <ComputeSanitizerOutput> of records, or is cut short.
void each_record(std::string_view xml,
                 const std::function<void(const boost::property_tree::ptree&, std::size_t)>& visit);

/// The text without control characters, which could take over a terminal.
std::string printable(std::string text);

}  // namespace foldproof::compute_sanitizer
