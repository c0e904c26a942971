// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How fast the CPU multiplies numbers of a type. Any thread; uses some CPU time.

#include <string>

namespace headscope::lm {

/// Measures how many times as fast as fp32 a type is, by the fastest of some small products of each in CPU time, which
/// is reliable on a busy machine too; 1 for an unknown type.
[[nodiscard]] double speedupOverFp32(const std::string& dtype);

/// Returns the multiplications and additions per second of such a product on one thread; 0 for an unknown type.
[[nodiscard]] double productRate(const std::string& dtype);

/// Identifies what such a measurement is valid for: the processor, the method, the library.
[[nodiscard]] std::string measuredOn();

} // namespace headscope::lm
