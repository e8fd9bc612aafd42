// What is known about a kernel before anything is guessed: its signature, its parameters, and facts from its
// PTX.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/declarations.h"
#include "contracts/entry_facts.h"
#include "contracts/signature.h"
#include "devices/image.h"
#include "oracles/formats.h"

namespace foldproof {

/// A kernel parameter, described by its type alone: "const float* __restrict__ in".
struct Parameter {
  std::string type;  ///< as written
  std::string name;  ///< empty if unknown
  std::optional<Element> element;
  std::uint32_t lanes = 1;  ///< elements per value: 4 for float4
  bool is_pointer = false;
  bool is_const = false;
};

struct Kernel {
  EntrySignature signature;
  std::vector<Parameter> parameters;
  EntryFacts facts;
};

/// `declared`: the kernels declared in the text of the source; empty for PTX.
Kernel kernel_of(const Image& image, const std::string& lowered, const std::vector<DeclaredKernel>& declared);

/// "ns::sum" for "ns::sum<float, 128>", without anonymous namespaces.
std::string plain_name(std::string_view spelled);

}  // namespace foldproof
