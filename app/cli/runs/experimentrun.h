// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs experiments on models opened here, with the session: stored results are reused, new ones are stored. Main
// thread.

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
    std::vector<std::string> models; ///< empty: the experiment's own
    std::string tokenizer;
    TaskArguments task;
    std::string folder;    ///< folder for models created by experiments; empty: the program's cache
    int distillSteps = 80; ///< of each stage, for experiments that distil
    double minutes = 0;    ///< upper limit for each experiment by its forecast; 0: none
};

/// Returns the shape with these heads of a Transformer. Fails for missing ones, and for others than attention.
[[nodiscard]] Result<train::StudentShape>
studentShape(const lm::ModelSpec& spec, const std::vector<interventions::HeadRef>& kept, int state, int taps);

struct Forecast {
    experiments::Plan plan;
    double seconds = 0;            ///< if no result is known; 0: unknown
    std::optional<double> limit{}; ///< examples per benchmark on which it is based; empty: the usual number
};

/// Numbers of scored examples, with repetitions.
struct ExamplesScored {
    std::int64_t all = 0;
    std::int64_t known = 0; ///< in the session
};

/// Opens each model once for all experiments that it runs.
class Laboratory
{
public:
    Laboratory(const Context& context, ExperimentArguments arguments, Control control);

    /// Returns the cost of a run on this machine. Opens the models and makes the benchmarks; scores only a few rows,
    /// for the speed. With `minutes` it is based on the most examples that fit, which the next run then uses; on the
    /// fewest that allow a verdict if none fit.
    [[nodiscard]] Result<Forecast> forecast(const experiments::Experiment& experiment);

    /// Returns the measurements that can be divided into parts: states that depend on no result. The rest is left to
    /// the run on the merged session. Fails if there are none.
    [[nodiscard]] Result<std::vector<DividedWork>> divided(const experiments::Experiment& experiment,
                                                           const app::WorkPart& part);

    /// Runs an experiment. Processes with the same session share each ranking and each score. Calls `sink` with the
    /// table after each new row. A stopped run fails with Cancelled; its finished results are in the session.
    [[nodiscard]] Result<experiments::Report> run(const experiments::Experiment& experiment,
                                                  const std::function<void(const experiments::Table&)>& sink);

    /// Returns the matrices used by the last run, without paths.
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
    std::map<std::string, std::shared_ptr<experiments::Bench>> m_benches; ///< by the requested name
    std::vector<figures::PatternPicture> m_pictures;
    ExamplesScored m_scored;       ///< in this run
    std::optional<double> m_limit; ///< fits into the minutes of the experiment forecast last
};

} // namespace headscope::cli
