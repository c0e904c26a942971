// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A message in the bottom line instead of a dialog: what happened and the next step. GUI thread.

#include <QWidget>

#include <optional>

class QFrame;
class QLabel;
class QPushButton;
class QToolButton;

namespace headscope::widgets {

class ElidedLabel;

/// Always visible and one line high, so that messages move nothing. A message longer than the line is shown in full
/// above it, on top of the window, by a click or Enter.
class MessageBar : public QWidget
{
    Q_OBJECT

public:
    enum class Kind { Info, Warning, Error };
    explicit MessageBar(QWidget* parent = nullptr);

    /// Shows the message until it is closed or replaced. A message that is not an error is shown before an error that
    /// the user has not closed; that error is one click away and returns when the message is closed. `action` names the
    /// next step; empty: no button.
    void showMessage(Kind kind, const QString& message, const QString& action = {}, const QString& actionId = {});
    void clear();
    [[nodiscard]] QString text() const;
    [[nodiscard]] Kind kind() const { return m_message.kind; }
    /// Shows the whole message above the line; has no effect if it fits.
    void showDetails();
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

Q_SIGNALS:
    void actionTriggered(const QString& actionId);
    void closed();

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Message {
        Kind kind = Kind::Info;
        QString text, action, actionId;
    };
    void show(const Message& message);
    void restyle();
    void dismiss();

    Message m_message;
    std::optional<Message> m_unread; ///< an error hidden behind a newer message
    QLabel* m_icon;
    ElidedLabel* m_text;
    QPushButton* m_action;
    QToolButton* m_back;
    QToolButton* m_close;
    QFrame* m_details;
    QLabel* m_whole;
};

} // namespace headscope::widgets
