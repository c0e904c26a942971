// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Creates the controllers of the explorer, each with the state, the doors and its own widget. They are notified of
// changes in the order of creation, so that urgent results are requested first. GUI thread.

#include "app/controllers/models/machinecontroller.h"
#include "app/controllers/models/messagecontroller.h"
#include "app/controllers/models/modelcontroller.h"
#include "app/controllers/pattern/headcardcontroller.h"
#include "app/controllers/pattern/headmapcontroller.h"
#include "app/controllers/pattern/logprobcontroller.h"
#include "app/controllers/pattern/metriccontroller.h"
#include "app/controllers/pattern/patterncontroller.h"
#include "app/controllers/pattern/patternlinks.h"
#include "app/controllers/pattern/previewcontroller.h"
#include "app/controllers/pattern/rowprofilecontroller.h"
#include "app/controllers/prompt/answercontroller.h"
#include "app/controllers/prompt/continuationcontroller.h"
#include "app/controllers/prompt/conversationcontroller.h"
#include "app/controllers/prompt/promptcontroller.h"
#include "app/controllers/scores/curvecontroller.h"
#include "app/controllers/scores/flipscontroller.h"
#include "app/controllers/scores/rankingcontroller.h"
#include "app/controllers/scores/removalcontroller.h"
#include "app/controllers/scores/scorecontroller.h"
#include "app/controllers/session/analysescontroller.h"
#include "app/controllers/session/keepcontroller.h"
#include "app/controllers/session/labelscontroller.h"
#include "app/controllers/session/restorecontroller.h"
#include "app/controllers/session/runscontroller.h"
#include "app/controllers/session/storedexamplescontroller.h"
#include "app/controllers/session/storedmodelcontroller.h"
#include "app/controllers/survey/surveycontroller.h"
#include "app/controllers/survey/surveyselectioncontroller.h"
#include "app/controllers/why/edgecontroller.h"
#include "app/controllers/why/expertcontroller.h"
#include "app/controllers/why/knockoutcontroller.h"
#include "app/controllers/why/lensfitcontroller.h"
#include "app/controllers/why/patchcontroller.h"
#include "app/controllers/why/probecontroller.h"
#include "app/controllers/why/scorepartscontroller.h"
#include "app/controllers/why/steercontroller.h"
#include "app/controllers/why/sweepcontroller.h"
#include "app/controllers/why/weightscontroller.h"
#include "app/controllers/why/whycontroller.h"
#include "app/window/windowparts.h"

namespace headscope::gui {

struct ExplorerControllers {
    ExplorerControllers(WindowState& state, app::Door& worker, app::SessionDoor& door, const Parts& parts);

    MessageController messages;
    HeadMapController mapA, mapB; ///< show ablated heads at once; everything else follows
    ModelController models;
    MachineController machine;
    AnswerController answers;            ///< fast, and the first result that users look for
    ContinuationController continuation; ///< its first token is fast, scores take longer
    PromptController prompt;
    ConversationController conversation;
    PatternLinks links;
    PatternController patterns; ///< fast, so it precedes the scores
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
    FlipsController flips; ///< known rows are shown at once; the curve measures new ones
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
