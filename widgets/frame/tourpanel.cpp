// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/tourpanel.h"

#include "widgets/look/boxes/flowlayout.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/labels/wrappingbutton.h"
#include "widgets/look/theme.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kBandLines = 9; // its height
const QString kRight = u"✓ "_s;

QLabel* textLabel(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::MarkdownText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

/// Parts below each other; those that are not used take no room.
QWidget* columnOf(const QList<QWidget*>& parts)
{
    auto* column = new QWidget;
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    for (QWidget* part : parts)
        layout->addWidget(part);
    layout->addStretch();
    return column;
}

/// Buttons beside each other, in as many lines as they need.
QWidget* flowIn(QWidget* parent)
{
    auto* row = new QWidget(parent);
    auto* layout = new FlowLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    return row;
}

WrappingButton* addButton(QWidget* row, const QString& text)
{
    auto* button = new WrappingButton(text, row);
    row->layout()->addWidget(button);
    return button;
}

void emptyRow(QWidget* row)
{
    qDeleteAll(row->findChildren<QPushButton*>(Qt::FindDirectChildrenOnly));
}

} // namespace

TourPanel::TourPanel(QWidget* parent)
    : Card(parent), m_title(new PlainLabel(this)), m_text(textLabel(this)), m_question(textLabel(this)),
      m_explanation(textLabel(this)), m_actions(flowIn(this)), m_exercise(new ExercisePart(this)),
      m_answers(flowIn(this)), m_sure(flowIn(this)), m_confidence(new QButtonGroup(this)), m_jump(new QComboBox(this)),
      m_back(new QPushButton(u"◂ "_s + tr("Back"), this)), m_next(new QPushButton(tr("Next") + u" ▸"_s, this)),
      m_close(new QToolButton(this))
{
    QFont bold;
    bold.setBold(true);
    m_title->setFont(bold);
    m_question->setFont(bold);
    m_next->setDefault(true);
    m_jump->setAccessibleName(tr("Steps of the tour"));
    m_jump->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_jump->setMinimumContentsLength(10);
    makeConfidence();
    m_telling = columnOf({m_text, m_actions});
    m_asked = columnOf({m_exercise, m_question, m_answers});
    m_explained = columnOf({m_sure, m_explanation}); // below the answers they would be out of sight
    auto* page = new QWidget;
    auto* columns = new QHBoxLayout(page);
    columns->setContentsMargins(0, 0, 6, 0);
    columns->setSpacing(20);
    columns->addWidget(m_telling, 5);
    columns->addWidget(m_asked, 6); // answers beside each other
    columns->addWidget(m_explained, 5);
    makePage(page);
    auto* scroll = new QScrollArea(this); // a long step scrolls; it takes nothing from what it speaks of
    scroll->setWidget(page);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setAccessibleName(tr("Step of the tour"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, kMargin, kMargin, kMargin);
    layout->setSpacing(6);
    layout->addWidget(makeHeading());
    layout->addWidget(scroll, 1);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(tr("Tour"));
    connectParts();
}

QWidget* TourPanel::makeHeading()
{
    m_close->setText(u"✕"_s);
    m_close->setAutoRaise(true);
    m_close->setToolTip(tr("Close the tour"));
    m_close->setAccessibleName(tr("Close the tour"));
    connect(m_close, &QToolButton::clicked, this, &TourPanel::closed);
    auto* heading = new QWidget(this);
    auto* row = new QHBoxLayout(heading);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(m_title, 1);
    for (QWidget* part : {static_cast<QWidget*>(m_jump), static_cast<QWidget*>(m_back), static_cast<QWidget*>(m_next),
                          static_cast<QWidget*>(m_close)})
        row->addWidget(part);
    return heading;
}

void TourPanel::connectParts()
{
    connect(m_back, &QPushButton::clicked, this, [this] { requestStep(m_index - 1); });
    connect(m_next, &QPushButton::clicked, this, [this] {
        if (m_index + 1 < m_count)
            requestStep(m_index + 1);
        else if (m_exam)
            Q_EMIT handInRequested();
        else
            Q_EMIT closed();
    });
    connect(m_exercise, &ExercisePart::textSubmitted, this, [this](const QString& text) {
        m_done = true;
        showAnswer();
        Q_EMIT textSubmitted(text);
    });
    connect(m_jump, &QComboBox::activated, this, &TourPanel::requestStep);
    connect(m_confidence, &QButtonGroup::idClicked, this, &TourPanel::lock);
}

void TourPanel::requestStep(int index)
{
    m_exercise->saveNow(); // it is an answer to this step
    Q_EMIT stepRequested(index);
}

void TourPanel::setExam()
{
    m_exam = true;
    m_close->hide();
    m_exercise->setAutoSaved();
}

void TourPanel::keepWriting()
{
    m_exercise->saveNow();
}

void TourPanel::lockAnswers()
{
    m_locked = true;
    m_exercise->setLocked();
    showAnswer();
}

void TourPanel::makeConfidence()
{
    auto* asks = new PlainLabel(tr("How sure are you?"), m_sure);
    m_sure->layout()->addWidget(asks);
    for (const auto& [confidence, words] :
         {std::pair(Confidence::Guess, tr("guessing")), std::pair(Confidence::Think, tr("fairly sure")),
          std::pair(Confidence::Know, tr("certain"))}) {
        auto* choice = new QRadioButton(words, m_sure);
        choice->setAccessibleName(tr("Confidence: %1").arg(words));
        m_confidence->addButton(choice, static_cast<int>(confidence));
        m_sure->layout()->addWidget(choice);
        asks->setFixedHeight(choice->sizeHint().height()); // one line with them
    }
}

Confidence TourPanel::confidence() const
{
    return static_cast<Confidence>(std::max(0, m_confidence->checkedId()));
}

QSize TourPanel::sizeHint() const
{
    return {640, kBandLines * fontMetrics().lineSpacing()};
}

void TourPanel::setStep(const TourStep& step, int index, const QStringList& titles)
{
    m_step = step;
    m_index = index;
    m_count = static_cast<int>(titles.size());
    m_chosen = -1;
    m_given = -1;
    m_done = false;
    m_confidence->setExclusive(false); // none is chosen beforehand
    for (QAbstractButton* choice : m_confidence->buttons())
        choice->setChecked(false);
    m_confidence->setExclusive(true);
    m_exercise->setVisible(step.exercise || step.writing);
    m_exercise->setLines({});
    m_exercise->setWriting(step.writing, {});
    m_title->setText(tr("%1 of %2 · %3").arg(index + 1).arg(m_count).arg(step.title));
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
    fillAnswers();
    // Room that an explanation will take is kept for it.
    m_asked->setVisible(step.exercise || step.writing || !step.question.isEmpty());
    m_explained->setVisible((!step.explanation.isEmpty() && !m_exam) || !step.answers.isEmpty());
    m_back->setEnabled(index > 0);
    m_next->setText(index + 1 < m_count ? tr("Next") + u" ▸"_s : m_exam ? tr("Hand in …") : tr("Finish"));
    showAnswer();
}

void TourPanel::fillAnswers()
{
    emptyRow(m_answers);
    m_answerButtons.clear();
    for (int i = 0; i < m_step.answers.size(); ++i) {
        WrappingButton* button = addButton(m_answers, m_step.answers.at(i));
        button->keepRoomFor(kRight + m_step.answers.at(i));
        button->setCheckable(true);
        connect(button, &QPushButton::clicked, this, [this, i] {
            if (m_given < 0 || m_exam)
                m_chosen = i;
            lock();
        });
        m_answerButtons << button;
    }
    m_answers->setVisible(!m_step.answers.isEmpty());
    m_sure->setVisible(!m_step.answers.isEmpty());
}

void TourPanel::setLines(const QList<ExerciseLine>& lines, bool done)
{
    m_exercise->setLines(lines);
    if (std::exchange(m_done, done) != done)
        showAnswer();
}

void TourPanel::setWritten(const QString& text)
{
    m_exercise->setWriting(true, text);
    m_done = !text.isEmpty();
    showAnswer();
}

void TourPanel::setAnswer(int index, Confidence confidence)
{
    m_given = m_chosen = index;
    if (index >= 0)
        m_confidence->button(static_cast<int>(confidence))->setChecked(true);
    showAnswer();
}

void TourPanel::answer(int index, Confidence confidence)
{
    if (m_given >= 0)
        return;
    m_chosen = index;
    m_confidence->button(static_cast<int>(confidence))->setChecked(true);
    lock();
}

void TourPanel::lock()
{
    const bool given = (m_given < 0 || m_exam) && m_chosen >= 0 && m_confidence->checkedId() >= 0;
    if (given)
        m_given = m_chosen;
    showAnswer();
    if (given)
        Q_EMIT answered(m_given, m_given == m_step.rightAnswer);
}

void TourPanel::showAnswer()
{
    const Theme theme = themeOf(palette());
    const bool done = m_given >= 0 || m_step.question.isEmpty();
    const bool explain = done && !m_exam && (m_done || (!m_step.exercise && !m_step.writing));
    QString explained = m_step.explanation;
    if (m_given >= 0 && m_given != m_step.rightAnswer)
        if (const QString why = m_step.why.value(m_given); !why.isEmpty())
            explained.prepend(why + u"\n\n"_s);
    m_explanation->setVisible(explain && !explained.isEmpty());
    m_explanation->setText(explained);
    m_actions->setEnabled(m_exam ? m_step.question.isEmpty() : done); // they would show the answer
    m_answers->setEnabled(!m_locked);
    m_sure->setEnabled(m_exam ? !m_locked : m_given < 0);
    m_next->setEnabled(done || m_exam); // think first, then see
    const bool revealed = m_given >= 0 && !m_exam;
    for (int i = 0; i < m_answerButtons.size(); ++i) {
        QPushButton* button = m_answerButtons.at(i);
        QString text = m_step.answers.at(i);
        QPalette own = palette();
        if (revealed && i == m_step.rightAnswer) {
            text = kRight + text;
            own.setColor(QPalette::ButtonText, theme.good);
        } else if (revealed && i == m_given) {
            text = u"✗ "_s + text;
            own.setColor(QPalette::ButtonText, theme.bad);
        }
        button->setText(text);
        button->setPalette(own);
        button->setChecked(i == m_chosen);
    }
}

void TourPanel::changeEvent(QEvent* event)
{
    Card::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showAnswer();
}

} // namespace headscope::widgets
