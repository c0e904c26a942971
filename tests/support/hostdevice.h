// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A device beside the processor, for tests: its tensors lie in the host's memory but do not say so, and what is asked
// of it the processor does. Shows without a GPU what code does with tensors that are not the processor's.

#include <ATen/ATen.h>

namespace headscope::tests {

/// The first call registers it, as the library's "private use" device.
[[nodiscard]] at::Device hostDevice();

/// What the device was asked for since the last call that would make a GPU wait or read the host's memory: numbers read
/// back, copies from and to the host, and operations that mix its tensors with the host's (a single number is only an
/// argument).
[[nodiscard]] std::vector<std::string> takeHostTraffic();

} // namespace headscope::tests
