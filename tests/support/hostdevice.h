// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two devices beside the processor, for tests: their tensors lie in the host's memory but do not say so, and what is
// asked of them the processor does. Shows without a GPU what code does with tensors that are not the processor's, and
// with those of a model that lies on several.

#include <ATen/ATen.h>

namespace headscope::tests {

/// 0 or 1. The first call registers them, as the library's "private use" devices.
[[nodiscard]] at::Device hostDevice(int index = 0);

/// What the devices were asked for since the last call that would make a GPU wait or read the host's memory: numbers
/// read back, copies from and to the host, and operations that mix their tensors with the host's (a single number is
/// only an argument) or with each other's.
[[nodiscard]] std::vector<std::string> takeHostTraffic();

} // namespace headscope::tests
