// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/survey/lossfiles.h"

#include "app/cli/files/texttable.h"
#include "core/base/printable.h"
#include "core/engine/questions/question.h"
#include "core/text/tokenwords.h"
#include "core/why/names.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace headscope::cli {

using nlohmann::json;

namespace {

constexpr std::size_t kBefore = 24; // tokens told in front of one whose loss rises

json groupOf(const survey::LossChange& change)
{
    const auto interval = change.change.interval();
    return {{"n", change.before.count()},
            {"loss", change.before.mean()},
            {"change", change.change.mean()},
            {"low", interval ? json(interval->low) : json()},
            {"high", interval ? json(interval->high) : json()}};
}

Result<json> riseOf(const survey::LossSurvey& survey, const survey::Place& place, const text::Tokenizer& tokenizer)
{
    const auto window = survey.windows().again(place.piece, place.window);
    if (!window.has_value())
        return window.error();
    const auto source = survey.windows().nameOf(place.piece);
    if (!source.has_value())
        return source.error();
    const std::vector<int>& ids = window->facts.ids;
    json before = json::array();
    for (std::size_t t = place.position - std::min<std::size_t>(place.position, kBefore); t < place.position; ++t)
        before.push_back(engine::tokenText(tokenizer, ids[t]));
    return json{{"change", place.value},
                {"source", *source},
                {"position", place.position},
                {"token", engine::tokenText(tokenizer, ids[place.position])},
                {"before", before}};
}

// The tokens whose loss rises most, each behind the last of those before it; empty where no loss rises.
std::string riseTable(const json& heads)
{
    constexpr std::size_t kShown = 10; // tokens before one
    std::vector<std::vector<std::string>> rows = {{"head", "rise", "token", "behind", "source"}};
    for (const json& head : heads)
        for (const json& rise : head["rises"]) {
            auto before = rise["before"].get<std::vector<std::string>>();
            before.erase(before.begin(), before.end() - static_cast<std::ptrdiff_t>(std::min(before.size(), kShown)));
            const auto cell = [](const std::string& text) { return printable(text, Newlines::Escape); };
            rows.push_back({head["head"].get<std::string>(), signedNumber(rise["change"]),
                            cell(rise["token"].get<std::string>()), cell(text::asText(before)),
                            cell(rise["source"].get<std::string>())});
        }
    return rows.size() > 1 ? "\nTokens whose loss rises most:\n" + textTable(rows) : std::string();
}

} // namespace

Result<json> lossJson(const survey::LossSurvey& survey, const lm::ModelSpec& spec, const text::Tokenizer& tokenizer)
{
    json heads = json::array();
    for (const survey::HeadLoss& loss : survey.results()) {
        json groups = json::object(), rises = json::array();
        for (int g = 0; g < survey::kTokenGroups; ++g) {
            const auto group = static_cast<survey::TokenGroup>(g);
            if (loss.of(group).before.count() > 0)
                groups[survey::name(group)] = groupOf(loss.of(group));
        }
        for (const survey::Place& place : loss.rises.places()) {
            auto rise = riseOf(survey, place, tokenizer);
            if (!rise.has_value())
                return rise.error();
            rises.push_back(std::move(*rise));
        }
        heads.push_back({{"head", why::headName(spec, loss.head.layer, loss.head.site, loss.head.head)},
                         {"groups", groups},
                         {"rises", rises}});
    }
    return heads;
}

std::string lossTable(const json& heads)
{
    std::vector<std::vector<std::string>> rows = {{"head", "tokens", "n", "loss", "without", "change", "95 %"}};
    for (const json& head : heads)
        for (int g = 0; g < survey::kTokenGroups; ++g) {
            const char* name = survey::name(static_cast<survey::TokenGroup>(g));
            if (!head["groups"].contains(name))
                continue;
            const json& group = head["groups"][name];
            const double loss = group["loss"], change = group["change"];
            rows.push_back({head["head"].get<std::string>(), name, group["n"].dump(), number(loss),
                            number(loss + change), signedNumber(change),
                            group["low"].is_null() ? "-" : intervalText({group["low"], group["high"]})});
        }
    return textTable(rows) + riseTable(heads);
}

AnalysisResult lossFiles(const json& heads, const std::string& provenance)
{
    AnalysisResult result{
        .table = {{"head", "tokens", "n", "loss", "change", "low", "high"}}, .tensors = {}, .provenance = provenance};
    NamedTensor changes{"loss.change", {static_cast<std::int64_t>(heads.size())}, {}};
    for (const json& head : heads) {
        for (const auto& [name, group] : head["groups"].items())
            result.table.push_back({head["head"].get<std::string>(), name, group["n"].dump(), group["loss"].dump(),
                                    group["change"].dump(), group["low"].is_null() ? "" : group["low"].dump(),
                                    group["high"].is_null() ? "" : group["high"].dump()});
        changes.values.push_back(head["groups"].contains("all") ? head["groups"]["all"]["change"].get<float>() : 0.0F);
    }
    result.tensors.push_back(std::move(changes));
    return result;
}

} // namespace headscope::cli
