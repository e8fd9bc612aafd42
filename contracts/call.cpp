#include "contracts/call.h"

#include <fmt/format.h>

#include <algorithm>

#include "contracts/nvcc/unit.h"
#include "contracts/placeholders.h"

namespace foldproof {
namespace {

std::string kernel_name(std::size_t number) { return fmt::format("foldproof_call_{}", number); }

/// A C++ expression for the identity element.
std::string neutral_element(Operator op, Element element) {
  const std::string_view type = cuda_name(element);
  if (op == Operator::sum || op == Operator::prod)
    return fmt::format("static_cast<{}>({}{})", type, op == Operator::prod ? 1 : 0,
                       is_float(element) ? ".0f" : "");
  const bool upper = op == Operator::min;
  if (is_float(element))
    return fmt::format("static_cast<{}>({}__int_as_float(0x7f800000))", type, upper ? "" : "-");
  return fmt::format("static_cast<{}>({:#x}ull)", type,
                     identity(upper ? Operator::min : Operator::max, element));
}

bool calls_in_all_lanes(const DeviceCall& call) { return call.lanes == "all"; }

std::string call_kernel(const DeviceCall& call, const Instance& instance, std::size_t number) {
  const auto in_cpp = [&](const std::string& text) {
    return substitute(text, instance.bindings, Place::cpp, {});
  };
  const Reduction& reduction = *instance.reduction;
  const std::string temp =
      call.temp.empty() ? "" : fmt::format("  __attribute__((shared)) {} temp;\n", in_cpp(call.temp));
  const std::string slot = calls_in_all_lanes(call) ? "threadIdx.x" : "0";
  return fmt::format(
      "extern \"C\" __attribute__((global)) void {kernel}(const {in}* input, {out}* output, long long count) "
      "{{\n"
      "  const {in} x = threadIdx.x < count ? input[threadIdx.x] : {identity};\n"
      "{temp}"
      "  const {out} first = {call};\n"
      "  __syncthreads();\n"
      "  const {out} second = {call};\n"
      "  if ({holds}) {{\n"
      "    output[{slot}] = first;\n"
      "    output[{copies} + {slot}] = second;\n"
      "  }}\n"
      "}}\n",
      fmt::arg("kernel", kernel_name(number)), fmt::arg("in", cuda_name(reduction.input)),
      fmt::arg("out", cuda_name(reduction.output)),
      fmt::arg("identity", neutral_element(reduction.op, reduction.input)), fmt::arg("temp", temp),
      fmt::arg("call", in_cpp(call.expression)), fmt::arg("slot", slot),
      fmt::arg("holds", calls_in_all_lanes(call) ? "true" : "threadIdx.x == " + call.lanes),
      fmt::arg("copies", calls_in_all_lanes(call) ? "blockDim.x" : "1"));
}

ArgumentContract buffer_argument(const std::string& buffer) {
  ArgumentContract argument;
  argument.form = ArgumentContract::Form::pointer;
  argument.buffer = buffer;
  argument.value = Expression::constant(0);
  return argument;
}

}  // namespace

void imply_launch(Instance& instance, const DeviceCall& call, std::size_t number) {
  LaunchContract launch;
  launch.entry = kernel_name(number);
  launch.grid.fill(Expression::constant(1));
  launch.block = {Expression::parse("block", {}), Expression::constant(1), Expression::constant(1)};
  launch.cluster.fill(Expression::constant(1));
  launch.shared = Expression::constant(0);
  ArgumentContract count;
  count.value = Expression::parse("count", {});
  launch.arguments = {buffer_argument("input"), buffer_argument("output"), count};
  instance.launches.push_back(std::move(launch));
  instance.output_count = Expression::parse(calls_in_all_lanes(call) ? "2 * block" : "2", {});
}

std::string call_kernels(const Contract& contract) {
  std::string code = fmt::format("#line 1 \"{}call\"\n", generated);
  for (std::size_t i = 0; i < contract.instances.size(); ++i)
    code += call_kernel(*contract.call, contract.instances[i], i);
  return code;
}

}  // namespace foldproof
