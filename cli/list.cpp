// foldproof list: the kernels of a folder, one row per instance.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "cli/verbs.h"
#include "command/subjects.h"
#include "devices/emulated/runner.h"
#include "devices/gpus.h"
#include "reports/quote.h"

namespace foldproof {

namespace {

Json row(const Subject& subject, const Instance& instance) {
  const auto of = [&](auto member) {
    return instance.reduction ? Json(name((*instance.reduction).*member)) : Json(nullptr);
  };
  return {
      {"id", subject.contract.id},
      {"instance", instance.label},
      {"summary", subject.contract.summary},
      {"entry", instance.launches.empty() ? "" : instance.launches.front().entry},
      {"operator", of(&Reduction::op)},
      {"input", of(&Reduction::input)},
      {"accumulator", of(&Reduction::accumulator)},
      {"output", of(&Reduction::output)},
      {"file", subject.contract.source.string()},
      {"devices", is_host_function(instance) ? Json::array({"host"}) : Json::array({"emulated", "cuda"})}};
}

std::string text(const Json& kernels) {
  const auto cell = [](const Json& kernel, const char* key) {
    return kernel[key].is_string() ? printable(kernel[key].get<std::string>()) : std::string("-");
  };
  std::size_t entries = 0;
  for (const Json& kernel : kernels)
    entries = std::max(entries, std::min<std::size_t>(columns_of(cell(kernel, "entry")), 48));
  std::string lines;
  for (const Json& kernel : kernels)
    lines += fmt::format("{:<5} {:<{}}  {:<4}  {:<4}  {}\n", cell(kernel, "id"), cell(kernel, "entry"),
                         entries, cell(kernel, "operator"), cell(kernel, "input"),
                         printable(display_path(kernel["file"].get<std::string>())));
  return lines;
}

int list(const std::string& path, const Console& console) {
  const LoadedSubjects loaded = load_readable_subjects({path, {}, {}, Trust::full}, {});
  Json kernels = Json::array(), errors = Json::array();
  for (const Subject& subject : loaded.subjects)
    for (const Instance& instance : subject.contract.instances) kernels.push_back(row(subject, instance));
  for (const InputError& error : loaded.errors) {
    console.complain(error.sentence(), error.position());
    errors.push_back(error_json(error.sentence(), error.position()).at("error"));
  }
  console.print_as_asked(
      [&] {
        return Json{{"kernels", kernels}, {"errors", errors}};
      },
      [&] { return text(kernels); });
  return errors.empty() ? exit_ok : exit_usage;
}

/// Each device that `--device` accepts, with its name, or why it is not available.
int list_devices(const Console& console) {
  Json devices = Json::array();
  devices.push_back(
      {{"device", "emulated"}, {"name", emulated::device_name}, {"count", 1}, {"lack", nullptr}});
  Json cuda{{"device", "cuda"}, {"name", nullptr}, {"count", gpus().count}, {"lack", nullptr}};
  if (gpus().lack.empty())
    cuda["name"] = gpus().name;
  else
    cuda["lack"] = gpus().lack;
  devices.push_back(cuda);
  if (console.json()) {
    console.print(Json{{"devices", devices}});
    return exit_ok;
  }
  std::string lines;
  for (const Json& device : devices) {
    const auto count = device["count"].get<unsigned>();
    lines += fmt::format("{:<9} {}{}\n", device["device"].get<std::string>(),
                         printable(device[device["name"].is_null() ? "lack" : "name"].get<std::string>()),
                         count > 1 ? fmt::format(" ({} GPUs)", count) : "");
  }
  console.print(lines);
  return exit_ok;
}

}  // namespace

Run attach_list(CLI::App& app, Console& console) {
  auto path = std::make_shared<std::string>();
  app.add_option("PATH", *path, "Folder, source file or contract (default: the bundled catalogue)");
  auto devices = std::make_shared<bool>(false);
  app.add_flag("--devices", *devices, "List the available devices, and why others are not available");
  return [path, devices, &console] { return *devices ? list_devices(console) : list(*path, console); };
}

}  // namespace foldproof
