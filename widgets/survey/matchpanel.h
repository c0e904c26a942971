// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Matches heads of two models by attention or by the cost of their removal. GUI thread.

#include "widgets/survey/matchview.h"

class QComboBox;
class QLabel;

namespace headscope::widgets {

class MatchPanel : public QWidget
{
    Q_OBJECT

public:
    enum class By { Looks, Costs };

    explicit MatchPanel(QWidget* parent = nullptr);

    /// Sets the sentence on the picture, or why there is none.
    void setSentence(const QString& sentence);
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] By by() const;
    void setBy(By by);
    [[nodiscard]] MatchView* view() const { return m_view; }

Q_SIGNALS:
    void byChanged();
    void saveRequested();

private:
    QComboBox* m_by;
    MatchView* m_view;
    QLabel* m_sentence;
};

} // namespace headscope::widgets
