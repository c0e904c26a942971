// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What one model makes of one prompt with parts of another's run put in: a sentence and a map. GUI thread.

#include "widgets/why/patchmodel.h"

#include <QWidget>

class QLabel;
class QTableView;

namespace headscope::widgets {

class PatchView : public QWidget
{
    Q_OBJECT

public:
    explicit PatchView(QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setPatches(PatchData patches, const QString& sentence);
    /// Nothing is shown, and this is why.
    void setProblem(const QString& sentence) { setPatches({}, sentence); }
    [[nodiscard]] PatchModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] QString sentence() const;

Q_SIGNALS:
    /// "L2H5": a head was double-clicked.
    void headChosen(const QString& name);

private:
    PatchModel* m_model;
    QTableView* m_table;
    QLabel *m_title, *m_sentence;
};

} // namespace headscope::widgets
