// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The explanation of one model's answer: the lens over layers and tokens, and the direct contributions to the logit
// difference. GUI thread.

#include "widgets/why/views/barsview.h"
#include "widgets/why/views/gridview.h"

#include <QWidget>

class QLabel;

namespace headscope::widgets {

/// The quantity that lens colours show.
enum class LensColor { Probability, Rank, Entropy, Change };

class WhyView : public QWidget
{
    Q_OBJECT

public:
    explicit WhyView(QWidget* parent = nullptr);

    /// "A: tiny-transformer, L2H5 ablated".
    void setTitle(const QString& title);
    /// The lens, and one sentence on it.
    void setLens(GridData lens, const QString& sentence);
    void setParts(std::vector<PartRow> parts, const QString& sentence);
    /// Clear a view and show the reason.
    void setLensProblem(const QString& sentence) { setLens({}, sentence); }
    void setPartsProblem(const QString& sentence) { setParts({}, sentence); }
    /// Returns whether the user chose the compared tokens.
    void setChosenByHand(bool asked) { m_chosenByHand = asked; }

    [[nodiscard]] GridView* lens() const { return m_lens; }
    [[nodiscard]] BarsView* parts() const { return m_parts; }

Q_SIGNALS:
    /// The token of this cell of the lens, or of the prompt (row -1), is the answer now: its rank is followed, and
    /// parts are given for its logit.
    void answerChosen(int row, int column);
    /// The answer's logit is compared with this token's.
    void distractorChosen(int row, int column);
    /// The sample's own answer and best wrong choice again.
    void sampleRequested();

private:
    void addTokenEntries(QMenu* menu, int row, int column);

    QLabel *m_title, *m_lensSentence, *m_partSentence;
    GridView* m_lens;
    BarsView* m_parts;
    bool m_chosenByHand = false;
};

} // namespace headscope::widgets
