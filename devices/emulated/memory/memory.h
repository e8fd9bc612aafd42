// Global memory: widely spaced allocations with exact bounds.
//
//   address = window << 36 | offset; each allocation has its own window, so an index past its end does not
//   reach another allocation for gigabytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/emulated/isa/windows.h"
#include "devices/emulated/state/places.h"
#include "devices/undefined_fill.h"

namespace foldproof::emulated {

/// A range of device addresses and the host memory that backs it.
struct Region {
  std::byte* host = nullptr;
  std::byte* defined = nullptr;  ///< map of its defined bits; null if all are defined
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
  std::unique_ptr<std::byte[], Free> defined;  ///< malloc: untouched pages cost nothing
  std::uint64_t bytes = 0;
  bool live = false;
};

/// Describes an access of `size` bytes at `offset` that is partly or fully outside an object of `bytes`
/// bytes: "4 bytes past the end of WHAT".
std::string relative_to(const std::string& what, std::int64_t offset, std::uint64_t size,
                        std::uint64_t bytes);

class Memory {
 public:
  explicit Memory(bool tracks_definedness = false) : tracks_(tracks_definedness) {}

  /// Sets the contents of memory that becomes undefined from now on.
  void hold(const UndefinedFill& fill) { fill_ = fill; }
  /// Allocates exactly `bytes` bytes of undefined contents. Throws InputError beyond 64 GiB or if the host
  /// runs out of memory.
  std::uint64_t allocate(std::uint64_t bytes, std::string_view name);
  /// Throws InputError unless `address` came from allocate and was not freed.
  void free(std::uint64_t address);

  /// Makes the allocation that contains the address undefined.
  void undefine(std::uint64_t address);
  /// The host wrote these bytes, which must be in one live allocation.
  void define(std::uint64_t address, std::uint64_t bytes);
  /// Creates the map of the allocation that contains the address, with all bits defined, if it does not
  /// exist.
  void map_definedness(std::uint64_t address);

  /// Digest of all defined bytes and their positions.
  std::uint64_t digest() const;
  /// The live allocation that contains an address; a region of 0 bytes if there is none.
  Region find(std::uint64_t address) const;
  /// "the buffer partials": the allocation that contains the address.
  std::string name_at(std::uint64_t address) const;
  /// "4 bytes past the end of "partials" (64 bytes)": describes an address outside every allocation.
  std::string describe(std::uint64_t address, std::uint64_t size) const;

 private:
  static constexpr std::uint64_t first_window = 16;  // lower windows belong to other state spaces
  static std::uint64_t begin_of(std::uint64_t index) { return (first_window + index) << isa::window_bits; }
  static std::uint64_t index_of(std::uint64_t address) {
    return (address >> isa::window_bits) - first_window;
  }
  /// Whether the window contains an allocation.
  bool is_live(std::uint64_t index) const { return index < windows_.size() && windows_[index].live; }

  bool tracks_;
  UndefinedFill fill_;
  std::vector<Allocation> windows_;
  std::vector<std::uint32_t> unused_;
};

}  // namespace foldproof::emulated
