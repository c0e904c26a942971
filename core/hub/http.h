// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// GET over HTTP by libcurl, with a hub's needs: a token for one host, ranges, retries. The only code that accesses the
// network as a client. One thread at a time.

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/hub/hubsettings.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace headscope::hub {

/// Receives bytes as they arrive; returning false ends the transfer.
using Sink = std::function<bool(std::string_view bytes)>;

struct Request {
    std::string url;
    std::uint64_t from = 0; ///< bytes already present
    /// Called before the first byte; true if the response begins at `from`, false if it begins at the start.
    std::function<bool(bool resumed)> begin = {};
    Sink sink;
};

struct Answer {
    long status = 0;     ///< 0: no response
    std::string problem; ///< transfer error in libcurl's words; empty: complete
    bool refusedBySink = false;
    bool insecure = false; ///< the host's certificate was not accepted
    long retryAfter = 0;   ///< seconds, as requested by the host
    std::string host;      ///< final host, after redirections
};

/// Makes one attempt. The token is sent only to the endpoint's host and port, not to other redirection targets.
[[nodiscard]] Answer get(const Request& request, const HubSettings& settings, const Control& control);

/// Returns whether a retry may help: nothing arrived, it was interrupted, 408, 429 or a server error.
[[nodiscard]] bool isRetryable(const Answer& answer);
/// Waits before attempt number `next` (from 2); false if the user stopped.
[[nodiscard]] bool waitBefore(int next, const Answer& last, const HubSettings& settings, const Control& control);

/// Returns a text of at most `limit` bytes, with retries as in the settings. `what` names it in messages.
[[nodiscard]] Result<std::string> getText(const std::string& url, std::size_t limit, const std::string& what,
                                          const HubSettings& settings, const Control& control);

/// Returns why there is no file, in one sentence; `page` is where a user can look or request access.
[[nodiscard]] Error failure(const Answer& answer, const std::string& what, const std::string& page,
                            const HubSettings& settings);

} // namespace headscope::hub
