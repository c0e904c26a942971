// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a lecture shows at one moment, as plain values. GUI thread.

#include "widgets/pattern/card/rowprofile.h"
#include "widgets/pattern/patterndata.h"
#include "widgets/pattern/patternscale.h"
#include "widgets/scores/scoreboardmodel.h"

#include <QColor>

#include <vector>

namespace headscope::widgets {

/// One head of the small map in the empty corner of a pattern.
struct LectureHead {
    QColor color;
    QString mark; ///< "G", "A" or empty
    double off = 0;
    bool current = false;
};

struct LectureSide {
    bool shown = false;
    bool covered = false; ///< map, profile and heads: nobody has predicted yet
    PatternData map;
    RowProfile profile;
    int row = -1;                                ///< the one that is looked at; -1: the last
    std::vector<std::vector<LectureHead>> heads; ///< by layer
    QStringList layers;                          ///< names of these rows
};

struct LectureData {
    LectureSide a, b;
    ScaleOptions scale;
    std::vector<ScoreboardRow> scores; ///< at most three are shown
    bool scoresCovered = false;        ///< question marks: nobody has predicted yet
    QString state;                     ///< "A with L2H5 ablated"
    Side stateSide = Side::A;          ///< whose it is
    QString sentence;                  ///< at the lower edge
    QString keys;                      ///< what can be pressed

    [[nodiscard]] const LectureSide& side(Side side) const { return side == Side::A ? a : b; }
};

} // namespace headscope::widgets
