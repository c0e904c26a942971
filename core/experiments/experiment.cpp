// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/experiment.h"

#include "core/base/words/suggestion.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/words/language.h"

namespace headscope::experiments {

const std::vector<Experiment>& allExperiments()
{
    static const std::vector<Experiment> all = [] {
        const Speaking english("en"); // whoever shows them translates them
        return std::vector<Experiment>{
            gradualPruning(),
            individualPruning(),
            headsKept(),
            kvCurve(),
            heatmaps(),
            ranking(),
            format(),
            masks(),
            redundancy(),
            layerReplacement(),
            hybridMasking(),
            hybrids(),
            perplexity(),
            stateSize(),
            cacheMemory(),
            quantify(),
            complementary(),
            promote(),
            circuit(),
            lensRetrieval(),
            jlensRetrieval(),
            emergence(),
            surveyGatherAggregate(),
        };
    }();
    return all;
}

Result<const Experiment*> findExperiment(std::string_view name)
{
    std::string ids;
    std::vector<std::string> known;
    for (const Experiment& experiment : allExperiments()) {
        if (experiment.id == name || (!experiment.number.empty() && experiment.number == name))
            return &experiment;
        ids += (ids.empty() ? "" : ", ") + experiment.id;
        known.push_back(experiment.id);
    }
    return inputError("There is no experiment '" + std::string(name.substr(0, 60)) + "'" + didYouMean(name, known)
                      + "; expected one of " + ids + ", or its number (E1 to E15).");
}

} // namespace headscope::experiments
