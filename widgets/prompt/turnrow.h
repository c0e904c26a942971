// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One turn of a conversation: its role, its text and the button that removes it. GUI thread.

#include <QStringList>
#include <QWidget>

class QComboBox;
class QToolButton;

namespace headscope::widgets {

class PlainEdit;

struct ChatTurn {
    QString role;
    QString text;
    bool operator==(const ChatTurn&) const = default;
};

class TurnRow : public QWidget
{
    Q_OBJECT

public:
    explicit TurnRow(QWidget* parent);

    /// Sets the available roles; the current role is kept even if it is not among them.
    void setRoles(const QStringList& roles);
    /// Does not emit. An unchanged text keeps its cursor.
    void setTurn(const ChatTurn& turn);
    [[nodiscard]] ChatTurn turn() const;
    /// Sets its position in the conversation, from one, for screen readers.
    void setNumber(int number);
    void setEditable(bool on, bool removable);
    void edit();

Q_SIGNALS:
    void edited(bool typed); ///< `typed`: text was typed; otherwise the role changed
    void removeRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setRole(const QString& role);
    void fitHeight();

    QComboBox* m_role;
    PlainEdit* m_text;
    QToolButton* m_remove;
};

} // namespace headscope::widgets
