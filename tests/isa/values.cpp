#include "values.h"

#include <random>

namespace foldproof::tests {
namespace {

constexpr std::size_t random_count = 1500;

}  // namespace

Column integers(unsigned bits, unsigned seed) {
  std::mt19937_64 random(seed);
  const Value top = Value{1} << (bits - 1);
  Column values{0, 1, 2, 3, 5, 7, 8, 31, 32, 33, 63, 64, top - 1, top, top + 1, ones(bits) - 1, ones(bits)};
  for (Value& value : values) value &= ones(bits);
  while (values.size() < random_count) values.push_back((random() & ones(bits)) >> random() % bits);
  return values;
}

Column floats(unsigned exponent_bits, unsigned fraction_bits, unsigned seed) {
  std::mt19937_64 random(seed);
  const Value hidden = Value{1} << fraction_bits, bias = ones(exponent_bits - 1),
              sign = hidden << exponent_bits;
  const Value one = bias << fraction_bits, infinity = ones(exponent_bits) << fraction_bits;
  Column values;
  for (const Value magnitude :
       {Value{0}, Value{1}, Value{2}, hidden - 1, hidden, hidden + 1, one - 1, one, one + 1, one + hidden / 2,
        one + hidden, infinity - 1, infinity, infinity + 1, infinity | hidden / 2, infinity | (hidden - 1)})
    for (const Value s : {Value{0}, sign}) values.push_back(magnitude | s);
  while (values.size() < random_count) {
    // Exponents near that of 1, near the smallest normal, or anywhere; often few fraction bits, to cause
    // ties.
    const unsigned kind = static_cast<unsigned>(random() % 8);
    const Value near = kind < 4   ? bias - 3 + random() % 8
                       : kind < 5 ? random() % (fraction_bits + 3)
                                  : random();
    const Value fraction = random() & (hidden - 1);
    const Value sparse = random() % 2 != 0 ? fraction : fraction & ~ones(fraction_bits / 2 + 1);
    values.push_back((near & ones(exponent_bits)) << fraction_bits | sparse | (random() % 2 != 0 ? sign : 0));
  }
  return values;
}

Column all_16_bits() {
  Column values;
  for (Value i = 0; i < 0x10000; ++i) values.push_back(i);
  return values;
}

Columns crossed(const Columns& columns, std::size_t edges) {
  Columns result(columns.size());
  std::size_t combinations = 1;
  for (std::size_t k = 0; k < columns.size(); ++k) combinations *= edges;
  for (std::size_t i = 0; i < combinations; ++i) {
    std::size_t rest = i;
    for (std::size_t k = 0; k < columns.size(); ++k, rest /= edges)
      result[k].push_back(columns[k][rest % edges]);
  }
  for (std::size_t k = 0; k < columns.size(); ++k)
    result[k].insert(result[k].end(), columns[k].begin(), columns[k].end());
  return result;
}

Column paired(const Column& low, const Column& high) {
  Column result;
  for (std::size_t i = 0; i < low.size(); ++i) result.push_back(low[i] | high[i] << 16);
  return result;
}

}  // namespace foldproof::tests
