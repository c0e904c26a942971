// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Makes the controllers of the explorer, each with the state, the doors and its own widget. They hear of a change in
// the order in which they are made, so that what a person waits for is asked for first. GUI thread.

#include "app/controllers/answercontroller.h"
#include "app/controllers/continuationcontroller.h"
#include "app/controllers/conversationcontroller.h"
#include "app/controllers/curvecontroller.h"
#include "app/controllers/edgecontroller.h"
#include "app/controllers/expertcontroller.h"
#include "app/controllers/flipscontroller.h"
#include "app/controllers/headcardcontroller.h"
#include "app/controllers/headmapcontroller.h"
#include "app/controllers/knockoutcontroller.h"
#include "app/controllers/lensfitcontroller.h"
#include "app/controllers/logprobcontroller.h"
#include "app/controllers/machinecontroller.h"
#include "app/controllers/messagecontroller.h"
#include "app/controllers/metriccontroller.h"
#include "app/controllers/modelcontroller.h"
#include "app/controllers/patchcontroller.h"
#include "app/controllers/patterncontroller.h"
#include "app/controllers/patternlinks.h"
#include "app/controllers/previewcontroller.h"
#include "app/controllers/probecontroller.h"
#include "app/controllers/promptcontroller.h"
#include "app/controllers/rankingcontroller.h"
#include "app/controllers/removalcontroller.h"
#include "app/controllers/rowprofilecontroller.h"
#include "app/controllers/scorecontroller.h"
#include "app/controllers/scorepartscontroller.h"
#include "app/controllers/session/analysescontroller.h"
#include "app/controllers/session/keepcontroller.h"
#include "app/controllers/session/labelscontroller.h"
#include "app/controllers/session/restorecontroller.h"
#include "app/controllers/session/runscontroller.h"
#include "app/controllers/session/storedexamplescontroller.h"
#include "app/controllers/session/storedmodelcontroller.h"
#include "app/controllers/steercontroller.h"
#include "app/controllers/surveycontroller.h"
#include "app/controllers/surveyselectioncontroller.h"
#include "app/controllers/sweepcontroller.h"
#include "app/controllers/weightscontroller.h"
#include "app/controllers/whycontroller.h"
#include "app/window/parts.h"

namespace headscope::gui {

struct ExplorerControllers {
    ExplorerControllers(WindowState& state, app::Door& worker, app::SessionDoor& door, const Parts& parts);

    MessageController messages;
    HeadMapController mapA, mapB; ///< crossed out at once; everything else follows
    ModelController models;
    MachineController machine;
    AnswerController answers;            ///< a moment's work, and the first thing that a person wants to know
    ContinuationController continuation; ///< gives its first token at once, scores take longer
    PromptController prompt;
    ConversationController conversation;
    PatternLinks links;
    PatternController patterns; ///< a moment's work, so it goes before the scores
    RowProfileController profile;
    PreviewController previews;
    WhyController why;
    LensFitController lensFit;
    PatchController patches;
    EdgeController edges;
    KnockoutController knockout;
    SweepController sweep;
    ScorePartsController scoreParts;
    WeightsController weights;
    ProbeController probes;
    SteerController steering;
    ExpertController experts;
    LogProbController logProbs;
    SurveyController survey;
    SurveySelectionController surveyed;
    HeadCardController cards;
    ScoreController scores;
    FlipsController flips; ///< known rows, at once; the curve measures new ones
    CurveController curve;
    MetricController metrics;
    RankingController ranking;
    RemovalController removal;
    LabelsController labels;
    StoredModelController storedModels;
    StoredExamplesController storedExamples;
    RunsController runs;
    RestoreController restore;
    KeepController keep;
    AnalysesController analyses;
};

} // namespace headscope::gui
