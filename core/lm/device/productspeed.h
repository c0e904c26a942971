// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How fast the processor multiplies numbers of a type. Any thread; takes some of its time.

#include <string>

namespace headscope::lm {

/// How many times as fast as fp32, by the fastest of some small products of each in processor time, which holds on a
/// busy machine too; 1 for a type that is not known.
[[nodiscard]] double timesAsFastAsFp32(const std::string& dtype);

/// Multiplications and additions a second of such a product, of one thread; 0 for a type that is not known.
[[nodiscard]] double productRate(const std::string& dtype);

/// What such a measurement holds for: the processor, the way, the library.
[[nodiscard]] std::string measuredOn();

} // namespace headscope::lm
