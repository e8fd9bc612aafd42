#include "properties/execution/outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "devices/undefined_fill.h"

namespace foldproof {

std::vector<Output> outputs_of(const Instance& instance) {
  using Initial = BufferContract::Initial;
  const bool is_undefined = !instance.in_place && instance.output_initial == Initial::undefined;
  std::vector<Output> outputs{{*instance.reduction, "[output]", instance.output_count, "", is_undefined}};
  for (const AdditionalOutput& additional : instance.additional_outputs) {
    const auto buffer = std::ranges::find(instance.buffers, additional.buffer, &BufferContract::name);
    outputs.push_back({additional.reduction, fmt::format("[[buffer]] \"{}\"", buffer->name), buffer->count,
                       fmt::format("in the buffer \"{}\", ", buffer->name),
                       buffer->initial == Initial::undefined});
  }
  return outputs;
}

OutputContent content_of(const Output& output, const PreparedOutput& prepared, const JobResult& result) {
  const Element type = output.reduction.output;
  OutputContent content{type,
                        std::span(result.contents[prepared.buffer])
                            .subspan(prepared.first * size_of(type), prepared.count * size_of(type)),
                        nullptr, prepared.first * size_of(type), output.is_undefined};
  if (!result.idle.empty()) content.idle = &result.idle[prepared.buffer];
  return content;
}

std::vector<std::size_t> unwritten_elements(const OutputContent& content) {
  if (!content.is_undefined) return {};
  const std::size_t size = size_of(content.type), end = content.count();
  std::vector<std::size_t> elements;
  if (content.idle != nullptr) {
    for (const ByteRange& range : *content.idle) {
      const std::size_t first = std::max(range.first, content.start) - content.start;
      for (std::size_t k = (first + size - 1) / size; k < end && content.start + (k + 1) * size <= range.end;
           ++k)
        elements.push_back(k);
    }
    return elements;
  }
  for (std::size_t k = 0; size >= 4 && k < end; ++k) {
    std::size_t at = k * size;
    while (at < (k + 1) * size && content.bytes[at] == UndefinedFill{}.byte(content.start + at)) ++at;
    if (at == (k + 1) * size) elements.push_back(k);
  }
  return elements;
}

bool relies_on_fill(const ResultChecker& checker, const OutputContent& content) {
  const auto elements = unwritten_elements(content);
  if (elements.empty()) return false;
  constexpr std::byte other_fill{0x5e};
  const std::size_t size = size_of(content.type);
  std::vector<std::byte> bytes(content.bytes.begin(), content.bytes.end());
  for (const std::size_t k : elements)
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(k * size), size, other_fill);
  return !checker.check(bytes).ok;
}

}  // namespace foldproof
