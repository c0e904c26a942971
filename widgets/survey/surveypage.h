// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The survey of heads over many texts, in place of the maps: choice of texts, table of heads and metrics, scatter plot
// of two metrics, the texts that need a head, and matching heads of two models. GUI thread.

#include "widgets/survey/lossview.h"
#include "widgets/survey/matchpanel.h"
#include "widgets/survey/scatterpanel.h"
#include "widgets/survey/surveymodel.h"

#include <QWidget>

#include <set>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QSpinBox;
class QTabWidget;
class QTableView;

namespace headscope::widgets {

class SurveyPage : public QWidget
{
    Q_OBJECT

public:
    explicit SurveyPage(QWidget* parent = nullptr);

    /// "A: tiny-transformer".
    void setTitle(const QString& title);
    void setTexts(const QString& texts); ///< the texts to read, in one line
    void setRunning(bool running);
    void setRemoving(bool running); ///< heads are being ablated one by one
    /// Sets a sentence on the results, or why there are none.
    void setSentence(const QString& sentence);
    void setFilterProblem(const QString& sentence);
    /// Replaces the rows; selected heads stay selected by name.
    void setRows(const QStringList& metrics, std::vector<SurveyRow> rows);
    /// Shows only these rows of the model; nothing: all.
    void setShownRows(std::optional<std::set<int>> rows);
    /// Selects heads without a signal.
    void selectHeads(const QStringList& heads);

    [[nodiscard]] int tokens() const;
    void setTokens(int tokens);
    [[nodiscard]] int windowTokens() const;  ///< tokens per window of text
    [[nodiscard]] bool wantsPrompts() const; ///< include the prompts of the task whose sample is shown
    [[nodiscard]] QString filter() const;
    [[nodiscard]] QStringList selectedHeads() const;
    [[nodiscard]] std::pair<int, int> axes() const { return m_scatter->axes(); }
    [[nodiscard]] SurveyModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] ScatterView* scatter() const { return m_scatter->view(); }
    [[nodiscard]] ScatterPanel* scatterPanel() const { return m_scatter; }
    [[nodiscard]] LossView* losses() const { return m_losses; }
    [[nodiscard]] MatchPanel* matches() const { return m_matches; }
    [[nodiscard]] QTabWidget* tabs() const { return m_tabs; }
    [[nodiscard]] QLineEdit* filterField() const { return m_filter; }
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QString correlation() const { return m_scatter->correlation(); }

Q_SIGNALS:
    void backRequested();
    void wanted();          ///< the page should be shown
    void folderRequested(); ///< the user wants to add a folder
    void filesRequested();
    void clearTextsRequested();
    void runRequested();
    void stopRequested();
    void removeRequested(); ///< the selected heads, one by one; if none are selected: all
    void removeStopRequested();
    void filterChanged(const QString& text);
    void headChosen(const QString& head); ///< the current row
    void headsSelected(const QStringList& heads);
    void cardRequested(const QString& head); ///< a double click
    void tableFileRequested();
    void shown();

protected:
    void showEvent(QShowEvent* event) override;

private:
    class Rows;
    [[nodiscard]] QWidget* makeChoice();
    [[nodiscard]] QWidget* makeTextsButton();
    [[nodiscard]] QWidget* makeFilterLine();
    void makeTable();
    void makeTabs();
    void emitSelection();

    SurveyModel* m_model = nullptr;
    Rows* m_rows = nullptr;
    QTableView* m_table = nullptr;
    QTabWidget* m_tabs = nullptr;
    ScatterPanel* m_scatter = nullptr;
    LossView* m_losses = nullptr;
    MatchPanel* m_matches = nullptr;
    QLabel *m_title = nullptr, *m_texts = nullptr, *m_sentence = nullptr;
    QLineEdit* m_filter = nullptr;
    QSpinBox *m_tokens = nullptr, *m_window = nullptr;
    QCheckBox* m_prompts = nullptr;
    QPushButton *m_run = nullptr, *m_remove = nullptr;
    bool m_running = false, m_removing = false, m_quiet = false;
};

} // namespace headscope::widgets
