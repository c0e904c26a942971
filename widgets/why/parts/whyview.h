// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Why one model answers as it does: the lens over layers and tokens, and what each part adds to the answer's lead. GUI
// thread.

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
    /// The lens, and one sentence on it.
    void setLens(LensData lens, const QString& sentence);
    void setParts(std::vector<PartRow> parts, const QString& sentence);
    /// Nothing is shown, and this is why.
    void setLensProblem(const QString& sentence) { setLens({}, sentence); }
    void setPartsProblem(const QString& sentence) { setParts({}, sentence); }
    void setColor(LensColor color) { m_lens->setColor(color); }
    /// Steps from the size at which tokens read; below: narrower columns, then columns of several tokens.
    void setZoom(int step);
    [[nodiscard]] int zoom() const { return m_zoom; }
    /// The menu of a cell of the lens, or of a token of the prompt (row -1).
    void showTokenMenu(int row, int column, const QPoint& globalAt);
    /// Whether tokens are asked about that a person chose.
    void setChosenByHand(bool asked) { m_chosenByHand = asked; }

    [[nodiscard]] LensModel* lensModel() const { return m_lens; }
    [[nodiscard]] PartModel* partModel() const { return m_parts; }
    [[nodiscard]] QTableView* lensTable() const { return m_lensTable; }
    [[nodiscard]] QTableView* partTable() const { return m_partTable; }

Q_SIGNALS:
    /// "L2H5": a part was double-clicked.
    void partChosen(const QString& name);
    /// The same was selected; empty: none is.
    void partSelected(const QString& name);
    /// This token is the answer now: its rank is followed, and parts are given for its logit.
    void answerChosen(int token);
    /// The answer's logit is compared with this token's.
    void distractorChosen(int token);
    /// The sample's own answer and best wrong choice again.
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
