// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/patch/pairbox.h"

#include "widgets/look/boxes/choicebox.h"
#include "widgets/look/boxes/flowlayout.h"
#include "widgets/prompt/promptedit.h"
#include "widgets/why/fillbox.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>

namespace headscope::widgets {

namespace {

constexpr int kWritingPauseMs = 600;

} // namespace

PairBox::PairBox(const QString& startTitle, const QList<QWidget*>& first, QWidget* parent)
    : QWidget(parent), m_other(new ChoiceBox), m_direction(new ChoiceBox), m_written(new PromptEdit(nullptr, this)),
      m_path(new QLineEdit), m_many(new QCheckBox(tr("&up to 64 pairs of the task"))),
      m_start(new QPushButton(startTitle)), m_stop(new QPushButton(tr("&Stop"))),
      m_file(new QPushButton(tr("&Choose…")))
{
    fillBox<OtherPrompt>(*m_other, tr("The other prompt"),
                         {{OtherPrompt::Automatic, tr("other prompt: automatic")},
                          {OtherPrompt::Key, tr("exchange the queried key")},
                          {OtherPrompt::Value, tr("exchange the value")},
                          {OtherPrompt::Binding, tr("exchange the bindings")},
                          {OtherPrompt::Name, tr("most similar sample")},
                          {OtherPrompt::Written, tr("as written below")},
                          {OtherPrompt::File, tr("pairs of a file (.jsonl)")}});
    fillBox<bool>(*m_direction, tr("Direction of the patch"),
                  {{false, tr("denoise: clean into corrupted run")}, {true, tr("noise: corrupted into clean run")}});
    m_written->setAccessibleName(tr("The other prompt"));
    m_written->setTabChangesFocus(true);
    m_written->setFixedHeight(
        PromptEdit::kLines * m_written->fontMetrics().lineSpacing() + m_written->fontMetrics().descent()
        + 2 * (m_written->frameWidth() + static_cast<int>(m_written->document()->documentMargin())));
    m_written->installEventFilter(this);
    m_path->setAccessibleName(tr("File of pairs"));
    m_path->setPlaceholderText(tr("lines with clean, corrupt, and optionally answer and distractor"));
    m_pause.setSingleShot(true);
    m_pause.setInterval(kWritingPauseMs);
    m_stop->setObjectName(QStringLiteral("stop"));
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 4, 0, 4);
    lines->addWidget(makeChoices(first));
    auto* prompt = new QHBoxLayout;
    prompt->addWidget(m_written, 1);
    prompt->addWidget(m_path, 1);
    prompt->addWidget(m_file);
    lines->addLayout(prompt);
    watch();
    refreshOther();
    setRunning(false);
}

QWidget* PairBox::makeChoices(const QList<QWidget*>& first)
{
    auto* choices = new QWidget;
    auto* line = new FlowLayout(choices);
    for (QWidget* one : first + QList<QWidget*>{m_other, m_direction, m_many, m_start, m_stop})
        line->addWidget(one);
    return choices;
}

void PairBox::watch()
{
    connect(m_start, &QPushButton::clicked, this, &PairBox::startRequested);
    connect(m_path, &QLineEdit::returnPressed, this, &PairBox::startRequested);
    connect(m_stop, &QPushButton::clicked, this, &PairBox::stopRequested);
    connect(m_other, &QComboBox::currentIndexChanged, this, &PairBox::refreshOther);
    connect(m_file, &QPushButton::clicked, this, [this] {
        const QString file =
            QFileDialog::getOpenFileName(window(), tr("Pairs of prompts"), {}, tr("Pairs, one per line (*.jsonl)"));
        if (file.isEmpty())
            return;
        m_path->setText(file);
        Q_EMIT changed();
    });
    connect(m_other, &QComboBox::currentIndexChanged, this, &PairBox::changed);
    connect(m_direction, &QComboBox::currentIndexChanged, this, &PairBox::changed);
    connect(m_path, &QLineEdit::editingFinished, this, &PairBox::changed);
    connect(m_written, &QPlainTextEdit::textChanged, this, [this] {
        if (chosenIn<OtherPrompt>(*m_other) != OtherPrompt::Written) {
            const QSignalBlocker one(m_other);
            chooseIn(*m_other, OtherPrompt::Written);
            refreshOther();
        }
        m_pause.start();
    });
    connect(&m_pause, &QTimer::timeout, this, &PairBox::changed);
    connect(m_many, &QCheckBox::toggled, this, &PairBox::changed);
}

void PairBox::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT changed();
}

// Ctrl+Return starts at once: Return is part of the text.
bool PairBox::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_written || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if ((key->key() != Qt::Key_Return && key->key() != Qt::Key_Enter) || !(key->modifiers() & Qt::ControlModifier))
        return false;
    m_pause.stop();
    Q_EMIT startRequested();
    return true;
}

void PairBox::refreshOther()
{
    const auto other = chosenIn<OtherPrompt>(*m_other);
    const bool file = other == OtherPrompt::File;
    m_written->setPlaceholderText(tr("the other prompt, with the same number of tokens"));
    m_written->setVisible(!file);
    m_path->setVisible(file);
    m_file->setVisible(file);
    m_many->setEnabled(!file && other != OtherPrompt::Written);
}

PairChoice PairBox::choice() const
{
    return {.other = chosenIn<OtherPrompt>(*m_other),
            .written = m_written->whole(),
            .file = m_path->text(),
            .noise = chosenIn<bool>(*m_direction),
            .many = m_many->isChecked()};
}

void PairBox::setChoice(const PairChoice& choice)
{
    showWritten(choice.written);
    m_path->setText(choice.file);
    chooseIn(*m_other, choice.other);
    chooseIn(*m_direction, choice.noise);
    m_many->setChecked(choice.many);
}

void PairBox::takeOver(const PairChoice& choice)
{
    const QSignalBlocker all(this);
    if (choice != this->choice())
        setChoice(choice);
    m_pause.stop();
}

void PairBox::propose(const QString& other)
{
    const auto how = chosenIn<OtherPrompt>(*m_other);
    if (how != OtherPrompt::Written && how != OtherPrompt::File && !m_written->hasFocus())
        showWritten(other);
}

void PairBox::showWritten(const QString& text)
{
    const QSignalBlocker silent(m_written);
    if (text != m_written->whole())
        m_written->setWhole(text);
}

void PairBox::setRunning(bool running)
{
    m_stop->setEnabled(running);
}

} // namespace headscope::widgets
