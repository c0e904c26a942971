// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What every head does on many texts, in the place of the maps: which texts, the table of heads and metrics, and heads
// by two of their numbers. GUI thread.

#include "widgets/survey/scatterview.h"
#include "widgets/survey/surveymodel.h"

#include <QWidget>

#include <set>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QSpinBox;
class QTableView;

namespace headscope::widgets {

class SurveyPage : public QWidget
{
    Q_OBJECT

public:
    explicit SurveyPage(QWidget* parent = nullptr);

    /// "A: tiny-transformer".
    void setTitle(const QString& title);
    void setTexts(const QString& texts); ///< what will be read, one line
    void setRunning(bool running);
    /// One sentence on what is shown, or why nothing is.
    void setSentence(const QString& sentence);
    void setFilterProblem(const QString& sentence);
    void setRows(const QStringList& metrics, std::vector<SurveyRow> rows);
    /// Only these rows of the model are shown; nothing: all.
    void setShownRows(std::optional<std::set<int>> rows);
    void setCorrelation(const QString& sentence);

    [[nodiscard]] int tokens() const;
    [[nodiscard]] bool wantsPrompts() const; ///< of the task whose sample is shown
    [[nodiscard]] QString filter() const;
    [[nodiscard]] QStringList selectedHeads() const;
    /// Indexes of metrics.
    [[nodiscard]] std::pair<int, int> axes() const;
    [[nodiscard]] SurveyModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] ScatterView* scatter() const { return m_scatter; }
    [[nodiscard]] QLineEdit* filterField() const { return m_filter; }
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QString correlation() const;

Q_SIGNALS:
    void backRequested();
    void textsRequested(); ///< other ones are to be chosen
    void runRequested();
    void stopRequested();
    void filterChanged(const QString& text);
    void axesChanged();
    void headChosen(const QString& head);    ///< the current row
    void cardRequested(const QString& head); ///< a double click
    void tableFileRequested();
    void shown();

protected:
    void showEvent(QShowEvent* event) override;

private:
    class Rows;
    [[nodiscard]] QWidget* makeChoice();
    void makeTable();
    [[nodiscard]] QWidget* makeScatter();
    void selectInTable(const QStringList& heads);

    SurveyModel* m_model = nullptr;
    Rows* m_rows = nullptr;
    QTableView* m_table = nullptr;
    ScatterView* m_scatter = nullptr;
    QLabel *m_title = nullptr, *m_texts = nullptr, *m_sentence = nullptr, *m_correlation = nullptr;
    QLineEdit* m_filter = nullptr;
    QSpinBox* m_tokens = nullptr;
    QCheckBox* m_prompts = nullptr;
    QPushButton* m_run = nullptr;
    QComboBox *m_x = nullptr, *m_y = nullptr;
    bool m_running = false;
};

} // namespace headscope::widgets
