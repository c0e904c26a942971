// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace headscope::testing {

/// Under a sanitizer everything takes many times as long: what tests repeat over families, models or random changes is
/// repeated less often there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

} // namespace headscope::testing
