// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs recipes on models opened here, with the session between: what it knows is not run again, what comes is kept.
// Main thread.

#include "app/cli/runs/scoringmodel.h"
#include "app/cli/runs/sharedrun.h"
#include "app/figures/patternfigure.h"
#include "core/experiments/experimentreport.h"
#include "core/experiments/lab.h"
#include "core/train/models/hybridstudent.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::cli {

struct ExperimentArguments {
    std::vector<std::string> models; ///< empty: the recipe's own
    std::string tokenizer;
    TaskArguments task;
    std::string folder;    ///< below it models that an experiment makes are kept; empty: the program's cache
    int distillSteps = 80; ///< of each stage, where an experiment distils
    double minutes = 0;    ///< that each experiment may take by its forecast; 0: as long as it does
};

/// Which heads of a Transformer stay. Fails for a head that it does not have, and for one that is not attention.
[[nodiscard]] Result<train::StudentShape>
studentShape(const lm::ModelSpec& spec, const std::vector<interventions::HeadRef>& kept, int state, int taps);

struct Forecast {
    experiments::Plan plan;
    double seconds = 0;            ///< if nothing is known yet; 0: unknown
    std::optional<double> limit{}; ///< examples of each benchmark that it is of; empty: the usual number
};

/// Counting each time one was.
struct ExamplesScored {
    std::int64_t all = 0;
    std::int64_t known = 0; ///< to the session
};

/// Opens each model once for all experiments that it runs.
class Laboratory
{
public:
    Laboratory(const Context& context, ExperimentArguments arguments, Control control);

    /// What a run will take here. Opens the models and makes the benchmarks; scores nothing but a few rows, for the
    /// speed. With `minutes` it is of the most examples that fit, and the run after it takes as many; of the fewest
    /// that carry a verdict where none fit.
    [[nodiscard]] Result<Forecast> forecast(const experiments::Experiment& experiment);

    /// What a part of a run measures: the states that no result decides. What follows from them is left to the run on
    /// the merged session. Fails where there are none.
    [[nodiscard]] Result<std::vector<DividedWork>> divided(const experiments::Experiment& experiment,
                                                           const app::WorkPart& part);

    /// Processes with the same session share each ranking and each score. `sink` hears of the table each time it has
    /// grown by a row. A run that is stopped fails with Cancelled; what it finished is in the session.
    [[nodiscard]] Result<experiments::Report> run(const experiments::Experiment& experiment,
                                                  const std::function<void(const experiments::Table&)>& sink);

    /// Of the last run: the matrices that it looked at, without paths.
    [[nodiscard]] const std::vector<figures::PatternPicture>& pictures() const { return m_pictures; }

private:
    [[nodiscard]] Result<std::shared_ptr<experiments::Bench>> open(const std::string& model);
    [[nodiscard]] Result<void> keepPictures(const std::vector<experiments::Picture>& pictures);
    [[nodiscard]] experiments::LabSettings settings(const experiments::Experiment& experiment) const;
    void setLimit(std::optional<double> limit);
    [[nodiscard]] Result<Forecast> planned(const experiments::Experiment& experiment, std::optional<double> limit);
    [[nodiscard]] experiments::Report reportOf(const experiments::Experiment& experiment,
                                               const experiments::Lab& lab) const;
    [[nodiscard]] Result<std::string> distil(const experiments::DistillRequest& request, const Control& control) const;
    const Context& m_context;
    ExperimentArguments m_arguments;
    Control m_control;
    std::map<std::string, std::shared_ptr<OpenModel>> m_open;             ///< by name
    std::map<std::string, std::shared_ptr<experiments::Bench>> m_benches; ///< as asked for
    std::vector<figures::PatternPicture> m_pictures;
    ExamplesScored m_scored;       ///< in the run
    std::optional<double> m_limit; ///< that fits into the minutes of the experiment forecast last
};

} // namespace headscope::cli
