// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/prompt/conversationview.h"

#include "widgets/look/labels/elidedlabel.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

ConversationView::ConversationView(QWidget* parent)
    : QWidget(parent), m_scroll(new QScrollArea(this)), m_turns(nullptr), m_note(new ElidedLabel(this)),
      m_add(new QToolButton(this)),
      m_sampling(this, 64, tr("Tokens of an answer"), tr("Maximum number of tokens of an answer")),
      m_answer{new QToolButton(this), new QToolButton(this)}, m_stop(new QToolButton(this))
{
    setAccessibleName(tr("Conversation"));
    makeRows();
    makeButtons();
    refresh();
    restyle();
}

void ConversationView::makeRows()
{
    auto* rows = new QWidget;
    m_turns = new QVBoxLayout(rows);
    m_turns->setContentsMargins(0, 0, 4, 0);
    m_turns->setSpacing(3);
    m_turns->addStretch();
    m_scroll->setWidget(rows);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->viewport()->setAutoFillBackground(false);
    rows->setAutoFillBackground(false);
    m_note->hide();
}

void ConversationView::makeButtons()
{
    m_add->setText(tr("Add turn"));
    m_add->setToolTip(tr("Add a turn at the end of the conversation"));
    m_stop->setText(u"■ "_s + tr("Stop"));
    m_stop->setAccessibleName(tr("Stop the answer"));
    m_stop->setToolTip(tr("Stop; the text so far is kept"));
    auto* line = new QHBoxLayout;
    line->setSpacing(4);
    line->addWidget(m_add);
    line->addStretch();
    line->addWidget(m_sampling.tokens());
    line->addWidget(m_sampling.temperature());
    for (QToolButton* button : m_answer)
        line->addWidget(button);
    line->addWidget(m_stop);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(3);
    layout->addWidget(m_scroll, 1);
    layout->addWidget(m_note);
    layout->addLayout(line);
    connect(m_add, &QToolButton::clicked, this, &ConversationView::addTurn);
    connect(m_stop, &QToolButton::clicked, this, &ConversationView::stopRequested);
    for (const Side side : kSides) {
        QToolButton* button = m_answer[indexOf(side)];
        button->setToolTip(plainText(side == Side::A
                                         ? tr("Let model A write the assistant's next turn, or the rest of it")
                                         : tr("Let model B write the assistant's next turn, or the rest of it")));
        connect(button, &QToolButton::clicked, this, [this, side] { Q_EMIT answerRequested(side); });
    }
}

QSize ConversationView::minimumSizeHint() const
{
    return {200, 0};
}

void ConversationView::setRoles(const QStringList& roles)
{
    if (roles == m_roles)
        return;
    m_roles = roles;
    for (TurnRow* row : m_rows)
        row->setRoles(roles);
}

TurnRow* ConversationView::addRow()
{
    auto* row = new TurnRow(m_scroll->widget());
    row->setRoles(m_roles);
    m_turns->insertWidget(static_cast<int>(m_rows.size()), row);
    m_rows.push_back(row);
    connect(row, &TurnRow::edited, this, &ConversationView::edited);
    connect(row, &TurnRow::removeRequested, this, [this, row] { remove(row); });
    return row;
}

void ConversationView::remove(TurnRow* row)
{
    const auto found = std::ranges::find(m_rows, row);
    const auto next = m_rows.erase(found);
    if (!m_rows.empty()) // else the focus would leave the conversation
        (next == m_rows.end() ? m_rows.back() : *next)->edit();
    row->hide();
    row->deleteLater();
    refresh();
    Q_EMIT edited(false);
}

void ConversationView::addTurn()
{
    const bool answered = !m_rows.empty() && m_rows.back()->turn().role == u"user";
    TurnRow* row = addRow();
    row->setTurn({answered ? u"assistant"_s : u"user"_s, {}});
    refresh();
    row->edit();
    QTimer::singleShot(0, row, [this, row] { m_scroll->ensureWidgetVisible(row); }); // it has its place then
    Q_EMIT edited(false);
}

void ConversationView::setTurns(const std::vector<ChatTurn>& turns)
{
    const QSignalBlocker quiet(this);
    while (m_rows.size() > turns.size()) {
        m_rows.back()->hide();
        m_rows.back()->deleteLater();
        m_rows.pop_back();
    }
    const bool more = m_rows.size() < turns.size();
    while (m_rows.size() < turns.size())
        addRow();
    for (std::size_t i = 0; i < turns.size(); ++i)
        m_rows[i]->setTurn(turns[i]);
    refresh();
    if (more || m_answering)
        QTimer::singleShot(0, m_scroll, [this] { // the rows have their heights then
            m_scroll->verticalScrollBar()->setValue(m_scroll->verticalScrollBar()->maximum());
        });
}

std::vector<ChatTurn> ConversationView::turns() const
{
    std::vector<ChatTurn> turns;
    for (const TurnRow* row : m_rows)
        turns.push_back(row->turn());
    return turns;
}

void ConversationView::setModels(bool a, bool b)
{
    m_models = {a, b};
    refresh();
}

void ConversationView::setAnswering(bool on)
{
    m_answering = on;
    refresh();
}

void ConversationView::setNote(const QString& sentence, bool problem)
{
    m_problem = problem;
    m_note->setText(sentence);
    m_note->setVisible(!sentence.isEmpty());
    restyle();
}

QString ConversationView::note() const
{
    return m_note->text();
}

int ConversationView::tokens() const
{
    return m_sampling.tokens()->value();
}

double ConversationView::temperature() const
{
    return m_sampling.temperature()->value();
}

void ConversationView::refresh()
{
    const bool editable = !m_answering && (m_models[0] || m_models[1]); // else no template writes the text
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        m_rows[i]->setNumber(static_cast<int>(i) + 1);
        m_rows[i]->setEditable(editable, m_rows.size() > 1);
    }
    m_add->setEnabled(editable && m_rows.size() < kMostTurns);
    const bool two = m_models[0] && m_models[1];
    for (const Side side : kSides) {
        QToolButton* button = m_answer[indexOf(side)];
        button->setText(!two ? tr("Answer") : side == Side::A ? tr("Answer with A") : tr("Answer with B"));
        button->setVisible(m_models[indexOf(side)] && !m_answering);
    }
    m_stop->setVisible(m_answering);
    fitButtons();
}

void ConversationView::restyle()
{
    const Theme theme = themeOf(palette());
    setInk(m_note, m_problem ? theme.bad : theme.muted);
}

void ConversationView::fitButtons()
{
    constexpr int kGaps = 6 * 4;
    int taken = m_add->sizeHint().width() + kGaps;
    for (const QToolButton* button : {m_answer[0], m_answer[1], m_stop})
        taken += button->isHidden() ? 0 : button->sizeHint().width();
    for (QWidget* field : std::initializer_list<QWidget*>{m_sampling.tokens(), m_sampling.temperature()}) {
        taken += field->sizeHint().width();
        field->setVisible(width() >= taken);
    }
}

void ConversationView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitButtons();
}

void ConversationView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        restyle();
}

} // namespace headscope::widgets
