// A single launch sequence of an instance, without generating or checking anything.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "contracts/contract.h"
#include "devices/runner.h"
#include "properties/case.h"

namespace foldproof {

/// The job that calls `instance` once on `input` with these variables, as an audit calls it. `runner`
/// provides the sizes of the kernels' parameters. Throws InputError like audit_instance, and Unsupported for
/// an image that cannot be loaded.
Job instance_job(const Instance& instance, const std::shared_ptr<const Image>& image, Runner& runner,
                 const Variables& variables, const std::vector<std::byte>& input);

/// What a suppression that still holds names: for Job::accepts. The contract must outlive it.
AcceptsFinding allowed_by(const Contract& contract);

/// The job that runs the case on the input that the case generates.
Job instance_job(const Instance& instance, const std::shared_ptr<const Image>& image, Runner& runner,
                 const Case& c);

/// The same, with the input traced to the output. The instance must have a reduction. Throws InputError for a
/// case outside the domain.
Job traced_job(const Instance& instance, const std::shared_ptr<const Image>& image, Runner& runner,
               const Case& c);

}  // namespace foldproof
