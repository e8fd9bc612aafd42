// The fill values of undefined memory.
#include "devices/undefined_fill.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "catch.h"

using namespace foldproof;

namespace {

std::vector<std::uint32_t> words_of(const UndefinedFill& fill, std::uint64_t memory, std::uint64_t at,
                                    std::size_t count) {
  std::vector<std::uint32_t> words(count);
  fill_undefined(std::as_writable_bytes(std::span(words)), fill, memory, at);
  return words;
}

}  // namespace

TEST_CASE("undefined memory holds poison by default, even in a partial word") {
  CHECK(words_of({}, 0, 0, 3) == std::vector<std::uint32_t>(3, 0x7fedbead));
  std::vector<std::byte> bytes(6, std::byte{1});
  fill_undefined(std::span(bytes).first(5), {}, 0, 0);
  CHECK(bytes == std::vector<std::byte>{std::byte{0xad}, std::byte{0xbe}, std::byte{0xed}, std::byte{0x7f},
                                        std::byte{0xad}, std::byte{1}});
  CHECK(words_of({}, 0, 0, 0).empty());
}

TEST_CASE("even and odd words are determined by the address, wherever the fill begins") {
  const UndefinedFill fill{{1, 2}};
  CHECK(words_of(fill, 0, 0, 4) == std::vector<std::uint32_t>{1, 2, 1, 2});
  CHECK(words_of(fill, 0, 4, 3) == std::vector<std::uint32_t>{2, 1, 2});
}

TEST_CASE("a word does not depend on the filled range, but on the memory and the seed") {
  const UndefinedFill fill{{0, 0}, {~0u, ~0u}, 1};
  const auto whole = words_of(fill, 7, 0, 100);
  const auto part = words_of(fill, 7, 4 * 33, 10);
  CHECK(std::equal(part.begin(), part.end(), whole.begin() + 33));
  CHECK(words_of(fill, 8, 0, 100) != whole);
  CHECK(words_of({{0, 0}, {~0u, ~0u}, 2}, 7, 0, 100) != whole);
}

TEST_CASE("random values differ from the base only in the bits that may vary") {
  for (const UndefinedFill& fill : random_fills()) {
    const auto words = words_of(fill, 3, 0, 64);
    std::set<std::uint32_t> different[2];
    for (std::size_t k = 0; k < words.size(); ++k) {
      CHECK(((words[k] ^ fill.base[k % 2]) & ~fill.varied[k % 2]) == 0);
      different[k % 2].insert(words[k]);
    }
    CHECK(different[0].size() > 4);
  }
}

TEST_CASE("one random fill has a huge value in every word, and one a huge negative value") {
  const auto all_begin_with = [](std::uint32_t byte) {
    return std::ranges::count_if(random_fills(), [&](const UndefinedFill& fill) {
      const auto words = words_of(fill, 5, 0, 64);
      return std::ranges::all_of(words, [&](std::uint32_t word) { return word >> 24 == byte; });
    });
  };
  CHECK(all_begin_with(0x76) == 1);
  CHECK(all_begin_with(0xf6) == 1);
}

TEST_CASE("compared values are tried at their own width and at narrower ones, each once") {
  const auto all = fills_of({{5, 4}, {5, 4}, {0x500000001, 8}});
  const auto has = [&](std::uint32_t even, std::uint32_t odd) {
    return std::ranges::count(all, UndefinedFill{{even, odd}});
  };
  CHECK(has(0, 0) == 1);
  for (const std::uint32_t near : {4u, 5u, 6u}) {
    CHECK(has(near, near) == 1);
    CHECK(has(near * 0x00010001, near * 0x00010001) == 1);
    CHECK(has(near * 0x01010101, near * 0x01010101) == 1);
  }
  CHECK(has(0x40a00000, 0x40a00000) == 1);  // 5.0f, if it was converted before the comparison
  CHECK(has(1, 5) == 1);
  CHECK(has(2, 5) == 1);
}
