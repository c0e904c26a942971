// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The card on which the first of several processes writes where it is met and the secret of this run; a file that only
// its owner can read. Any thread.

#include "core/base/hmac.h"
#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>

namespace headscope::engine {

struct MeetingCard {
    int port = 0;
    std::optional<Digest> secret; ///< none where the processes have it from elsewhere
};

/// In the cache folder of this person, named for the run.
[[nodiscard]] std::filesystem::path cardPath(const std::string& host, int port, const std::string& run);
/// Puts the card there whole or not at all, with mode 0600; one of an earlier run is replaced.
[[nodiscard]] Result<void> writeCard(const std::filesystem::path& path, const MeetingCard& card);
/// Fails for a card that others could have written or read.
[[nodiscard]] Result<MeetingCard> readCard(const std::filesystem::path& path);

/// The bytes of a small regular file of this person's that nobody else may read or write (mode 0600). Neither a link
/// nor a pipe.
[[nodiscard]] Result<std::string> readPrivateFile(const std::filesystem::path& path);

} // namespace headscope::engine
