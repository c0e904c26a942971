// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/expertchoices.h"

namespace headscope::analysis {

std::string expertName(int layer, int expert)
{
    return "L" + std::to_string(layer) + "X" + std::to_string(expert);
}

std::vector<int> tokensByExpert(const std::vector<int>& ids, int experts)
{
    std::vector<int> tokens(static_cast<std::size_t>(experts));
    for (const int expert : ids)
        ++tokens[static_cast<std::size_t>(expert)];
    return tokens;
}

std::vector<std::vector<std::string>> expertTable(const std::vector<ExpertChoices>& layers,
                                                  const std::vector<std::string>& tokens,
                                                  const std::function<std::string(double)>& number)
{
    std::vector<std::vector<std::string>> lines{{"layer", "position", "token", "expert", "weight"}};
    for (const ExpertChoices& layer : layers) {
        const auto add = [&](std::size_t position, const std::string& expert, float weight) {
            lines.push_back({std::to_string(layer.layer), std::to_string(position), tokens[position], expert,
                             number(static_cast<double>(weight))});
        };
        std::size_t at = 0;
        for (std::size_t position = 0; position < tokens.size(); ++position) {
            for (int i = 0; i < layer.chosen; ++i, ++at)
                add(position, expertName(layer.layer, layer.ids[at]), layer.weights[at]);
            if (!layer.shared.empty())
                add(position, "L" + std::to_string(layer.layer) + ".shared", layer.shared[position]);
        }
    }
    return lines;
}

} // namespace headscope::analysis
