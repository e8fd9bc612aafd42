// What is known about a kernel before anything is guessed: its signature, its parameters, what its PTX tells.
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

/// A kernel's parameter as far as its type tells: "const float* __restrict__ in".
struct Parameter {
  std::string type;  ///< as written
  std::string name;  ///< empty where unknown
  std::optional<Element> element;
  std::uint32_t lanes = 1;  ///< elements of one value: 4 of a float4
  bool is_pointer = false;
  bool is_const = false;
};

struct Kernel {
  EntrySignature signature;
  std::vector<Parameter> parameters;
  EntryFacts facts;
};

/// `declared` are the kernels that the source's text declares; empty for PTX.
Kernel kernel_of(const Image& image, const std::string& lowered, const std::vector<DeclaredKernel>& declared);

/// "ns::sum" of "ns::sum<float, 128>", without anonymous namespaces.
std::string plain_name(std::string_view spelled);

}  // namespace foldproof
