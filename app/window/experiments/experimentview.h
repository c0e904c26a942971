// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One experiment as a page: question, the paper's claim, measurement, verdict, plots, table. GUI
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

    /// `controls`: choices and buttons, shown below the measurement; the view takes ownership.
    void setControls(QWidget* controls);
    /// Shows the experiment without a result.
    void setExperiment(const experiments::Experiment& experiment);
    void setReport(const experiments::Report& report);
    /// Replaces the report's own plot, which has no maps of heads.
    void setPicture(widgets::Figure figure);

    [[nodiscard]] QTableWidget* table() const { return m_table; }
    [[nodiscard]] QString verdict() const;
    /// Returns all sentences on the page.
    [[nodiscard]] QString sentences() const;
    [[nodiscard]] QString finding() const;
    /// Returns the titles of the plots.
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
