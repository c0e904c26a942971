// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Hub, cache and token, from the environment variables of huggingface_hub. Any thread.

#include <chrono>
#include <filesystem>
#include <string>

namespace headscope::hub {

struct HubSettings {
    std::string endpoint = "https://huggingface.co"; ///< without a trailing slash
    std::filesystem::path cache;                     ///< contains models--org--name folders; empty: nowhere to write
    std::string token;                               ///< a user's token; empty: none. Sent only to the endpoint's host
    std::filesystem::path certificates;              ///< PEM file of trusted authorities; empty: the system's
    bool offline = false;
    int tries = 5;                             ///< attempts per request, including the first
    std::chrono::milliseconds firstWait{1000}; ///< before the second attempt; doubled before each further one
    std::chrono::seconds stalled{60};          ///< an attempt fails after this long below one byte per second

    /// Reads HF_ENDPOINT, HF_HUB_CACHE, HF_HOME, HF_HUB_OFFLINE, SSL_CERT_FILE; HF_TOKEN, else the file named by
    /// HF_TOKEN_PATH, else `token` in HF_HOME. Proxies are libcurl's: https_proxy, all_proxy, no_proxy.
    [[nodiscard]] static HubSettings fromEnvironment();
};

} // namespace headscope::hub
