#include "properties/instance_job.h"

#include "properties/execution/job.h"
#include "properties/execution/uses.h"

namespace foldproof {

Job instance_job(const Instance& instance, const std::shared_ptr<const Image>& image, Runner& runner,
                 const Variables& variables, const std::vector<std::byte>& input) {
  Case c;
  c.variables = variables;
  return JobBuilder(instance, image, runner.entries(image)).build(c, input).job;
}

Job instance_job(const Instance& instance, const std::shared_ptr<const Image>& image, Runner& runner,
                 const Case& c) {
  return JobBuilder(instance, image, runner.entries(image)).build(c, input_of(instance, c)).job;
}

Job traced_job(const Instance& instance, const std::shared_ptr<const Image>& image, Runner& runner,
               const Case& c) {
  PreparedJob prepared = JobBuilder(instance, image, runner.entries(image)).build(c, input_of(instance, c));
  request_trace(instance, prepared);
  return std::move(prepared.job);
}

}  // namespace foldproof
