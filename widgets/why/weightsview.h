// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The weight analyses of one model, which need no text: heads that copy, heads that compose with the shown head, and
// the tokens of its singular directions. GUI thread.

#include "widgets/why/parts/numbertable.h"

class QLabel;

namespace headscope::widgets {

/// Rows of the three tables.
struct WeightsData {
    std::vector<QVariantList> copying;    ///< head, score
    std::vector<QVariantList> composed;   ///< sender, receiver, through, score, above random
    std::vector<QVariantList> directions; ///< matrix, singular value, reads, writes
};

class WeightsView : public QWidget
{
    Q_OBJECT

public:
    explicit WeightsView(QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setWeights(WeightsData weights, const QString& sentence);
    /// Clears the view and shows the reason.
    void setProblem(const QString& sentence) { setWeights({}, sentence); }
    [[nodiscard]] NumberTable* copying() const { return m_copying; }
    [[nodiscard]] NumberTable* composed() const { return m_composed; }
    [[nodiscard]] NumberTable* directions() const { return m_directions; }
    [[nodiscard]] QString sentence() const;

Q_SIGNALS:
    /// "L2H5": its row was double-clicked.
    void headChosen(const QString& name);

private:
    QLabel *m_title, *m_sentence;
    NumberTable *m_copying, *m_composed, *m_directions;
};

} // namespace headscope::widgets
