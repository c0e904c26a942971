// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hub/hubsettings.h"

#include "core/io/modelfolder.h"
#include "core/io/textfiles/textfile.h"

#include <algorithm>
#include <cstdlib>

namespace headscope::hub {

namespace fs = std::filesystem;

namespace {

std::string environment(const char* name)
{
    const char* const value = std::getenv(name);
    return value ? value : "";
}

/// As huggingface_hub reads its switches.
bool isTrue(std::string value)
{
    std::transform(value.begin(), value.end(), value.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return value == "1" || value == "ON" || value == "YES" || value == "TRUE";
}

fs::path home()
{
    if (const auto home = environment("HF_HOME"); !home.empty())
        return home;
    if (const auto cache = environment("XDG_CACHE_HOME"); !cache.empty())
        return fs::path(cache) / "huggingface";
    const auto user = environment("HOME");
    return user.empty() ? fs::path() : fs::path(user) / ".cache" / "huggingface";
}

std::string readToken()
{
    constexpr std::uint64_t kLongest = 4096;
    std::string token = environment("HF_TOKEN");
    if (token.empty()) {
        const auto named = environment("HF_TOKEN_PATH");
        const fs::path file = !named.empty() ? fs::path(named) : home().empty() ? fs::path() : home() / "token";
        const auto text = io::readTextFile(file, kLongest);
        token = text.has_value() ? *text : std::string();
    }
    std::erase_if(token, [](unsigned char c) { return c <= 0x20 || c >= 0x7f; }); // it goes into a header
    return token;
}

} // namespace

HubSettings HubSettings::fromEnvironment()
{
    HubSettings settings;
    if (const auto endpoint = environment("HF_ENDPOINT"); !endpoint.empty())
        settings.endpoint = endpoint;
    while (settings.endpoint.ends_with('/'))
        settings.endpoint.pop_back();
    settings.cache = io::ModelPlaces::fromEnvironment({}).hubCache;
    settings.token = readToken();
    settings.certificates = environment("SSL_CERT_FILE");
    settings.offline = isTrue(environment("HF_HUB_OFFLINE"));
    return settings;
}

} // namespace headscope::hub
