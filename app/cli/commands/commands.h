// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All commands of headscope-cli, one source file each. Main thread.

#include "app/cli/context.h"

namespace headscope::cli {

/// Adds the name, the common options and every command that needs no Qt.
void addCommands(CLI::App& app, Context& context);
/// Only if the program is built with Qt.
void addFigureCommand(CLI::App& app, Context& context);
void addClassCommand(CLI::App& app, Context& context);

void addAttributeCommand(CLI::App& app, Context& context);
void addBenchCommand(CLI::App& app, Context& context);
void addCompareSamplesCommand(CLI::App& app, Context& context);
void addDemoCommand(CLI::App& app, Context& context);
void addDistillCommand(CLI::App& app, Context& context);
void addDumpCommand(CLI::App& app, Context& context);
void addEdgesCommand(CLI::App& app, Context& context);
void addExperimentCommand(CLI::App& app, Context& context);
void addGenerateCommand(CLI::App& app, Context& context);
void addGetCommand(CLI::App& app, Context& context);
void addInfoCommand(CLI::App& app, Context& context);
void addExpertsCommand(CLI::App& app, Context& context);
void addKnockoutCommand(CLI::App& app, Context& context);
void addWhyScoreCommand(CLI::App& app, Context& context);
void addCompareCommand(CLI::App& app, Context& context);
void addSeriesCommand(CLI::App& app, Context& context);
void addLensCommand(CLI::App& app, Context& context);
/// Adds `fit` to the command `lens`, which then needs neither a model nor a prompt.
void addLensFitCommand(CLI::App& lens, Context& context);
void addLogProbCommand(CLI::App& app, Context& context);
void addModelsCommand(CLI::App& app, Context& context);
void addPageCommand(CLI::App& app, Context& context);
void addPatchCommand(CLI::App& app, Context& context);
void addPatternCommand(CLI::App& app, Context& context);
void addProbeCommand(CLI::App& app, Context& context);
void addRankCommand(CLI::App& app, Context& context);
void addRequestsCommand(CLI::App& app, Context& context);
void addScoreCommand(CLI::App& app, Context& context);
void addSessionCommand(CLI::App& app, Context& context);
void addSurveyCommand(CLI::App& app, Context& context);
void addTasksCommand(CLI::App& app, Context& context);
void addTokenizeCommand(CLI::App& app, Context& context);
void addTrainCommand(CLI::App& app, Context& context);
void addTrustCommand(CLI::App& app, Context& context);
void addWeightsCommand(CLI::App& app, Context& context);
/// Prints what `get --forecast` does of a model on the hub.
[[nodiscard]] Result<void> forecastOnHub(const Context& context, const std::string& model);
/// Hidden commands, for files installed by packages and for tests.
void addManualCommands(CLI::App& app, Context& context);

} // namespace headscope::cli
