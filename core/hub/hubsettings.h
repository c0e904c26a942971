// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which hub, which cache and which token, by the environment variables that huggingface_hub knows. Any thread.

#include <chrono>
#include <filesystem>
#include <string>

namespace headscope::hub {

struct HubSettings {
    std::string endpoint = "https://huggingface.co"; ///< without a slash at its end
    std::filesystem::path cache;                     ///< holds models--org--name folders; empty: nowhere to write
    std::string token;                  ///< of a person; empty: none. Sent to the endpoint and no other host
    std::filesystem::path certificates; ///< PEM file of the authorities that are believed; empty: the system's
    bool offline = false;
    int tries = 5;                             ///< of one request, the first included
    std::chrono::milliseconds firstWait{1000}; ///< before the second try; doubled before each further one
    std::chrono::seconds stalled{60};          ///< without a byte a second for so long, a try has failed

    /// HF_ENDPOINT, HF_HUB_CACHE, HF_HOME, HF_HUB_OFFLINE, SSL_CERT_FILE; HF_TOKEN, else the file that HF_TOKEN_PATH
    /// names, else `token` in HF_HOME. Proxies are libcurl's: https_proxy, all_proxy, no_proxy.
    [[nodiscard]] static HubSettings fromEnvironment();
};

} // namespace headscope::hub
