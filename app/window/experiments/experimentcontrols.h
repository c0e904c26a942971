// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The models and settings of an experiment, and the buttons that run it. GUI thread.

#include "app/window/experiments/experimentrunner.h"

#include "core/io/modelfolder.h"

#include <QWidget>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QMenu;
class QPushButton;
class QSpinBox;

namespace headscope::gui {

class ExperimentControls : public QWidget
{
    Q_OBJECT

public:
    explicit ExperimentControls(QWidget* parent = nullptr);

    /// Sets the places with models that can be added.
    void setPlaces(io::ModelPlaces places) { m_places = std::move(places); }
    /// Shows the experiment's own models, selected, followed by the other open models.
    void offer(const experiments::Experiment& experiment, const QStringList& openModels);
    /// Returns the current choice, without the experiment.
    [[nodiscard]] ExperimentRequest request() const;
    /// `running`: something can be stopped; `free`: this experiment can be requested.
    void setRunning(bool running, bool free);
    /// Shows the results for several choices of models, and which is shown; nothing to choose with one or none.
    void offerResults(const QStringList& models, int shown);
    /// Shows a sentence below the buttons; empty: none.
    void showNote(const QString& sentence);
    [[nodiscard]] QString sentence() const;

Q_SIGNALS:
    void runRequested();
    void forecastRequested();
    void stopRequested();
    void resultChosen(int result);

private:
    void addModel(const QString& name, bool chosen, const QString& misfit = {});
    void fillOthers(QMenu& menu);
    [[nodiscard]] QString misfitOf(const std::filesystem::path& folder) const;
    void askForModel();

    io::ModelPlaces m_places;
    const experiments::Experiment* m_experiment = nullptr; ///< the last one shown
    QHBoxLayout* m_models = nullptr;
    QSpinBox* m_limit = nullptr;
    QComboBox *m_minutes = nullptr, *m_results = nullptr;
    QLabel* m_resultsLabel = nullptr;
    QPushButton *m_run = nullptr, *m_ask = nullptr, *m_stop = nullptr;
    QLabel* m_note = nullptr;
};

} // namespace headscope::gui
