// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a model says with chosen cells of a map of patches put in, and the map of a head with them and without. GUI
// thread.

#include "widgets/pattern/patterndata.h"

#include <QWidget>

class QButtonGroup;
class QLabel;

namespace headscope::widgets {

class PatternView;

struct PatchLookData {
    QString sentence;          ///< what is put in, and how far it goes
    QString output;            ///< the likeliest tokens, a line a run
    PatternData before, after; ///< the head's map; empty: none
    QString noMap;             ///< why there is none
};

class PatchLookView : public QWidget
{
    Q_OBJECT

public:
    explicit PatchLookView(QWidget* parent = nullptr);

    void setLook(PatchLookData look);
    [[nodiscard]] const PatchLookData& look() const { return m_look; }
    [[nodiscard]] PatternView* map() const { return m_map; }

private:
    void showMap();

    PatchLookData m_look;
    QLabel *m_sentence, *m_output;
    QButtonGroup* m_which;
    PatternView* m_map;
};

} // namespace headscope::widgets
