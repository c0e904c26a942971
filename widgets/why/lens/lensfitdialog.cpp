// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/lens/lensfitdialog.h"

#include "widgets/look/boxes/plainedit.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/plaintext.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>
#include <QVBoxLayout>

namespace headscope::widgets {

namespace {

constexpr int kMoment = 400;                          // ms without a change, before a forecast is worth its time
constexpr int kMostPrompts = 1 << 20;                 // as on the command line
constexpr int kLensDialogWidth = 520, kTextLines = 4; // pixels; lines

QSpinBox* countBox(int least, const QString& name, const QString& tip)
{
    auto* box = new QSpinBox;
    box->setRange(least, kMostPrompts);
    box->setAccessibleName(name);
    box->setToolTip(plainText(tip));
    return box;
}

} // namespace

LensFitDialog::LensFitDialog(QWidget* parent)
    : QDialog(parent), m_model(new PlainLabel), m_sentence(new PlainLabel), m_texts(new PlainEdit),
      m_output(new QLineEdit), m_progress(new QProgressBar)
{
    setWindowTitle(tr("Fit a Jacobian lens"));
    m_prompts = countBox(1, tr("Number of prompts"), tr("Takes at most this many prompts from the texts"));
    m_length = countBox(2, tr("Tokens of a prompt"), tr("Cuts the texts into prompts of at most this length"));
    m_skip = countBox(0, tr("Tokens to skip"), tr("Leaves out the first positions of each prompt"));
    m_choice = makeChoice();
    m_sentence->setWordWrap(true);
    m_sentence->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_sentence->setMinimumHeight(kTextLines * m_sentence->fontMetrics().lineSpacing());
    m_progress->setAccessibleName(tr("Progress of the fit"));
    m_progress->setVisible(false);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    m_fit = buttons->addButton(tr("&Fit"), QDialogButtonBox::ActionRole);
    m_stop = buttons->addButton(tr("S&top"), QDialogButtonBox::ActionRole);
    connect(m_fit, &QPushButton::clicked, this, &LensFitDialog::fitRequested);
    connect(m_stop, &QPushButton::clicked, this, &LensFitDialog::stopRequested);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* lines = new QVBoxLayout(this);
    lines->addWidget(m_model);
    lines->addWidget(m_choice);
    lines->addWidget(m_progress);
    lines->addWidget(m_sentence);
    lines->addWidget(buttons);
    setMinimumWidth(kLensDialogWidth);
    setChoice({});
}

QWidget* LensFitDialog::makeChoice()
{
    m_texts->setPlaceholderText(tr("text files (.txt, .jsonl) or folders, one a line"));
    m_texts->setAccessibleName(tr("Texts"));
    m_texts->setTabChangesFocus(true);
    m_texts->setFixedHeight((kTextLines + 1) * m_texts->fontMetrics().lineSpacing());
    m_output->setAccessibleName(tr("File of the lens"));
    auto* files = new QPushButton(tr("F&iles…"));
    auto* folder = new QPushButton(tr("F&older…"));
    auto* output = new QPushButton(tr("&Save as…"));
    connect(files, &QPushButton::clicked, this, &LensFitDialog::filesRequested);
    connect(folder, &QPushButton::clicked, this, &LensFitDialog::folderRequested);
    connect(output, &QPushButton::clicked, this, &LensFitDialog::outputRequested);
    auto* sources = new QVBoxLayout;
    sources->addWidget(files);
    sources->addWidget(folder);
    sources->addStretch();
    auto* texts = new QHBoxLayout;
    texts->addWidget(m_texts, 1);
    texts->addLayout(sources);
    auto* target = new QHBoxLayout;
    target->addWidget(m_output, 1);
    target->addWidget(output);
    auto* whole = new QWidget;
    auto* form = new QFormLayout(whole);
    form->setContentsMargins(0, 0, 0, 0);
    form->addRow(tr("Texts"), texts);
    form->addRow(tr("Prompts"), m_prompts);
    form->addRow(tr("Tokens of a prompt"), m_length);
    form->addRow(tr("Tokens to skip"), m_skip);
    form->addRow(tr("File"), target);
    auto* moment = new QTimer(this);
    moment->setSingleShot(true);
    moment->setInterval(kMoment);
    connect(moment, &QTimer::timeout, this, &LensFitDialog::changed);
    const auto later = [this, moment] {
        refresh();
        moment->start();
    };
    connect(m_texts, &QPlainTextEdit::textChanged, this, later);
    connect(m_output, &QLineEdit::textChanged, this, later);
    for (QSpinBox* box : {m_prompts, m_length, m_skip})
        connect(box, &QSpinBox::valueChanged, this, later);
    return whole;
}

LensFitChoice LensFitDialog::choice() const
{
    LensFitChoice choice{.texts = {},
                         .output = m_output->text().trimmed(),
                         .prompts = m_prompts->value(),
                         .length = m_length->value(),
                         .skip = m_skip->value()};
    for (const QString& line : m_texts->toPlainText().split(u'\n'))
        if (const QString path = line.trimmed(); !path.isEmpty())
            choice.texts << path;
    return choice;
}

void LensFitDialog::setChoice(const LensFitChoice& choice)
{
    m_texts->setPlainText(choice.texts.join(u'\n'));
    m_output->setText(choice.output);
    m_prompts->setValue(choice.prompts);
    m_length->setValue(choice.length);
    m_skip->setValue(choice.skip);
    refresh();
}

void LensFitDialog::refresh()
{
    const LensFitChoice now = choice();
    m_fit->setEnabled(!m_running && !now.texts.isEmpty() && !now.output.isEmpty());
    m_stop->setEnabled(m_running);
    m_choice->setEnabled(!m_running);
    m_progress->setVisible(m_running);
}

void LensFitDialog::setModel(const QString& name)
{
    m_model->setText(name);
}

void LensFitDialog::setSentence(const QString& sentence)
{
    m_sentence->setText(sentence);
}

QString LensFitDialog::sentence() const
{
    return m_sentence->text();
}

void LensFitDialog::setRunning(bool running)
{
    m_running = running;
    m_progress->setRange(0, 0);
    refresh();
}

void LensFitDialog::setProgress(qint64 done, qint64 total)
{
    constexpr int kSteps = 1000;
    m_progress->setRange(0, kSteps);
    m_progress->setValue(total > 0 ? static_cast<int>(kSteps * done / total) : 0);
}

} // namespace headscope::widgets
