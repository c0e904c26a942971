// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiments/experimentcontrols.h"

#include "app/present/text.h"
#include "core/experiments/experiment.h"
#include "widgets/look/plainlabel.h"
#include "widgets/look/plaintext.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QGridLayout>
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
    while (QLayoutItem* item = m_models->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const std::string& model : experiment.models)
        addModel(text(model), true);
    for (const QString& model : openModels)
        addModel(model, false);
    auto* other = new QPushButton(tr("&Other…"));
    connect(other, &QPushButton::clicked, this, &ExperimentControls::askForModel);
    m_models->addWidget(other);
    m_models->addStretch(1);
}

void ExperimentControls::askForModel()
{
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder of a model"));
    if (!folder.isEmpty())
        addModel(folder, true);
}

void ExperimentControls::addModel(const QString& name, bool chosen)
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
    box->setToolTip(widgets::plainText(name));
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
