// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What an experiment is run on, and the buttons that run it. GUI thread.

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

    /// Where models lie that can be added.
    void setPlaces(io::ModelPlaces places) { m_places = std::move(places); }
    /// The experiment's own models, chosen, and behind them those that are open beside.
    void offer(const experiments::Experiment& experiment, const QStringList& openModels);
    /// What is chosen, without the experiment.
    [[nodiscard]] ExperimentRequest request() const;
    /// `running`: there is something to stop; `free`: this experiment can be asked for.
    void setRunning(bool running, bool free);
    /// Results of several choices of models, and which of them is shown; one or none: there is nothing to choose.
    void offerResults(const QStringList& models, int shown);
    /// A sentence below the buttons; empty: none.
    void say(const QString& sentence);
    [[nodiscard]] QString said() const;

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
    const experiments::Experiment* m_experiment = nullptr; ///< as offered last
    QHBoxLayout* m_models = nullptr;
    QSpinBox* m_limit = nullptr;
    QComboBox *m_minutes = nullptr, *m_results = nullptr;
    QLabel* m_resultsLabel = nullptr;
    QPushButton *m_run = nullptr, *m_ask = nullptr, *m_stop = nullptr;
    QLabel* m_said = nullptr;
};

} // namespace headscope::gui
