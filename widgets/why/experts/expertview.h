// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Expert routing of one model's prompt in a layer: a sentence, and a table of tokens and experts. GUI
// thread.

#include "core/base/side.h"
#include "widgets/why/experts/expertmodel.h"

#include <QWidget>

class QLabel;
class QTableView;
class QToolButton;

namespace headscope::widgets {

class ExpertHeader;

class ExpertView : public QWidget
{
    Q_OBJECT

public:
    explicit ExpertView(Side side, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setExperts(ExpertData experts, const QString& sentence);
    /// Clears the view and shows the reason.
    void setProblem(const QString& sentence) { setExperts({}, sentence); }
    void setOrder(ExpertOrder order);
    /// Sets the zoom. 1: all experts fit side by side, if there is room; more: wider columns.
    void setZoom(double zoom);
    [[nodiscard]] double zoom() const { return m_zoom; }

    [[nodiscard]] ExpertModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QString title() const;
    /// Returns weights of the selected cells separated by tabs, with their provenance; for a single cell its sentence.
    [[nodiscard]] QString selectedText() const;

Q_SIGNALS:
    /// An expert was clicked.
    void switchRequested(int expert, bool off);
    void saveRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void makeTable(Side side);
    void addActions();
    void toggle(int column);
    void fitCells();

    ExpertModel* m_model;
    QTableView* m_table;
    ExpertHeader* m_header = nullptr;
    QLabel *m_title, *m_sentence;
    QToolButton* m_save;
    double m_zoom = 1;
};

} // namespace headscope::widgets
