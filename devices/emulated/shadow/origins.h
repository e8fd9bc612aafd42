// The origins of a job's undefined bits.
//
//   Undefined bits originate from reads of never-written memory, uninitialised variables, and shuffles
//   without a source. Copying and discarding them is allowed; an address, branch or output that depends on
//   them is reported.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/emulated/state/places.h"
#include "devices/emulated/state/undefined_bits.h"
#include "devices/undefined_fill.h"
#include "sanitizer/finding.h"

namespace foldproof::emulated {

/// The origin of undefined bits.
struct Origin {
  Kind kind = Kind::uninitialized_read;
  Position at;                     ///< for a variable: its first reader
  std::optional<ThreadId> thread;  ///< none for a variable
  std::string what;                ///< "4 bytes of the shared tile that were never written"
};

/// All origins of a job's launches, and the memory to which undefined bits were stored.
struct Origins {
  struct Stored {
    OriginId origin = 0;
    Position at;  ///< the store
    ThreadId thread;
    bool as_number = false;  ///< stored from a register of at least 4 bytes without a defined bit
  };
  std::vector<Origin> all;
  std::map<Place, Stored> stored;     ///< entries of bytes that have become defined since are ignored
  std::optional<UndefinedFill> fill;  ///< see emulated::JobRun
  UseOfUndefined use;
};

/// A finding that `what` depends on undefined bits.
Finding undefined_finding(const Origin& origin, const Position& at, const ThreadId& who,
                          std::string_view what);

}  // namespace foldproof::emulated
