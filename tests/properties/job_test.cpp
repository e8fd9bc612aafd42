// From a contract's expressions to the arguments and shape of a launch.
#include <cmath>
#include <cstring>

#include "catch.h"
#include "fake_kernel.h"
#include "oracles/number.h"
#include "properties/execution/job.h"
#include "properties/instance_job.h"

using foldproof::tests::contains_text;

namespace foldproof {
namespace {

const Position here{"fake.toml", 7, 1};

ArgumentContract integer(const std::string& text) {
  ArgumentContract argument;
  argument.value = Expression::parse(text, here);
  return argument;
}

ArgumentContract typed(Element type, const std::string& text) {
  ArgumentContract argument = integer(text);
  argument.type = type;
  argument.typed = true;
  return argument;
}

ArgumentContract number(Element type, double value) {
  ArgumentContract argument;
  argument.form = ArgumentContract::Form::number;
  argument.type = type;
  argument.number = value;
  return argument;
}

ArgumentContract pointer_to(const std::string& buffer, const std::string& offset = "0") {
  ArgumentContract argument = integer(offset);
  argument.form = ArgumentContract::Form::pointer;
  argument.buffer = buffer;
  return argument;
}

JobArgument laid(const ArgumentContract& argument, std::uint32_t bytes) {
  const auto find = [](const std::string& name) { return BufferPlace{name == "input" ? 0u : 1u, 4}; };
  return lay_out(argument, bytes, {{"count", 70000}, {"block", 32}}, find, here);
}

std::uint64_t value_of(const JobArgument& argument) {
  std::uint64_t value = 0;
  std::memcpy(&value, argument.bytes.data(), argument.bytes.size());
  return value;
}

std::string error_of_job(const ArgumentContract& argument, std::uint32_t bytes) {
  try {
    laid(argument, bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("an integer has the width of its parameter") {
  CHECK(laid(integer("count"), 4).bytes.size() == 4);
  CHECK(laid(integer("count"), 8).bytes.size() == 8);
  CHECK(value_of(laid(integer("0 - 1"), 4)) == 0xffffffff);
  CHECK(value_of(laid(integer("2^32 - 1"), 4)) == 0xffffffff);
  CHECK(error_of_job(integer("count"), 2) ==
        "fake.toml:7:1: \"count\" is 70000, which does not fit in the kernel's parameter of 16 bits");
  CHECK(error_of_job(integer("count"), 12) ==
        "fake.toml:7:1: the integer \"count\" is passed to a parameter of 12 bytes");
}

TEST_CASE("typed numbers keep their own width") {
  CHECK(value_of(laid(number(Element::f32, 1.5), 4)) == 0x3fc00000);
  CHECK(value_of(laid(number(Element::f16, 0.5), 2)) == 0x3800);
  CHECK(value_of(laid(typed(Element::i16, "block"), 2)) == 32);
  CHECK(error_of_job(number(Element::f64, 1), 4) ==
        "fake.toml:7:1: an argument of 8 bytes is passed to a parameter of 4 bytes");
}

TEST_CASE("a pointer is eight bytes to be patched, with an offset in elements") {
  const JobArgument argument = laid(pointer_to("output", "block"), 8);
  REQUIRE(argument.pointers.size() == 1);
  CHECK(argument.pointers[0].buffer == 1);
  CHECK(argument.pointers[0].offset == 32 * 4);
}

TEST_CASE("structures have the layout of C++") {
  // struct { char a; short b; struct { char c; float* d; } e; int f; }: offsets 0, 2, 8 (16), 24; size 32.
  ArgumentContract inner, outer;
  inner.form = outer.form = ArgumentContract::Form::structure;
  inner.members = {typed(Element::i8, "3"), pointer_to("input")};
  outer.members = {typed(Element::i8, "1"), typed(Element::i16, "2"), inner, typed(Element::i32, "4")};
  const JobArgument argument = laid(outer, 32);
  REQUIRE(argument.pointers.size() == 1);
  CHECK(argument.pointers[0].at == 16);
  CHECK(argument.bytes[0] == std::byte{1});
  CHECK(argument.bytes[2] == std::byte{2});
  CHECK(argument.bytes[8] == std::byte{3});
  CHECK(argument.bytes[24] == std::byte{4});
  CHECK(error_of_job(outer, 24) ==
        "fake.toml:7:1: an argument of 32 bytes is passed to a parameter of 24 bytes");
}

struct Built {
  Contract contract = fake::contract(Operator::max, Element::f32);
  Instance& instance = contract.instances.front();
  Case c;

  Built() {
    c.input.distribution = {"equal"};
    c.variables = {{"count", 3}, {"block", 64}};
  }
  PreparedJob job(std::size_t elements = 3) const {
    const JobBuilder builder(instance, std::make_shared<const Image>(Image{"fake.ptx", ""}),
                             {{"kernel", {8, 8, 4}}});
    return builder.build(c, std::vector<std::byte>(4 * elements));
  }
};

TEST_CASE("the input starts at the case's offset from an aligned address") {
  Built built;
  built.c.offset = 3;
  CHECK(built.job().job.buffers[0].offset == 12);
}

TEST_CASE("the identity in the buffer of an additional output is that of its operator") {
  Built built;
  const auto identities = [](const char* name) {
    return BufferContract{name, Element::i32, Expression::constant(1), BufferContract::Initial::identity,
                          BufferContract::Reset::each_call};
  };
  built.instance.buffers = {identities("smallest"), identities("scratch")};
  built.instance.additional_outputs = {{"smallest", *built.instance.reduction}};
  built.instance.additional_outputs[0].reduction.op = Operator::min;
  const Job job = built.job().job;
  CHECK(load(Element::i32, job.buffers[2].initial, 0) == 0x7fffffff);
  CHECK(load(Element::i32, job.buffers[3].initial, 0) == 0x80000000);  // of the reduction, a maximum
}

TEST_CASE("before each call, buffers get their initial contents again, except those with reset = \"once\"") {
  Built built;
  BufferContract scratch{"scratch", Element::f32, Expression::parse("block", here),
                         BufferContract::Initial::undefined, BufferContract::Reset::each_call};
  BufferContract ticket{"ticket", Element::u32, Expression::constant(1), BufferContract::Initial::zero,
                        BufferContract::Reset::once};
  built.instance.buffers = {scratch, ticket};
  built.instance.output_initial = BufferContract::Initial::identity;
  built.c.calls = 2;
  const Job job = built.job().job;
  REQUIRE(job.buffers.size() == 4);
  CHECK(load(Element::f32, job.buffers[1].initial, 0) == 0xff800000);  // -inf, the identity of max
  CHECK(job.buffers[2].bytes == 256);
  CHECK(job.buffers[2].initial.empty());
  CHECK(job.buffers[3].initial == std::vector<std::byte>(4));
  REQUIRE(job.steps.size() == 4);  // launch, resets of the output and of the undefined buffer, launch
  CHECK(std::get<JobReset>(job.steps[1]).buffer == 1);
  CHECK(std::get<JobReset>(job.steps[2]).buffer == 2);
}

TEST_CASE("an in-place kernel gets its input again before each call, and its output is read from it") {
  Built built;
  built.instance.in_place = true;
  built.instance.launches[0].arguments[1].buffer = "output";
  built.c.calls = 2;
  const PreparedJob prepared = built.job();
  CHECK(prepared.outputs.front().buffer == prepared.input);
  CHECK(prepared.job.buffers.size() == 1);
  CHECK(std::get<JobReset>(prepared.job.steps[1]).buffer == prepared.input);
}

TEST_CASE("the buffer of an output may hold more elements than the result, which comes first") {
  Built built;
  built.instance.output_capacity = Expression::parse("block", here);
  const PreparedJob prepared = built.job();
  CHECK(prepared.outputs.front().count == 1);
  CHECK(prepared.job.buffers[prepared.outputs.front().buffer].bytes == 256);
}

TEST_CASE("the budget suffices for every thread to read every element, even lane by lane") {
  // Eight instructions for each of 4096 elements by 1024 threads; 32 of them are one warp if they do not
  // diverge.
  Built built;
  built.c.variables = {{"count", 4096}, {"block", 1024}};
  const auto limit = [&] { return built.job(4096).job.limits.warp_instructions; };
  const std::uint64_t lane_by_lane = std::uint64_t{8} * 4096 * 1024;
  CHECK(limit() > lane_by_lane / 32);
  built.c.order = Schedule{Schedule::Order::lanes_forward};
  CHECK(limit() > lane_by_lane);

  // 260 blocks of 256 threads over 66,560 elements, one element per thread.
  built.c.variables = {{"count", 66560}, {"block", 256}};
  built.c.order = Schedule{};
  built.instance.launches[0].grid[0] = Expression::constant(260);
  CHECK(built.job(66560).job.limits.warp_instructions > std::uint64_t{7} * 66560 * 66560 / 32);
}

TEST_CASE("the budget suffices for a block that computes thousands of results one after the other") {
  // A tree over 256 threads has 8 steps of about 20 instructions, for each of 4096 segments, even empty ones.
  Built built;
  built.c.variables = {{"count", 0}, {"block", 256}};
  built.instance.output_count = Expression::constant(4096);
  const auto limit = [&] { return built.job(0).job.limits.warp_instructions; };
  const std::uint64_t lane_by_lane = std::uint64_t{4096} * 8 * 20 * 256;
  CHECK(limit() > lane_by_lane / 32);
  built.c.order = Schedule{Schedule::Order::lanes_forward};
  CHECK(limit() > lane_by_lane);
}

TEST_CASE("the budget is below a minute, and below a second for a small launch") {
  // The device executes some 20 million warp instructions per second.
  Built built;
  built.c.variables = {{"count", 66560}, {"block", 1024}};
  built.instance.launches[0].grid[0] = Expression::constant(4096);
  CHECK(built.job(66560).job.limits.warp_instructions < std::uint64_t{20'000'000} * 60);
  built.c.variables = {{"count", 3}, {"block", 64}};
  built.instance.launches[0].grid[0] = Expression::constant(1);
  CHECK(built.job().job.limits.warp_instructions < std::uint64_t{20'000'000} * 1);
}

TEST_CASE("an instance can be launched once at given variables") {
  const Contract contract = fake::contract(Operator::max, Element::f32);
  fake::FakeRunner runner([](const fake::Launch&) {});
  const Job job =
      instance_job(contract.instances.front(), std::make_shared<const Image>(Image{"fake.ptx", ""}), runner,
                   {{"count", 3}, {"block", 64}}, std::vector<std::byte>(12));
  REQUIRE(job.steps.size() == 1);
  CHECK(std::get<JobLaunch>(job.steps[0]).shape.block == Dim3{64, 1, 1});
  CHECK(job.buffers[0].initial.size() == 12);
}

TEST_CASE("an instance can be launched with the parameters of a case") {
  const Contract contract = fake::contract(Operator::max, Element::f32);
  fake::FakeRunner runner([](const fake::Launch&) {});
  Case c;
  c.input.distribution = {"equal"};
  c.variables = {{"count", 3}, {"block", 64}};
  c.order = Schedule{Schedule::Order::lanes_backward};
  c.offset = 1;
  c.calls = 2;
  const Job job = instance_job(contract.instances.front(),
                               std::make_shared<const Image>(Image{"fake.ptx", ""}), runner, c);
  CHECK(job.steps.size() == 3);  // launch, reset of the output, launch
  CHECK(job.order == c.order);
  CHECK(job.buffers[0].offset == 4);
  CHECK(job.buffers[0].initial.size() == 12);
}

TEST_CASE("the products of integers and a second factor have an exact sum in any order") {
  const Contract contract = fake::contract(Operator::dot, Element::f32);
  OperandContract second{"y", Role::second, Element::f32, Expression::parse("count", here)};
  Case c;
  c.input.distribution = {"integers"};
  for (const std::int64_t count : {1, 5000, 66560})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      c.variables = {{"count", count}, {"block", 64}};
      c.input.seed = seed;
      const Instance& instance = contract.instances.front();
      const std::vector<std::byte> x = input_of(instance, c), y = make_operand(second, instance, c, x);
      double magnitude = 0;
      bool are_integers = true;
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const double product = to_double(decode(Element::f32, load(Element::f32, x, i))) *
                               to_double(decode(Element::f32, load(Element::f32, y, i)));
        are_integers &= product == std::floor(product);
        magnitude += std::fabs(product);
      }
      INFO(count << " elements, seed " << seed);
      CHECK(are_integers);
      CHECK(magnitude <= 0x1p24);
    }
}

TEST_CASE("what elements are compared with is close to them in some cases") {
  const Contract contract = fake::contract(Operator::huber, Element::f32);
  const Instance& instance = contract.instances.front();
  const OperandContract second{"y", Role::second, Element::f32, Expression::parse("count", here)};
  Case c;
  c.input.distribution = {"uniform"};
  c.variables = {{"count", 100}, {"block", 64}};
  unsigned close = 0, at_delta = 0, far = 0;
  for (c.input.seed = 0; c.input.seed < 60; ++c.input.seed) {
    const std::vector<std::byte> x = input_of(instance, c), y = make_operand(second, instance, c, x);
    double largest = 0, off_delta = 0;
    for (std::size_t i = 0; i < 100; ++i) {
      const double difference = std::fabs(to_double(decode(Element::f32, load(Element::f32, x, i))) -
                                          to_double(decode(Element::f32, load(Element::f32, y, i))));
      largest = std::max(largest, difference);
      off_delta += std::fabs(difference - 1) < 1e-3 ? 1 : 0;
    }
    ++(largest < 0x1p-5 ? close : off_delta > 30 ? at_delta : far);
  }
  CHECK(close > 3);
  CHECK(at_delta > 3);
  CHECK(far > 20);
}

TEST_CASE("no element of a divergence is negative") {
  for (const Element element : {Element::f64, Element::f32, Element::f16, Element::bf16, Element::e4m3,
                                Element::e5m2, Element::e2m1}) {
    Contract contract = fake::contract(Operator::kl_divergence, element);
    const OperandContract second{"y", Role::second, element, Expression::parse("count", here)};
    Case c;
    c.input.distribution = {"codes"};
    c.variables = {{"count", 500}, {"block", 64}};
    for (c.input.seed = 0; c.input.seed < 10; ++c.input.seed) {
      const std::vector<std::byte> x = input_of(contract.instances.front(), c);
      for (const auto& values : {x, make_operand(second, contract.instances.front(), c, x)})
        for (std::size_t i = 0; i < 500; ++i)
          if (const Number number = decode(element, load(element, values, i)); !number.is_nan())
            CHECK_FALSE(number.negative);
    }
  }
}

TEST_CASE("a contract that cannot be launched is refused with position and reason") {
  Built built;
  built.instance.launches[0].grid[0] = Expression::parse("ceil_div(count - 3, block)", here);
  CHECK_THROWS_WITH(
      built.job(),
      contains_text("the grid \"ceil_div(count - 3, block)\" is 0; a launch requires at least 1"));
  Built missing;
  missing.instance.launches[0].lowered = "other";
  CHECK_THROWS_WITH(missing.job(), "fake.toml:1:1: fake.ptx contains no kernel \"kernel<float>\"");
  Built arguments;
  arguments.instance.launches[0].arguments.pop_back();
  CHECK_THROWS_WITH(
      arguments.job(),
      "fake.toml:1:1: the kernel \"kernel<float>\" takes 3 arguments, but the contract passes 2");
  Built few;
  few.instance.output_count = Expression::parse("1 - count", here);
  CHECK_THROWS_WITH(few.job(), contains_text("fake.toml:7:1: the number of elements of the buffer "
                                             "\"output\" may be -2, but must not be negative"));
  Built huge;
  huge.instance.output_count = Expression::parse("2^60", here);
  CHECK_THROWS_WITH(huge.job(), contains_text("the buffer \"output\" requires"));
}

}  // namespace
}  // namespace foldproof
