// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The explanation of one model's answer: the lens over layers and tokens, and the direct contributions to the logit
// difference. GUI thread.

#include "widgets/why/lens/lensmodel.h"
#include "widgets/why/parts/partmodel.h"

#include <QWidget>

class QLabel;
class QTableView;

namespace headscope::widgets {

class WhyView : public QWidget
{
    Q_OBJECT

public:
    explicit WhyView(QWidget* parent = nullptr);

    /// "A: tiny-transformer, L2H5 ablated".
    void setTitle(const QString& title);
    /// Sets the lens, and one sentence about it.
    void setLens(LensData lens, const QString& sentence);
    void setParts(std::vector<PartRow> parts, const QString& sentence);
    /// Clear a view and show the reason.
    void setLensProblem(const QString& sentence) { setLens({}, sentence); }
    void setPartsProblem(const QString& sentence) { setParts({}, sentence); }
    void setColor(LensColor color) { m_lens->setColor(color); }
    /// Sets the zoom in steps from readable tokens; below: narrower columns, then several tokens per column.
    void setZoom(int step);
    [[nodiscard]] int zoom() const { return m_zoom; }
    /// Shows the menu of a cell of the lens, or of a token of the prompt (row -1).
    void showTokenMenu(int row, int column, const QPoint& globalAt);
    /// Sets whether answer or distractor were chosen by the user.
    void setChosenByHand(bool asked) { m_chosenByHand = asked; }

    [[nodiscard]] LensModel* lensModel() const { return m_lens; }
    [[nodiscard]] PartModel* partModel() const { return m_parts; }
    [[nodiscard]] QTableView* lensTable() const { return m_lensTable; }
    [[nodiscard]] QTableView* partTable() const { return m_partTable; }

Q_SIGNALS:
    /// "L2H5": a part was double-clicked.
    void partChosen(const QString& name);
    /// A part was selected: "L2H5"; empty: none.
    void partSelected(const QString& name);
    /// Use this token as the answer: its rank is followed, and contributions to its logit are shown.
    void answerChosen(int token);
    /// Compare the answer's logit with that of this token.
    void distractorChosen(int token);
    /// Return to the sample's own answer and best wrong choice.
    void sampleAsked();

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeLens();
    void makeParts();
    void fitColumns();
    [[nodiscard]] int lowestZoom() const;

    LensModel* m_lens = nullptr;
    PartModel* m_parts = nullptr;
    QLabel *m_title = nullptr, *m_lensSentence = nullptr, *m_partSentence = nullptr;
    QTableView *m_lensTable = nullptr, *m_partTable = nullptr;
    int m_zoom = 0;
    bool m_chosenByHand = false;
};

} // namespace headscope::widgets
