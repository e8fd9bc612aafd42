// Global memory: allocations far apart from each other, with exact bounds.
//
//   address = window << 36 | offset; each allocation has a window of its own, so an index that runs past its
//   end meets nothing for gigabytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/emulated/state/places.h"
#include "devices/undefined.h"

namespace foldproof::emulated {

/// A stretch of host memory behind a stretch of device addresses.
struct Region {
  std::byte* host = nullptr;
  std::byte* defined = nullptr;  ///< the map of its defined bits; null where all are
  std::uint64_t begin = 0;       ///< first device address
  std::uint64_t bytes = 0;

  bool contains(std::uint64_t address, std::uint64_t size) const {
    return address - begin <= bytes && size <= bytes - (address - begin);
  }
};

struct Allocation {
  std::string name;  ///< for messages; may be empty
  std::unique_ptr<std::byte[]> host;
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte[], Free> defined;  ///< pages that nobody touched cost nothing
  std::uint64_t bytes = 0;
  bool live = false;
};

class Memory {
 public:
  explicit Memory(bool tracks_definedness = false) : tracks_(tracks_definedness) {}

  /// What memory holds from now on that is allocated and not yet written.
  void hold(const UndefinedFill& fill) { fill_ = fill; }
  /// Memory of exactly `bytes` that nobody wrote. Throws InputError beyond 64 GiB or when the host has no
  /// more.
  std::uint64_t allocate(std::uint64_t bytes, std::string_view name);
  /// Throws InputError unless `address` came from allocate and was not freed.
  void free(std::uint64_t address);

  /// The host wrote these bytes, which lie in one live allocation.
  void define(std::uint64_t address, std::uint64_t bytes);
  /// From now on the allocation around the address has a map, of defined bits only.
  void map_definedness(std::uint64_t address);

  /// Of all bytes that are defined, and of which are.
  std::uint64_t digest() const;
  /// The live allocation around an address; a region of no bytes where there is none.
  Region find(std::uint64_t address) const;
  /// "the buffer partials": the allocation that an access hits.
  std::string name_at(std::uint64_t address) const;
  /// "4 bytes past the end of "partials" (64 bytes)": where an address that hits nothing lies.
  std::string describe(std::uint64_t address, std::uint64_t size) const;

 private:
  Allocation& allocation_at(std::uint64_t address);

  bool tracks_;
  UndefinedFill fill_;
  std::vector<Allocation> windows_;
  std::vector<std::uint32_t> unused_;
};

}  // namespace foldproof::emulated
