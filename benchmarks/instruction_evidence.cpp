#include "benchmarks/instruction_evidence.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"

namespace foldproof {
namespace {

constexpr std::size_t largest_record = std::size_t{1} << 24;

TypedRowName typed_row_from(const Json& json) {
  return {json.at("row").get<std::string>(), json.at("type").get<std::string>(),
          json.at("type2").get<std::string>()};
}

Json parsed(const std::filesystem::path& file) { return Json::parse(read_text_file(file, largest_record)); }

}  // namespace

TypedRowName named_row(const isa::Row& row, isa::Type type, isa::Type type2) {
  const auto name_of = [](isa::Type of) {
    return std::string(of == isa::Type::none ? std::string_view() : isa::name(of));
  };
  return {std::string(row.id), name_of(type), name_of(type2)};
}

void GpuEvidence::add(const GpuEvidence& more) {
  forms += more.forms, operand_sets += more.operand_sets;
  equal += more.equal, other_nan += more.other_nan;
  if (why_open.empty()) why_open = more.why_open;
  if (difference.empty()) difference = more.difference;
  for (const auto& [reason, count] : more.refused) refused[reason] += count;
  for (const auto& [reason, count] : more.failed) failed[reason] += count;
}

Json to_json(const GpuEvidence& evidence) {
  return {{"row", evidence.row.row},
          {"type", evidence.row.type},
          {"type2", evidence.row.type2},
          {"forms", evidence.forms},
          {"operand_sets", evidence.operand_sets},
          {"equal", evidence.equal},
          {"other_nan", evidence.other_nan},
          {"open", evidence.why_open},
          {"difference", evidence.difference},
          {"refused", evidence.refused},
          {"failed", evidence.failed}};
}

GpuEvidence gpu_evidence_from(const Json& json) {
  GpuEvidence evidence{
      .row = typed_row_from(json),
      .forms = json.at("forms").get<std::uint64_t>(),
      .operand_sets = json.at("operand_sets").get<std::uint64_t>(),
      .equal = json.at("equal").get<std::uint64_t>(),
      .other_nan = json.at("other_nan").get<std::uint64_t>(),
      .why_open = json.at("open").get<std::string>(),
      .difference = json.at("difference").get<std::string>(),
      .refused = json.at("refused").get<std::map<std::string, std::uint64_t>>(),
      .failed = json.at("failed").get<std::map<std::string, std::uint64_t>>(),
  };
  const bool fits =
      evidence.equal <= evidence.operand_sets && evidence.other_nan <= evidence.operand_sets - evidence.equal;
  if (!fits) throw InputError(fmt::format("the row {} has more results than operand sets", evidence.row.row));
  return evidence;
}

GpuRecord GpuRecord::load(const std::filesystem::path& file) try {
  const Json json = parsed(file);
  GpuRecord record{json.at("device").get<std::string>(), {}};
  for (const Json& row : json.at("rows")) record.rows.push_back(gpu_evidence_from(row));
  return record;
} catch (const nlohmann::json::exception& error) {
  throw InputError(fmt::format("not the record of `foldproof-lab instructions`: {}", error.what()),
                   {file.string()});
}

Json to_json(const GpuRecord& record) {
  Json rows = Json::array();
  for (const GpuEvidence& evidence : record.rows) rows.push_back(to_json(evidence));
  return {{"device", record.device}, {"rows", rows}};
}

std::string GpuRecord::text() const {
  std::string text = "{\"device\": " + dump(Json(device)) + ", \"rows\": [";
  for (std::size_t k = 0; k < rows.size(); ++k) text += (k == 0 ? "\n" : ",\n") + dump(to_json(rows[k]));
  return text + "\n]}\n";
}

void add_test_record(TestEvidence& evidence, const std::filesystem::path& file) try {
  const Json json = parsed(file);
  for (const Json& row : json.at("rows"))
    evidence[typed_row_from(row)] += row.at("operand_sets").get<std::uint64_t>();
} catch (const nlohmann::json::exception& error) {
  throw InputError(fmt::format("not the record of a test program: {}", error.what()), {file.string()});
}

}  // namespace foldproof
