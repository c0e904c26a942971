// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiments/experimentcontrols.h"

#include "app/present/heads/modelchoice.h"
#include "app/present/text.h"
#include "core/experiments/evidence/fits.h"
#include "core/experiments/words/language.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/plaintext.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>

namespace headscope::gui {

namespace {

constexpr int kMostOfRun = 100000;
constexpr int kMinutes[] = {1, 5, 15, 60};

} // namespace

ExperimentControls::ExperimentControls(QWidget* parent) : QWidget(parent)
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    auto* models = new QWidget;
    m_models = new QHBoxLayout(models);
    m_models->setContentsMargins(0, 0, 0, 0);
    m_limit = new QSpinBox;
    m_limit->setRange(0, kMostOfRun);
    m_limit->setSpecialValueText(tr("as defined by the experiment"));
    auto* limitLabel = new widgets::PlainLabel(tr("&Examples of each benchmark"));
    limitLabel->setBuddy(m_limit);
    m_minutes = new QComboBox;
    m_minutes->addItem(tr("no limit"), 0);
    for (const int minutes : kMinutes)
        m_minutes->addItem(tr("at most %1 min").arg(minutes), minutes);
    m_minutes->setToolTip(tr("As many examples as fit the forecast time"));
    m_minutes->setAccessibleName(tr("Time"));
    m_results = new QComboBox;
    m_resultsLabel = new widgets::PlainLabel(tr("Sho&wn: the result on"));
    m_resultsLabel->setBuddy(m_results);
    m_ask = new QPushButton(tr("Estima&te cost"));
    m_run = new QPushButton(tr("&Run"));
    m_stop = new QPushButton(tr("&Stop"));
    m_note = new widgets::PlainLabel;
    m_note->setWordWrap(true);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    grid->addWidget(new widgets::PlainLabel(tr("Models")), 0, 0);
    grid->addWidget(models, 0, 1, 1, 5);
    grid->addWidget(limitLabel, 1, 0);
    grid->addWidget(m_limit, 1, 1);
    grid->addWidget(m_minutes, 1, 2);
    grid->addWidget(m_ask, 1, 3);
    grid->addWidget(m_run, 1, 4);
    grid->addWidget(m_stop, 1, 5);
    grid->addWidget(m_note, 2, 0, 1, 6);
    grid->addWidget(m_resultsLabel, 3, 0);
    grid->addWidget(m_results, 3, 1, 1, 2);
    grid->setColumnStretch(1, 1);
    connect(m_results, &QComboBox::activated, this, &ExperimentControls::resultChosen);
    offerResults({}, 0);
    connect(m_run, &QPushButton::clicked, this, &ExperimentControls::runRequested);
    connect(m_ask, &QPushButton::clicked, this, &ExperimentControls::forecastRequested);
    connect(m_stop, &QPushButton::clicked, this, &ExperimentControls::stopRequested);
    m_stop->setEnabled(false);
}

void ExperimentControls::offer(const experiments::Experiment& experiment, const QStringList& openModels)
{
    m_experiment = &experiment;
    while (QLayoutItem* item = m_models->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const std::string& model : experiment.models)
        addModel(text(model), true);
    for (const QString& model : openModels)
        addModel(model, false, misfitOf(model.toStdString()));
    auto* other = new QPushButton(tr("&Other…"));
    auto* menu = new QMenu(other);
    menu->setToolTipsVisible(true);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillOthers(*menu); });
    other->setMenu(menu);
    m_models->addWidget(other);
    m_models->addStretch(1);
}

QString ExperimentControls::misfitOf(const std::filesystem::path& folder) const
{
    const auto kind = modelKind(folder);
    return kind ? text(experiments::translated(experiments::misfit(*m_experiment, *kind))) : QString();
}

// What does not fit stands there too, and says why.
void ExperimentControls::fillOthers(QMenu& menu)
{
    menu.clear();
    const auto add = [&](const io::ModelFolder& folder) {
        const widgets::Choice choice = modelChoice(folder);
        QAction* action =
            menu.addAction(widgets::plainText(choice.name) + QStringLiteral("   ") + widgets::plainText(choice.detail));
        const QString misfit = misfitOf(folder.path);
        action->setEnabled(misfit.isEmpty());
        action->setToolTip(widgets::plainText(misfit));
        connect(action, &QAction::triggered, this, [this, name = choice.id] { addModel(name, true); });
    };
    for (const io::ModelFolder& folder : io::shippedModels(m_places))
        add(folder);
    for (const io::ModelFolder& folder : io::cachedModels(m_places))
        add(folder);
    menu.addSeparator();
    connect(menu.addAction(tr("&Folder of a model …")), &QAction::triggered, this, &ExperimentControls::askForModel);
}

void ExperimentControls::askForModel()
{
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder of a model"));
    if (!folder.isEmpty())
        addModel(folder, true);
}

void ExperimentControls::addModel(const QString& name, bool chosen, const QString& misfit)
{
    int place = 0; // before the button
    for (; place < m_models->count(); ++place) {
        const auto* box = qobject_cast<QCheckBox*>(m_models->itemAt(place)->widget());
        if (!box)
            break;
        if (box->text() == widgets::plainText(name.section(QLatin1Char('/'), -1)))
            return; // a shipped one that is open, too
    }
    auto* box = new QCheckBox(widgets::plainText(name.section(QLatin1Char('/'), -1)));
    box->setProperty("model", name);
    box->setToolTip(widgets::plainText(misfit.isEmpty() ? name : misfit));
    box->setEnabled(misfit.isEmpty());
    box->setChecked(chosen);
    m_models->insertWidget(place, box);
}

ExperimentRequest ExperimentControls::request() const
{
    ExperimentRequest request{.limit = m_limit->value(), .minutes = m_minutes->currentData().toInt()};
    for (int i = 0; i < m_models->count(); ++i)
        if (const auto* box = qobject_cast<QCheckBox*>(m_models->itemAt(i)->widget()); box && box->isChecked())
            request.models.append(box->property("model").toString());
    return request;
}

void ExperimentControls::setRunning(bool running, bool free)
{
    m_stop->setEnabled(running);
    m_run->setEnabled(free);
    m_ask->setEnabled(!running);
}

void ExperimentControls::offerResults(const QStringList& models, int shown)
{
    m_results->clear();
    for (const QString& one : models)
        m_results->addItem(widgets::plainText(one));
    m_results->setCurrentIndex(shown);
    m_results->setVisible(models.size() > 1);
    m_resultsLabel->setVisible(models.size() > 1);
}

void ExperimentControls::showNote(const QString& sentence)
{
    m_note->setText(sentence);
}

QString ExperimentControls::sentence() const
{
    return m_note->text();
}

} // namespace headscope::gui
