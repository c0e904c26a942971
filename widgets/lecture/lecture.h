// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The content of a lecture view at one moment, as plain values. GUI thread.

#include "widgets/pattern/card/rowprofile.h"
#include "widgets/pattern/patterndata.h"
#include "widgets/pattern/patternscale.h"
#include "widgets/prompt/answersview.h"
#include "widgets/scores/scoreboardmodel.h"

#include <QColor>

#include <optional>
#include <vector>

namespace headscope::widgets {

/// One head of the small head map in the empty corner of a pattern.
struct LectureHead {
    QColor color;
    QString mark; ///< "G", "A" or empty
    double off = 0;
    bool current = false;
};

struct LectureSide {
    bool shown = false;
    bool covered = false; ///< map, profile and heads are hidden until the audience has predicted
    PatternData map;
    RowProfile profile;
    int row = -1;                                ///< the highlighted row; -1: the last
    std::vector<std::vector<LectureHead>> heads; ///< by layer
    QStringList layers;                          ///< names of these rows
    std::optional<ModelAnswer> answer;           ///< nothing: none, or hidden until the audience has predicted
};

struct LectureData {
    LectureSide a, b;
    ScaleOptions scale;
    std::vector<ScoreboardRow> scores; ///< at most three are shown
    bool scoresCovered = false;        ///< shown as question marks until the audience has predicted
    QString state;                     ///< "A with L2H5 ablated"
    Side stateSide = Side::A;          ///< side of this state
    QString sentence;                  ///< at the lower edge
    QString keys;                      ///< available keys

    [[nodiscard]] const LectureSide& side(Side side) const { return side == Side::A ? a : b; }
};

} // namespace headscope::widgets
