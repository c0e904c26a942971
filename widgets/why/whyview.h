// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Why one model answers as it does: the lens over layers and tokens, and what each part adds to the answer's lead. GUI
// thread.

#include "widgets/why/lensmodel.h"
#include "widgets/why/partmodel.h"

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

    [[nodiscard]] LensModel* lensModel() const { return m_lens; }
    [[nodiscard]] PartModel* partModel() const { return m_parts; }
    [[nodiscard]] QTableView* lensTable() const { return m_lensTable; }
    [[nodiscard]] QTableView* partTable() const { return m_partTable; }

Q_SIGNALS:
    /// "L2H5": a part was double-clicked.
    void partChosen(const QString& name);

protected:
    void changeEvent(QEvent* event) override;

private:
    void makeLens();
    void makeParts();
    void fitColumns();

    LensModel* m_lens = nullptr;
    PartModel* m_parts = nullptr;
    QLabel *m_title = nullptr, *m_lensSentence = nullptr, *m_partSentence = nullptr;
    QTableView *m_lensTable = nullptr, *m_partTable = nullptr;
};

} // namespace headscope::widgets
