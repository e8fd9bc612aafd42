#include "devices/emulated/shadow/job_provenance.h"

namespace foldproof::emulated {

MemoryProvenance::Page* MemoryProvenance::find(const Place& place) {
  const Place begin{place.of, place.at / page_bytes * page_bytes};
  if (latest_ && latest_begin_ == begin) return latest_;
  const auto memory = pages_.find(begin.of);
  if (memory == pages_.end()) return nullptr;
  const auto page = memory->second.find(begin.at / page_bytes);
  if (page == memory->second.end()) return nullptr;
  latest_begin_ = begin;
  return latest_ = &page->second;
}

BytePart MemoryProvenance::at(const Place& place) {
  const Page* page = find(place);
  return page ? (*page)[place.at % page_bytes] : BytePart{};
}

void MemoryProvenance::set(const Place& place, const BytePart& byte) {
  Page* page = find(place);
  if (!page) {
    if (byte.node == 0) return;  // no page is needed
    page = &pages_[place.of][place.at / page_bytes];
  }
  (*page)[place.at % page_bytes] = byte;
}

void MemoryProvenance::forget(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t b = 0; b < bytes; ++b) set({global_memory, address + b}, {});
}

void MemoryProvenance::forget_blocks() {
  std::erase_if(pages_, [](const auto& memory) { return memory.first != global_memory; });
  latest_ = nullptr;
}

NodeId JobProvenance::made_of(const Place& from, std::span<const std::byte> bytes) {
  constexpr std::size_t most = 16;
  std::array<BytePart, most> parts;
  for (std::size_t b = 0; b < bytes.size(); ++b) {
    parts[b] = memory.at({from.of, from.at + b});
    if (parts[b].node == 0) parts[b].constant = std::to_integer<std::uint8_t>(bytes[b]);
  }
  return expressions.assembled(std::span(parts).first(bytes.size()));
}

}  // namespace foldproof::emulated
