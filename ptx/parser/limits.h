// Resource limits of the parser, far above what compilers emit. A text that exceeds them is rejected, so that
// no input can exhaust the machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace foldproof::ptx::limits {

inline constexpr std::size_t text_bytes = std::size_t{256} << 20;
/// Statements, operands, labels, variables and initial values of one module.
inline constexpr std::size_t nodes = std::size_t{1} << 23;
inline constexpr unsigned scope_depth = 200;
inline constexpr unsigned expression_depth = 64;
/// Elements of {a, b, …}; tcgen05.ld fills 128 registers.
inline constexpr std::size_t vector_elements = 256;
/// Registers that one function declares with %r<N>, summed over its declarations.
inline constexpr std::uint64_t registers = std::uint64_t{1} << 20;
inline constexpr std::uint32_t alignment = std::uint32_t{1} << 20;
inline constexpr std::size_t dimensions = 8;
inline constexpr std::uint64_t variable_bytes = std::uint64_t{1} << 32;
/// Zeros that short rows of an initializer imply: {{1}, {2}} of [2][1000].
inline constexpr std::uint64_t padded_values = std::uint64_t{1} << 20;
/// Names of inlined functions copied into the line table; names beyond this limit stay empty.
inline constexpr std::size_t function_name_bytes = std::size_t{64} << 20;

}  // namespace foldproof::ptx::limits
