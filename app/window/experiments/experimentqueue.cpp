// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiments/experimentqueue.h"

#include <nlohmann/json.hpp>

namespace headscope::gui {

using nlohmann::json;

std::string toJson(const ExperimentQueue& queue)
{
    json all = json::array();
    for (const ExperimentRequest& request : queue) {
        json models = json::array();
        for (const QString& model : request.models)
            models.push_back(model.toStdString());
        all.push_back({{"id", request.id.toStdString()},
                       {"study", request.study},
                       {"models", models},
                       {"limit", request.limit},
                       {"minutes", request.minutes}});
    }
    return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

ExperimentQueue parseQueue(const std::string& text)
{
    ExperimentQueue queue;
    const json all = json::parse(text, nullptr, false);
    for (const json& one : all.is_array() ? all : json::array())
        try {
            ExperimentRequest request{.id = QString::fromStdString(one.at("id").get<std::string>()),
                                      .study = one.at("study").get<std::string>(),
                                      .limit = one.at("limit").get<int>(),
                                      .minutes = one.at("minutes").get<int>()};
            for (const json& model : one.at("models"))
                request.models.append(QString::fromStdString(model.get<std::string>()));
            queue.push_back(std::move(request));
        } catch (const json::exception&) {
            continue;
        }
    return queue;
}

} // namespace headscope::gui
