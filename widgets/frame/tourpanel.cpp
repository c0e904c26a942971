// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/tourpanel.h"

#include "widgets/look/plainlabel.h"
#include "widgets/look/theme.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

QLabel* textLabel(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::MarkdownText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

QWidget* rowOf(QWidget* parent)
{
    auto* row = new QWidget(parent);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addStretch();
    return row;
}

QPushButton* addButton(QWidget* row, const QString& text)
{
    auto* button = new QPushButton(text, row);
    auto* layout = static_cast<QHBoxLayout*>(row->layout());
    layout->insertWidget(layout->count() - 1, button);
    return button;
}

void emptyRow(QWidget* row)
{
    qDeleteAll(row->findChildren<QPushButton*>(Qt::FindDirectChildrenOnly));
}

} // namespace

TourPanel::TourPanel(QWidget* parent)
    : QWidget(parent), m_title(new PlainLabel(this)), m_text(textLabel(this)), m_question(textLabel(this)),
      m_explanation(textLabel(this)), m_actions(rowOf(this)), m_answers(rowOf(this)), m_jump(new QComboBox(this)),
      m_back(new QPushButton(u"◂ "_s + tr("Back"), this)), m_next(new QPushButton(tr("Next") + u" ▸"_s, this))
{
    QFont bold = font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_question->setFont(bold);
    m_next->setDefault(true);
    m_jump->setAccessibleName(tr("Steps of the tour"));
    auto* close = new QToolButton(this);
    close->setText(u"✕"_s);
    close->setAutoRaise(true);
    close->setToolTip(tr("Close the tour"));
    close->setAccessibleName(tr("Close the tour"));
    auto* top = new QHBoxLayout;
    top->addWidget(m_title, 1);
    top->addWidget(m_jump);
    top->addWidget(close);
    m_actions->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(m_back);
    bottom->addWidget(m_actions); // in one line: a tour must not take the height of what it shows
    bottom->addWidget(m_next);
    bottom->addStretch();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(8);
    layout->addLayout(top);
    layout->addWidget(m_text);
    layout->addWidget(m_question);
    layout->addWidget(m_answers);
    layout->addWidget(m_explanation);
    layout->addStretch();
    layout->addLayout(bottom);
    makePage(this);
    setAccessibleName(tr("Tour"));
    connect(m_back, &QPushButton::clicked, this, [this] { Q_EMIT stepRequested(m_index - 1); });
    connect(m_next, &QPushButton::clicked, this, [this] {
        if (m_index + 1 < m_count)
            Q_EMIT stepRequested(m_index + 1);
        else
            Q_EMIT closed();
    });
    connect(m_jump, &QComboBox::activated, this, &TourPanel::stepRequested);
    connect(close, &QToolButton::clicked, this, &TourPanel::closed);
}

QSize TourPanel::sizeHint() const
{
    // The tour lies below what it shows and must not take its height: as much as a long step with its answer needs.
    return {340, 9 * fontMetrics().lineSpacing() + 60};
}

void TourPanel::setStep(const TourStep& step, int index, const QStringList& titles)
{
    m_step = step;
    m_index = index;
    m_count = static_cast<int>(titles.size());
    m_given = -1;
    m_title->setText(tr("Tour %1 of %2 · %3").arg(index + 1).arg(m_count).arg(step.title));
    m_text->setText(step.text);
    m_question->setText(step.question);
    m_question->setVisible(!step.question.isEmpty());
    {
        const QSignalBlocker quiet(m_jump);
        m_jump->clear();
        m_jump->addItems(titles);
        m_jump->setCurrentIndex(index);
    }
    emptyRow(m_actions);
    for (const TourAction& action : step.actions)
        connect(addButton(m_actions, action.text), &QPushButton::clicked, this,
                [this, id = action.id] { Q_EMIT actionRequested(id); });
    m_actions->setVisible(!step.actions.isEmpty());
    emptyRow(m_answers);
    m_answerButtons.clear();
    for (int i = 0; i < step.answers.size(); ++i) {
        QPushButton* button = addButton(m_answers, step.answers.at(i));
        connect(button, &QPushButton::clicked, this, [this, i] { answer(i); });
        m_answerButtons << button;
    }
    m_answers->setVisible(!step.answers.isEmpty());
    m_back->setEnabled(index > 0);
    m_next->setText(index + 1 < m_count ? tr("Next") + u" ▸"_s : tr("Finish"));
    showAnswer();
}

void TourPanel::answer(int index)
{
    if (m_given >= 0)
        return;
    m_given = index;
    showAnswer();
    Q_EMIT answered(index, index == m_step.rightAnswer);
}

void TourPanel::showAnswer()
{
    const Theme theme = themeOf(palette());
    const bool done = m_given >= 0 || m_step.question.isEmpty();
    m_explanation->setVisible(done && !m_step.explanation.isEmpty());
    m_explanation->setText(m_step.explanation);
    m_next->setEnabled(done); // think first, then see
    for (int i = 0; i < m_answerButtons.size(); ++i) {
        QPushButton* button = m_answerButtons.at(i);
        QString text = m_step.answers.at(i);
        QPalette own = palette();
        if (m_given >= 0 && i == m_step.rightAnswer) {
            text = u"✓ "_s + text;
            own.setColor(QPalette::ButtonText, theme.good);
        } else if (i == m_given) {
            text = u"✗ "_s + text;
            own.setColor(QPalette::ButtonText, theme.bad);
        }
        button->setText(text);
        button->setPalette(own);
    }
}

void TourPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showAnswer();
}

} // namespace headscope::widgets
