// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/exercisepart.h"

#include "widgets/look/boxes/plainedit.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/theme.h"

#include <QEvent>
#include <QGridLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kKeepPauseMs = 300;

} // namespace

ExercisePart::ExercisePart(QWidget* parent)
    : QWidget(parent), m_grid(new QGridLayout), m_text(new PlainEdit(this)),
      m_keep(new QPushButton(tr("Save this answer"), this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(6);
    m_grid->setColumnStretch(1, 1);
    m_text->setTabChangesFocus(true);
    m_text->setAccessibleName(tr("Your answer"));
    m_text->setPlaceholderText(tr("Your answer, in a sentence or two"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(m_grid);
    layout->addWidget(m_text);
    layout->addWidget(m_keep, 0, Qt::AlignRight);
    connect(m_keep, &QPushButton::clicked, this, [this] {
        m_keep->setEnabled(false);
        Q_EMIT textSubmitted(written());
    });
    connect(m_text, &QPlainTextEdit::textChanged, this, [this] {
        m_keep->setEnabled(!written().isEmpty());
        if (m_keptAlways)
            m_pause.start();
    });
    m_pause.setSingleShot(true);
    m_pause.setInterval(kKeepPauseMs);
    connect(&m_pause, &QTimer::timeout, this, [this] { Q_EMIT textSubmitted(written()); });
    setWriting(false, {});
}

QString ExercisePart::written() const
{
    return m_text->toPlainText().trimmed();
}

void ExercisePart::setWriting(bool asked, const QString& kept)
{
    m_text->setPlainText(kept);
    m_text->setFixedHeight(6 * fontMetrics().lineSpacing());
    m_text->setVisible(asked);
    m_keep->setVisible(asked && !m_keptAlways);
    m_keep->setEnabled(false);
    m_pause.stop(); // this is what was kept
}

void ExercisePart::setAutoSaved()
{
    m_keptAlways = true;
    m_keep->hide();
}

void ExercisePart::saveNow()
{
    if (!m_pause.isActive())
        return;
    m_pause.stop();
    Q_EMIT textSubmitted(written());
}

void ExercisePart::setLocked()
{
    m_text->setReadOnly(true);
}

void ExercisePart::setLines(const QList<ExerciseLine>& lines)
{
    if (std::exchange(m_lines, lines) != lines)
        fill();
}

void ExercisePart::fill()
{
    while (QLayoutItem* item = m_grid->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const Theme theme = themeOf(palette());
    for (int row = 0; row < m_lines.size(); ++row) {
        const ExerciseLine& line = m_lines.at(row);
        auto* mark = new PlainLabel(line.met.value_or(false) ? u"✓"_s : u"○"_s, this);
        auto* words = new PlainLabel(
            line.words + (line.measured.isEmpty() ? QString() : u" · "_s + tr("now: %1").arg(line.measured)), this);
        words->setWordWrap(true);
        const QString state = !line.met ? tr("not measured yet") : *line.met ? tr("holds") : tr("does not hold yet");
        mark->setAccessibleName(state);
        words->setAccessibleName(line.words + u", "_s + state);
        if (line.met.value_or(false)) {
            QPalette own = palette();
            own.setColor(QPalette::WindowText, theme.good);
            mark->setPalette(own);
        }
        m_grid->addWidget(mark, row, 0, Qt::AlignTop);
        m_grid->addWidget(words, row, 1);
    }
}

void ExercisePart::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        fill();
}

} // namespace headscope::widgets
