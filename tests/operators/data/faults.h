// What the kernel of parts.cu may do wrong, and how its results are shaped; for the kernel and for its test.
#pragma once

enum class Shape { value, partials, rows, columns, segments, scan, bins, array, row_scans };

enum class Scan { inclusive, exclusive, reverse, reverse_exclusive };

enum class Fault {
  none,
  drops_last,       // the last element is not used
  repeats_first,    // the first element is used twice
  leaves_empty,     // nothing is written for no elements: a fault unless the contract claims it
  answers_empty,    // 42 for no elements
  starts_at_block,  // the order of the elements depends on the launch
  takes_last_tie,   // of equal elements the last one counts
};
