// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/prompt/turnrow.h"

#include "widgets/look/boxes/plainedit.h"
#include "widgets/look/fixedfont.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kTurnLines = 3; // a longer turn scrolls

} // namespace

TurnRow::TurnRow(QWidget* parent)
    : QWidget(parent), m_role(new QComboBox(this)), m_text(new PlainEdit(this)), m_remove(new QToolButton(this))
{
    m_text->setFont(fixedFont()); // the family alone: the size is the window's
    m_text->setTabChangesFocus(true);
    m_text->setUndoRedoEnabled(false); // the window undoes, roles and turns included
    m_text->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_text->document()->setDocumentMargin(2);
    m_text->installEventFilter(this);
    m_remove->setText(u"✕"_s);
    m_remove->setAutoRaise(true);
    m_remove->setToolTip(tr("Remove this turn"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_role, 0, Qt::AlignTop);
    layout->addWidget(m_text, 1, Qt::AlignTop);
    layout->addWidget(m_remove, 0, Qt::AlignTop);
    connect(m_role, &QComboBox::activated, this, [this] { Q_EMIT edited(false); });
    connect(m_text, &QPlainTextEdit::textChanged, this, [this] {
        fitHeight();
        Q_EMIT edited(true);
    });
    connect(m_remove, &QToolButton::clicked, this, &TurnRow::removeRequested);
    fitHeight();
}

void TurnRow::setRoles(const QStringList& roles)
{
    const QString now = m_role->currentText();
    m_role->clear();
    m_role->addItems(roles);
    setRole(now.isEmpty() ? roles.value(0) : now);
}

void TurnRow::setTurn(const ChatTurn& turn)
{
    setRole(turn.role);
    if (m_text->toPlainText() == turn.text)
        return;
    const QSignalBlocker quiet(m_text);
    m_text->setPlainText(turn.text);
    m_text->moveCursor(QTextCursor::End);
    fitHeight();
}

ChatTurn TurnRow::turn() const
{
    return {m_role->currentText(), m_text->toPlainText()};
}

void TurnRow::setNumber(int number)
{
    m_role->setAccessibleName(tr("Role of turn %1").arg(number));
    m_text->setAccessibleName(tr("Text of turn %1").arg(number));
    m_remove->setAccessibleName(tr("Remove turn %1").arg(number));
}

void TurnRow::setEditable(bool on, bool removable)
{
    m_role->setEnabled(on);
    m_text->setReadOnly(!on);
    m_remove->setEnabled(on && removable);
}

void TurnRow::edit()
{
    m_text->setFocus();
}

void TurnRow::setRole(const QString& role)
{
    if (m_role->findText(role) < 0)
        m_role->addItem(role);
    m_role->setCurrentText(role);
}

bool TurnRow::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::FontChange)
        QMetaObject::invokeMethod(this, &TurnRow::fitHeight, Qt::QueuedConnection); // lines are broken anew after it
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore(); // they are the window's
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void TurnRow::fitHeight()
{
    const int lines = std::clamp(static_cast<int>(m_text->document()->size().height()), 1, kTurnLines);
    const int frame = static_cast<int>(2 * m_text->document()->documentMargin()) + 2 * m_text->frameWidth();
    m_text->setFixedHeight(std::max(lines * m_text->fontMetrics().lineSpacing() + frame, m_role->sizeHint().height()));
}

} // namespace headscope::widgets
