// foldproof-lab bench oracles: the time of exact sums compared with other ways of summing the same elements.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <span>

#include "benchmarks/bench.h"
#include "benchmarks/bench_sums.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

// --- the data

/// A kind of data, and the element types for which it exists.
struct BenchData {
  std::string_view name;
  bool (*suits)(Element element);
  std::uint64_t (*code)(Element element, std::mt19937_64& random);  ///< the bits of one element
};

using Random = std::mt19937_64;

bool any(Element) { return true; }
bool is_f64(Element element) { return element == Element::f64; }
bool has_infinity(Element element) { return is_float(element) && float_format(element).has_infinity; }
bool has_nan(Element element) { return is_float(element) && float_format(element).has_nan; }

/// Uniform in [-1, 1); integers over their whole range.
std::uint64_t uniform(Element element, Random& random) {
  const std::uint64_t bits = random();
  if (!is_float(element)) return bits;
  return encode(element, number_of(std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)), -63)));
}

/// Exponents uniform over the normal range.
std::uint64_t exponents(Element element, Random& random) {
  const FloatFormat& format = float_format(element);
  const auto lines = static_cast<std::uint64_t>(format.highest_exponent - format.lowest_exponent);
  const std::uint64_t leading = std::uint64_t{1} << (format.precision - 1);
  const std::uint64_t significand = leading | (random() & (leading - 1));
  const int exponent = format.lowest_exponent + static_cast<int>(random() % lines);
  return encode(element, {Number::Category::finite, random() % 2 != 0, significand, exponent});
}

std::uint64_t constant(Element element, Random&) {
  return encode(element, number_of(is_float(element) ? 0.7 : 7.0));
}

std::uint64_t subnormal(Element element, Random& random) {
  const FloatFormat& format = float_format(element);
  const std::uint64_t significand = random() & ((std::uint64_t{1} << (format.precision - 1)) - 1);
  return encode(element, {Number::Category::finite, random() % 2 != 0, significand, format.lowest_exponent});
}

std::uint64_t finite_bits(Element element, Random& random) {
  for (;;)
    if (const std::uint64_t bits = random(); decode(element, bits).is_finite()) return bits;
}

std::uint64_t with_nan(Element element, Random& random) {
  if (random() % 100 == 0) return encode(element, {Number::Category::nan, false, 0, 0});
  return uniform(element, random);
}

std::uint64_t infinite(Element element, Random& random) {
  return encode(element, {Number::Category::infinity, random() % 2 != 0, 0, 0});
}

std::uint64_t negative_zeros(Element element, Random&) {
  return encode(element, {Number::Category::finite, true, 0, 0});
}

std::uint64_t outliers(Element element, Random& random) {
  return random() % 100 == 0 ? exponents(element, random) : constant(element, random);
}

/// Four exponents of each sign, 512 apart: their bins may be 4 KiB apart in memory, which caches map to the
/// same set.
std::uint64_t far_apart(Element element, Random& random) {
  constexpr int places = 4, step = 512, first = -1000;
  const std::uint64_t bits = encode(element, number_of(1.0)) | random() >> 12;
  const double number =
      std::ldexp(to_double(decode(element, bits)), first + step * static_cast<int>(random() % places));
  return encode(element, number_of(random() % 2 != 0 ? number : -number));
}

constexpr BenchData all_data[] = {
    {"uniform", any, uniform},
    {"exponents", is_float, exponents},
    {"constant", any, constant},
    {"subnormal", is_float, subnormal},
    {"any-finite", is_float, finite_bits},
    {"nan", has_nan, with_nan},
    {"infinite", has_infinity, infinite},
    {"zeros", is_float, negative_zeros},
    {"outliers", is_float, outliers},
    {"far-apart", is_f64, far_apart},
};

// --- the sums

constexpr std::size_t elements = 1'000'000;
constexpr std::size_t few_elements = elements / 50;  ///< for methods that take some hundred times as long

/// A way of summing; the first one of a row is the baseline for the others.
struct Contender {
  std::string name;
  std::size_t elements;
  std::function<void()> sum;
};

struct Measured {
  std::string type, data, contender;
  std::size_t elements = 0;
  double nanoseconds = 0, baseline = 0, ratio = 0;  ///< per element; medians
};

/// Keeps the compiler from removing what is measured.
template <class Value>
void use(Value value) {
  [[maybe_unused]] static volatile Value sink;
  sink = value;
}

/// The contenders take turns, in another order in each run, so that other load on the machine affects all
/// alike.
std::vector<Measured> compared(const std::vector<Contender>& contenders, unsigned runs) {
  const std::size_t count = contenders.size();
  std::vector<std::vector<double>> times(count), ratios(count);
  for (unsigned run = 0; run <= runs; ++run) {
    std::vector<double> time(count);
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t who = (turn + run) % count;
      const double begin = thread_seconds();
      contenders[who].sum();
      time[who] = 1e9 * (thread_seconds() - begin) / static_cast<double>(contenders[who].elements);
    }
    if (run == 0) continue;  // the first run only fills the caches
    for (std::size_t who = 0; who < count; ++who) {
      times[who].push_back(time[who]);
      ratios[who].push_back(time[who] / time[0]);
    }
  }
  std::vector<Measured> all(count);
  for (std::size_t who = 0; who < count; ++who) {
    all[who].contender = contenders[who].name;
    all[who].elements = contenders[who].elements;
    all[who].nanoseconds = median(times[who]);
    all[who].baseline = median(times[0]);
    all[who].ratio = median(ratios[who]);
  }
  return all;
}

