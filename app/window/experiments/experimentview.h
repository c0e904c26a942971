// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One experiment as a page to read: question, the paper's claim, what is measured here, verdict, pictures, table. GUI
// thread.

#include <QScrollArea>

class QLabel;
class QTableWidget;

namespace headscope::experiments {
struct Experiment;
struct Report;
} // namespace headscope::experiments

namespace headscope::widgets {
class ExperimentPlot;
struct Figure;
} // namespace headscope::widgets

namespace headscope::gui {

class ExperimentView : public QScrollArea
{
    Q_OBJECT

public:
    explicit ExperimentView(QWidget* parent = nullptr);

    /// `controls`: choices and buttons, shown below what is measured; the view owns it from now on.
    void setControls(QWidget* controls);
    /// The experiment without a result.
    void setExperiment(const experiments::Experiment& experiment);
    void setReport(const experiments::Report& report);
    /// In place of the report's own picture, which knows no maps of heads.
    void setPicture(widgets::Figure figure);

    [[nodiscard]] QTableWidget* table() const { return m_table; }
    [[nodiscard]] QString verdict() const;
    /// All that the page says in sentences.
    [[nodiscard]] QString sentences() const;
    [[nodiscard]] QString finding() const;
    /// Of the pictures, as they are named above them.
    [[nodiscard]] QStringList pictures() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void clearResult();
    void showTable(const experiments::Report& report);
    void styleTexts();

    QLabel *m_question, *m_claim, *m_measured, *m_verdict, *m_why, *m_rule, *m_finding, *m_notes, *m_key;
    widgets::ExperimentPlot* m_picture;
    QTableWidget* m_table;
    QWidget* m_controls = nullptr;
};

} // namespace headscope::gui
