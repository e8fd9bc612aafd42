// Bytes between processes: descriptors, and whole reads and writes.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace foldproof {

/// Owns an open descriptor and closes it. A number below 0 stands for none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { reset(); }

  int number() const { return number_; }
  void reset();

 private:
  int number_ = -1;
};

/// The ends of a pipe; programs that this process starts inherit neither.
struct Pipe {
  /// Throws InputError where the system has none left.
  Pipe();
  Descriptor from, to;
};

/// Returns false where the descriptor ended before it gave that many bytes.
bool read_all(int from, void* to, std::size_t bytes);

/// Returns false where nobody reads the bytes any more.
bool write_all(int to, const void* from, std::size_t bytes);

/// Reads until the descriptor ends, and returns the first bytes, `most` at most.
std::string read_to_end(int from, std::size_t most);

}  // namespace foldproof
