// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The output of a model with selected cells of a patching map patched at once, and a head's map with and without. GUI
// thread.

#include "widgets/pattern/patterndata.h"

#include <QWidget>

class QButtonGroup;
class QLabel;

namespace headscope::widgets {

class PatternView;

struct PatchedRunData {
    QString sentence;          ///< the patched cells and their joint effect
    QString output;            ///< most probable tokens, one line per run
    PatternData before, after; ///< the head's map; empty: none
    QString noMap;             ///< why there is no map
};

class PatchedRunView : public QWidget
{
    Q_OBJECT

public:
    explicit PatchedRunView(QWidget* parent = nullptr);

    void setLook(PatchedRunData look);
    [[nodiscard]] const PatchedRunData& look() const { return m_look; }
    [[nodiscard]] PatternView* map() const { return m_map; }
    [[nodiscard]] bool hasMap() const;

Q_SIGNALS:
    /// There is a map now, or none any more.
    void mapToggled();

private:
    void showMap();

    PatchedRunData m_look;
    QLabel *m_sentence, *m_output;
    QButtonGroup* m_which;
    PatternView* m_map;
};

} // namespace headscope::widgets
