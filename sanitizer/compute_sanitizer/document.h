// Splits the file that compute-sanitizer writes into one tree per record. Records are visited one at a time,
// since their number grows with the number of bytes that threads race for.
#pragma once

#include <boost/property_tree/ptree_fwd.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace foldproof::compute_sanitizer {

/// Calls `visit` with the tree of each <record> and its number, counted from 1. Throws InputError if `xml` is
/// not a <ComputeSanitizerOutput> of records, or is truncated.
void each_record(std::string_view xml,
                 const std::function<void(const boost::property_tree::ptree&, std::size_t)>& visit);

/// The text without control characters, which a terminal could interpret.
std::string printable(std::string text);

}  // namespace foldproof::compute_sanitizer
