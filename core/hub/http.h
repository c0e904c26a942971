// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// GET over HTTP by libcurl, with what a hub needs: a token for one host, ranges, tries again. The one place that
// touches the network as a client. One thread at a time.

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/hub/hubsettings.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace headscope::hub {

/// Takes bytes as they arrive; false ends the transfer.
using Sink = std::function<bool(std::string_view bytes)>;

struct Request {
    std::string url;
    std::uint64_t from = 0; ///< bytes that are there already
    /// Called before the first byte; true where the answer begins at `from`, false where it begins at the start.
    std::function<bool(bool resumed)> begin = {};
    Sink sink;
};

struct Answer {
    long status = 0;     ///< 0: none came
    std::string problem; ///< of the transfer, as libcurl words it; empty: all bytes came
    bool refusedBySink = false;
    bool insecure = false; ///< the certificate of the host was not believed
    long retryAfter = 0;   ///< seconds, as the host asks
    std::string host;      ///< that answered at last, after redirections
};

/// One try. The token goes to the endpoint's host and port only, redirections to elsewhere get none.
[[nodiscard]] Answer get(const Request& request, const HubSettings& settings, const Control& control);

/// Whether another try can help: nothing arrived, it stopped half-way, 408, 429 or a fault of the host.
[[nodiscard]] bool mayPass(const Answer& answer);
/// Waits before try number `next` (from 2); false where the person stopped.
[[nodiscard]] bool waitBefore(int next, const Answer& last, const HubSettings& settings, const Control& control);

/// A text of at most `limit` bytes, tried as often as the settings say. `what` names it in messages.
[[nodiscard]] Result<std::string> getText(const std::string& url, std::size_t limit, const std::string& what,
                                          const HubSettings& settings, const Control& control);

/// Why there is no file, in one sentence; `page` is where a person may look or ask for access.
[[nodiscard]] Error failure(const Answer& answer, const std::string& what, const std::string& page,
                            const HubSettings& settings);

} // namespace headscope::hub
