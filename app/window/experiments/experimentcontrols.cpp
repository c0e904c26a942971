// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiments/experimentcontrols.h"

#include "app/present/modelchoice.h"
#include "app/present/text.h"
#include "core/experiments/fits.h"
#include "widgets/look/plainlabel.h"
#include "widgets/look/plaintext.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>

namespace headscope::gui {

namespace {

constexpr int kMostExamples = 100000;

} // namespace

ExperimentControls::ExperimentControls(QWidget* parent) : QWidget(parent)
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    auto* models = new QWidget;
    m_models = new QHBoxLayout(models);
    m_models->setContentsMargins(0, 0, 0, 0);
    m_limit = new QSpinBox;
    m_limit->setRange(0, kMostExamples);
    m_limit->setSpecialValueText(tr("as the experiment has it"));
    auto* limitLabel = new widgets::PlainLabel(tr("&Examples of each benchmark"));
    limitLabel->setBuddy(m_limit);
    m_ask = new QPushButton(tr("What will it &take?"));
    m_run = new QPushButton(tr("&Run"));
    m_stop = new QPushButton(tr("&Stop"));
    m_said = new widgets::PlainLabel;
    m_said->setWordWrap(true);
    m_said->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    grid->addWidget(new widgets::PlainLabel(tr("Models")), 0, 0);
    grid->addWidget(models, 0, 1, 1, 4);
    grid->addWidget(limitLabel, 1, 0);
    grid->addWidget(m_limit, 1, 1);
    grid->addWidget(m_ask, 1, 2);
    grid->addWidget(m_run, 1, 3);
    grid->addWidget(m_stop, 1, 4);
    grid->addWidget(m_said, 2, 0, 1, 5);
    grid->setColumnStretch(1, 1);
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
    return kind ? text(experiments::misfit(*m_experiment, *kind)) : QString();
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
    ExperimentRequest request{.limit = m_limit->value()};
    for (int i = 0; i < m_models->count(); ++i)
        if (const auto* box = qobject_cast<QCheckBox*>(m_models->itemAt(i)->widget()); box && box->isChecked())
            request.models.append(box->property("model").toString());
    return request;
}

void ExperimentControls::setRunning(bool running)
{
    m_stop->setEnabled(running);
    m_run->setEnabled(!running);
    m_ask->setEnabled(!running);
}

void ExperimentControls::say(const QString& sentence)
{
    m_said->setText(sentence);
}

QString ExperimentControls::said() const
{
    return m_said->text();
}

} // namespace headscope::gui
