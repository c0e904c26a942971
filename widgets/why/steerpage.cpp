// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/steerpage.h"

#include "widgets/look/boxes/plainedit.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/numbertext.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr int kStrongest = 100, kTenths = 10; // of the slider
constexpr int kAnswerRoom = 24;               // characters

} // namespace

SteerPage::SteerPage(QWidget* parent)
    : QWidget(parent), m_title(new PlainLabel), m_value(new PlainLabel), m_answer(new PlainLabel),
      m_sentence(new PlainLabel), m_layer(new QSpinBox), m_toward(new PlainEdit), m_away(new PlainEdit),
      m_vector(new QLineEdit), m_slider(new QSlider(Qt::Horizontal)), m_steer(new QPushButton(tr("&Steer"))),
      m_remove(new QPushButton(tr("&Remove")))
{
    m_layer->setRange(0, 0);
    m_layer->setPrefix(tr("before layer "));
    m_layer->setAccessibleName(tr("The layer before which the direction is added"));
    m_toward->setPlaceholderText(tr("prompts to steer towards, one a line"));
    m_toward->setAccessibleName(tr("Prompts to steer towards"));
    m_away->setPlaceholderText(tr("prompts to steer away from, one a line"));
    m_away->setAccessibleName(tr("Prompts to steer away from"));
    for (QPlainTextEdit* list : {m_toward, m_away})
        list->setTabChangesFocus(true);
    m_vector->setPlaceholderText(tr("or a vector: FILE.safetensors[NAME]"));
    m_vector->setAccessibleName(tr("Vector from a file"));
    auto* file = new QPushButton(tr("&File…"));
    m_slider->setRange(-kStrongest, kStrongest);
    m_slider->setValue(kTenths);
    m_slider->setAccessibleName(tr("Strength"));
    m_answer->setAccessibleName(tr("What the model answers now"));
    m_answer->setMinimumWidth(fontMetrics().averageCharWidth() * kAnswerRoom); // the slider stays where it is
    m_sentence->setWordWrap(true);
    auto* top = new QHBoxLayout;
    top->addWidget(m_title, 1);
    top->addWidget(m_layer);
    auto* lists = new QGridLayout;
    lists->addWidget(new PlainLabel(tr("towards")), 0, 0);
    lists->addWidget(new PlainLabel(tr("away from")), 0, 1);
    lists->addWidget(m_toward, 1, 0);
    lists->addWidget(m_away, 1, 1);
    auto* vector = new QHBoxLayout;
    vector->addWidget(m_vector, 1);
    vector->addWidget(file);
    auto* bar = new QHBoxLayout;
    bar->addWidget(new PlainLabel(tr("strength")));
    bar->addWidget(m_slider, 1);
    bar->addWidget(m_value);
    bar->addWidget(m_answer);
    bar->addWidget(m_steer);
    bar->addWidget(m_remove);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 4, 0, 0);
    lines->addLayout(top);
    lines->addLayout(lists, 1);
    lines->addLayout(vector);
    lines->addLayout(bar);
    lines->addWidget(m_sentence);
    connect(m_steer, &QPushButton::clicked, this, &SteerPage::steerRequested);
    connect(m_remove, &QPushButton::clicked, this, &SteerPage::removeRequested);
    connect(file, &QPushButton::clicked, this, &SteerPage::vectorRequested);
    const auto showStrength = [this] { m_value->setText(signedText(strength(), 1)); };
    connect(m_slider, &QSlider::valueChanged, this, [this, showStrength] {
        showStrength();
        if (!m_slider->isSliderDown()) // a drag is told at its end: benchmarks follow
            Q_EMIT strengthChanged(strength());
    });
    connect(m_slider, &QSlider::sliderReleased, this, [this] { Q_EMIT strengthChanged(strength()); });
    showStrength();
    setSteering(false);
}

void SteerPage::setTitle(const QString& title)
{
    m_title->setText(title);
}

void SteerPage::setLayers(int layers)
{
    m_layer->setMaximum(std::max(0, layers - 1));
}

SteerChoice SteerPage::choice() const
{
    return {m_layer->value(), m_toward->toPlainText(), m_away->toPlainText(), m_vector->text().trimmed()};
}

void SteerPage::setChoice(const SteerChoice& choice)
{
    m_layer->setValue(choice.layer);
    m_toward->setPlainText(choice.toward);
    m_away->setPlainText(choice.away);
    m_vector->setText(choice.vector);
}

void SteerPage::setStrength(double strength)
{
    {
        const QSignalBlocker quiet(m_slider);
        m_slider->setValue(static_cast<int>(std::lround(strength * kTenths)));
    }
    m_value->setText(signedText(this->strength(), 1));
}

double SteerPage::strength() const
{
    return m_slider->value() / double(kTenths);
}

void SteerPage::setSteering(bool steering)
{
    m_remove->setEnabled(steering);
}

void SteerPage::setAnswer(const QString& answer)
{
    m_answer->setText(fontMetrics().elidedText(answer, Qt::ElideRight, m_answer->minimumWidth()));
}

void SteerPage::setSentence(const QString& sentence)
{
    m_sentence->setText(sentence);
}

QString SteerPage::sentence() const
{
    return m_sentence->text();
}

} // namespace headscope::widgets