template <class T>
std::vector<T> made(const BenchData& data) {
  std::mt19937_64 random(1);
  std::vector<T> values(elements);
  const auto bytes = std::as_writable_bytes(std::span(values));
  for (std::size_t i = 0; i < elements; ++i)
    store(ElementOf<T>::value, bytes, i, data.code(ElementOf<T>::value, random));
  return values;
}

template <class T>
std::vector<Measured> measured(const BenchData& data, unsigned runs) {
  static const Widen<T> widen;
  const std::vector<T> values = made<T>(data);
  const std::span<const T> all(values), few = all.first(few_elements);
  std::vector<Contender> contenders{{"plain", elements, [&] { use(plain_sum(all, widen)); }},
                                    {"exact", elements, [&] { use(exact_sum(all)); }}};
  if constexpr (!std::is_integral_v<T>)
    contenders.push_back({"kahan", elements, [&] { use(kahan_sum(all, widen)); }});
  contenders.push_back({"cpp_bin_float_100", few_elements, [&] { use(bin_float_sum(few, widen)); }});
#if FOLDPROOF_HAS_MPFR
  MpfrSum mpfr(few, widen);
  contenders.push_back({"mpfr_sum", few_elements, [&] { use(mpfr.sum()); }});
#endif
  std::vector<Measured> rows = compared(contenders, runs);
  for (Measured& row : rows) {
    row.type = name(ElementOf<T>::value);
    row.data = data.name;
  }
  return rows;
}

using Measure = std::vector<Measured> (*)(const BenchData&, unsigned);
constexpr struct {
  Element element;
  Measure measure;
} types[] = {
    {Element::f64, measured<double>},
    {Element::f32, measured<float>},
    {Element::f16, measured<Coded<Element::f16>>},
    {Element::bf16, measured<Coded<Element::bf16>>},
    {Element::e4m3, measured<Coded<Element::e4m3>>},
    {Element::e5m2, measured<Coded<Element::e5m2>>},
    {Element::e2m1, measured<Coded<Element::e2m1>>},
    {Element::i8, measured<std::int8_t>},
    {Element::u8, measured<std::uint8_t>},
    {Element::i16, measured<std::int16_t>},
    {Element::u16, measured<std::uint16_t>},
    {Element::i32, measured<std::int32_t>},
    {Element::u32, measured<std::uint32_t>},
    {Element::i64, measured<std::int64_t>},
    {Element::u64, measured<std::uint64_t>},
};

std::vector<Measured> measure_all(unsigned runs) {
  ProgressLine line;
  std::vector<Measured> all;
  for (const auto& type : types)
    for (const BenchData& data : all_data) {
      if (!data.suits(type.element)) continue;
      line.show(fmt::format("measuring sums of {}, {}", name(type.element), data.name));
      std::ranges::move(type.measure(data, runs), std::back_inserter(all));
    }
  line.clear();
  return all;
}

Json to_json(const Measured& m, unsigned runs) {
  return {{"name", fmt::format("{}/{}/{}", m.type, m.data, m.contender)},
          {"unit", "ns/element"},
          {"value", m.nanoseconds},
          {"baseline", m.baseline},
          {"ratio", m.ratio},
          {"type", m.type},
          {"data", m.data},
          {"contender", m.contender},
          {"elements", m.elements},
          {"runs", runs},
          {"cores", 1}};
}

std::string text(const std::vector<Measured>& all, unsigned runs) {
  std::string lines = fmt::format(
      "sums of {} elements, processor time of one core, medians of {} interleaved runs\n"
      "cpp_bin_float_100 and mpfr_sum: {} elements; mpfr_sum: elements converted beforehand{}\n",
      elements, runs, few_elements, FOLDPROOF_HAS_MPFR ? "" : ", and absent: this build found no MPFR");
  for (const Measured& m : all)
    lines += fmt::format("{:<5} {:<11} {:<18} {:9.3f} ns/element  {:8.3f} x plain\n", m.type, m.data,
                         m.contender, m.nanoseconds, m.ratio);
  return lines;
}

}  // namespace

int bench_oracles(unsigned runs, const Console& console) {
  const std::vector<Measured> all = measure_all(runs);
  if (!console.json()) {
    console.print(text(all, runs));
    return exit_ok;
  }
  Json benchmarks = Json::array(), absent = Json::array();
  for (const Measured& m : all) benchmarks.push_back(to_json(m, runs));
  if (!FOLDPROOF_HAS_MPFR) absent.push_back("mpfr_sum");
  console.print(Json{{"benchmarks", benchmarks}, {"absent", absent}});
  return exit_ok;
}

}  // namespace foldproof
