// foldproof exact: the exact sum or dot product of a file of raw values, to check a number by hand.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/files.h"
#include "cli/verbs.h"
#include "oracles/bounds.h"
#include "oracles/tally.h"

namespace foldproof {

namespace {

constexpr Element rounded_to[] = {Element::f64, Element::f32, Element::f16, Element::bf16};

struct ExactCommandLine {
  std::string what, type, file, second;
};

std::vector<std::byte> read_values(const std::string& path, Element element) {
  RegularFile file(path);
  if (file.size() % size_of(element) != 0)
    throw InputError(
        fmt::format(
            "the file has {} bytes, which is not a whole number of {} values ({} bytes each); check --type",
            file.size(), name(element), size_of(element)),
        {path});
  std::vector<std::byte> bytes(file.size());
  if (!file.read(bytes.data(), bytes.size())) throw InputError("could not read the whole file", {path});
  return bytes;
}

// The result rounded once to a format, as a double.
double rounded_value(const Tally& t, Element format) {
  const bool only_negative_zeros = t.count != 0 && t.negative_zeros == t.count;
  return to_double(decode(format, rounded_sum(format, t.specials, t.sum(), only_negative_zeros)));
}

// The bound on rounding in the type's own format, in any order; integers do not round. None if some order may
// overflow.
std::optional<Dyadic> bound_any_order(const Tally& t, Element element, bool products) {
  if (!is_float(element)) return Dyadic{};
  const FloatFormat& format = float_format(element);
  if (whole(2) * t.magnitude() > largest_finite(format)) return std::nullopt;
  if (!products) return *sum_bound_any_order(t.nonzero, format.precision, t.magnitude());
  const std::uint64_t inexact = t.lowest_place < format.lowest_exponent ? t.nonzero : 0;
  return *dot_bound_any_order(t.nonzero, inexact, format, t.magnitude());
}

bool is_finite(const Tally& t) { return !t.specials.give_nan() && !t.specials.give_infinity(); }

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const Tally& t, Element element, bool products) {
  Json formats = Json::object();
  for (const Element format : rounded_to)
    formats[std::string(name(format))] = fmt::format("{:a}", rounded_value(t, format));
  Json json{{"count", t.count}, {"rounded", formats}};
  const bool finite = is_finite(t);
  const Dyadic sum = t.sum(), magnitude = t.magnitude();
  json["magnitude"] = finite ? number_or_null(nearest_double(magnitude)) : Json(nullptr);
  json["condition"] = finite && !sum.is_zero() ? number_or_null(ratio(magnitude, abs(sum))) : Json(nullptr);
  const auto bound = finite ? bound_any_order(t, element, products) : std::nullopt;
  json["bound_any_order"] = bound ? number_or_null(upper_double(*bound)) : Json(nullptr);
  return json;
}

std::string text(const Tally& t, Element element, bool products) {
  std::string lines = fmt::format("{:<16} {}\n", "count", t.count);
  for (const Element format : rounded_to) {
    const double value = rounded_value(t, format);
    lines += fmt::format("{:<16} {:a} ({:.17g})\n", fmt::format("rounded to {}", name(format)), value, value);
  }
  const Json json = to_json(t, element, products);
  const auto line = [&](const char* key, const std::string& label, const char* otherwise = "-") {
    lines += fmt::format("{:<16} {}\n", label,
                         json[key].is_null() ? otherwise : fmt::format("{:.9g}", json[key].get<double>()));
  };
  line("magnitude", "magnitude");
  line("condition", "condition");
  line("bound_any_order", fmt::format("bound in {}", name(element)),
       is_finite(t) ? "none: an intermediate sum may overflow" : "-");
  return lines;
}

int exact(const ExactCommandLine& a, const Console& console) {
  const auto element = element_named(a.type);
  if (!element)
    throw InputError(
        fmt::format("--type: unknown type {}; choose f64, f32, f16, bf16, e4m3, e5m2, e2m1, or i or u with "
                    "8, 16, 32 or 64",
                    a.type));
  const bool products = a.what == "dot";
  if (products == a.second.empty())
    throw InputError(products ? "dot requires a second vector; add --second FILE"
                              : "--second applies only to dot");
  const std::vector<std::byte> values = read_values(a.file, *element);
  Tally tallied;
  if (products) {
    const std::vector<std::byte> others = read_values(a.second, *element);
    if (others.size() != values.size())
      throw InputError(fmt::format("the vectors have {} and {} values; a dot product requires equal lengths",
                                   values.size() / size_of(*element), others.size() / size_of(*element)),
                       {a.second});
    tallied = tally_products(*element, values, others);
  } else {
    tallied = tally(*element, values);
  }
  console.print_as_asked([&] { return to_json(tallied, *element, products); },
                         [&] { return text(tallied, *element, products); });
  return exit_ok;
}

}  // namespace

Run attach_exact(CLI::App& app, Console& console) {
  auto a = std::make_shared<ExactCommandLine>();
  app.add_option("WHAT", a->what, "sum or dot")->required()->check(quietly(CLI::IsMember({"sum", "dot"})));
  app.add_option("FILE", a->file, "Raw values, little-endian")->required()->type_name("");
  app.add_option("--type", a->type, "Type of the values: f64 f32 f16 bf16 e4m3 e5m2 e2m1 i8 … u64")
      ->required()
      ->type_name("TYPE");
  app.add_option("--second", a->second, "Second vector, for dot")->type_name("FILE");
  return [a, &console] { return exact(*a, console); };
}

}  // namespace foldproof
