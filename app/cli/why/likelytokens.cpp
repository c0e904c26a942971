// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/why/likelytokens.h"

#include "app/cli/files/texttable.h"

#include <nlohmann/json.hpp>

namespace headscope::cli {

using nlohmann::json;

json likelyTokens(const std::vector<why::LensCell::Token>& likely, const Analysed& analysed)
{
    json reply = json::array();
    for (const why::LensCell::Token& token : likely)
        reply.push_back({{"token", analysed.token(token.id)}, {"id", token.id}, {"p", token.probability}});
    return reply;
}

std::string likelyText(const json& reply)
{
    std::string text;
    for (const json& token : reply)
        text += (text.empty() ? "" : "  ") + token["token"].get<std::string>() + " " + number(token["p"]);
    return text;
}

} // namespace headscope::cli
