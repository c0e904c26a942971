// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/pairbox.h"

#include "widgets/look/choicebox.h"
#include "widgets/why/fillbox.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>

namespace headscope::widgets {

PairBox::PairBox(const QString& startTitle, const QList<QWidget*>& first, QWidget* parent)
    : QWidget(parent), m_other(new ChoiceBox), m_direction(new ChoiceBox), m_written(new QLineEdit),
      m_many(new QCheckBox(tr("&up to 64 pairs of the task"))), m_start(new QPushButton(startTitle)),
      m_stop(new QPushButton(tr("&Stop"))), m_file(new QPushButton(tr("&Choose…")))
{
    fillBox<OtherPrompt>(*m_other, tr("The other prompt"),
                         {{OtherPrompt::Automatic, tr("other prompt: automatic")},
                          {OtherPrompt::Key, tr("exchange the queried key")},
                          {OtherPrompt::Value, tr("exchange the value")},
                          {OtherPrompt::Binding, tr("exchange the bindings")},
                          {OtherPrompt::Name, tr("most similar sample")},
                          {OtherPrompt::Written, tr("enter below")},
                          {OtherPrompt::File, tr("pairs of a file (.jsonl)")}});
    fillBox<bool>(*m_direction, tr("Direction of the patch"),
                  {{false, tr("denoise: clean into corrupted run")}, {true, tr("noise: corrupted into clean run")}});
    m_written->setAccessibleName(tr("The other prompt"));
    m_stop->setObjectName(QStringLiteral("stop"));
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 4, 0, 4);
    lines->addLayout(makePrompts(first));
    lines->addLayout(makeButtons());
    watch();
    refreshOther();
    setRunning(false);
}

QLayout* PairBox::makePrompts(const QList<QWidget*>& first)
{
    auto* top = new QHBoxLayout;
    for (QWidget* one : first)
        top->addWidget(one);
    top->addWidget(m_other);
    top->addStretch();
    auto* below = new QHBoxLayout;
    below->addWidget(m_written, 1);
    below->addWidget(m_file);
    below->addWidget(m_direction);
    auto* both = new QVBoxLayout;
    both->addLayout(top);
    both->addLayout(below);
    return both;
}

QLayout* PairBox::makeButtons()
{
    auto* line = new QHBoxLayout;
    line->addWidget(m_many);
    line->addStretch();
    line->addWidget(m_start);
    line->addWidget(m_stop);
    return line;
}

void PairBox::watch()
{
    connect(m_start, &QPushButton::clicked, this, &PairBox::startRequested);
    connect(m_written, &QLineEdit::returnPressed, this, &PairBox::startRequested);
    connect(m_stop, &QPushButton::clicked, this, &PairBox::stopRequested);
    connect(m_other, &QComboBox::currentIndexChanged, this, &PairBox::refreshOther);
    connect(m_file, &QPushButton::clicked, this, [this] {
        const QString file =
            QFileDialog::getOpenFileName(window(), tr("Pairs of prompts"), {}, tr("Pairs, one per line (*.jsonl)"));
        if (file.isEmpty())
            return;
        m_written->setText(file);
        Q_EMIT changed();
    });
    connect(m_other, &QComboBox::currentIndexChanged, this, &PairBox::changed);
    connect(m_direction, &QComboBox::currentIndexChanged, this, &PairBox::changed);
    connect(m_written, &QLineEdit::editingFinished, this, &PairBox::changed);
    connect(m_many, &QCheckBox::toggled, this, &PairBox::changed);
}

void PairBox::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT changed();
}

void PairBox::refreshOther()
{
    const auto other = chosenIn<OtherPrompt>(*m_other);
    const bool file = other == OtherPrompt::File;
    m_written->setEnabled(file || other == OtherPrompt::Written);
    m_written->setPlaceholderText(file ? tr("lines with clean, corrupt, and optionally answer and distractor")
                                       : tr("the other prompt, with the same number of tokens"));
    m_file->setVisible(file);
    m_many->setEnabled(!file && other != OtherPrompt::Written);
}

PairChoice PairBox::choice() const
{
    return {.other = chosenIn<OtherPrompt>(*m_other),
            .written = m_written->text(),
            .noise = chosenIn<bool>(*m_direction),
            .many = m_many->isChecked()};
}

void PairBox::setChoice(const PairChoice& choice)
{
    chooseIn(*m_other, choice.other);
    chooseIn(*m_direction, choice.noise);
    m_written->setText(choice.written);
    m_many->setChecked(choice.many);
}

void PairBox::setRunning(bool running)
{
    m_stop->setEnabled(running);
}

} // namespace headscope::widgets
