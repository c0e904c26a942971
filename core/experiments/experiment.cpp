// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/experiment.h"

#include "core/experiments/cachememory.h"
#include "core/experiments/complementary.h"
#include "core/experiments/format.h"
#include "core/experiments/gradualpruning.h"
#include "core/experiments/headskept.h"
#include "core/experiments/heatmaps.h"
#include "core/experiments/hybridmasking.h"
#include "core/experiments/hybrids.h"
#include "core/experiments/individualpruning.h"
#include "core/experiments/kvcurve.h"
#include "core/experiments/layerreplacement.h"
#include "core/experiments/masks.h"
#include "core/experiments/perplexity.h"
#include "core/experiments/promote.h"
#include "core/experiments/quantify.h"
#include "core/experiments/ranking.h"
#include "core/experiments/redundancy.h"
#include "core/experiments/statesize.h"

#include <algorithm>

namespace headscope::experiments {

const std::vector<Experiment>& allExperiments()
{
    static const std::vector<Experiment> all = {
        gradualPruning(), individualPruning(), headsKept(),     kvCurve(),
        heatmaps(),       ranking(),           format(),        masks(),
        redundancy(),     layerReplacement(),  hybridMasking(), hybrids(),
        perplexity(),     stateSize(),         cacheMemory(),   quantify(),
        complementary(),  promote(),
    };
    return all;
}

Result<const Experiment*> findExperiment(std::string_view name)
{
    std::string ids;
    for (const Experiment& experiment : allExperiments()) {
        if (experiment.id == name || (!experiment.number.empty() && experiment.number == name))
            return &experiment;
        ids += (ids.empty() ? "" : ", ") + experiment.id;
    }
    return inputError("There is no experiment '" + std::string(name.substr(0, 60)) + "'; expected one of " + ids
                      + ", or its number (E1 to E15).");
}

} // namespace headscope::experiments
