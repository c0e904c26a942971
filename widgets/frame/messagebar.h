// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One sentence in the bottom line instead of a dialog: what happened and the next step. GUI thread.

#include <QWidget>

#include <optional>

class QFrame;
class QLabel;
class QPushButton;
class QToolButton;

namespace headscope::widgets {

class ElidedLabel;

/// Always there and always one line high: what it says moves nothing. What does not fit the line is read in full above
/// it, over what is there, by a click or Enter.
class MessageBar : public QWidget
{
    Q_OBJECT

public:
    enum class Kind { Info, Warning, Error };
    explicit MessageBar(QWidget* parent = nullptr);

    /// Shows the sentence until it is closed or replaced. A message without a problem is shown before an error that
    /// nobody has closed, which is one click away and comes back when the news is closed. `action` names the next step;
    /// empty: no button.
    void showMessage(Kind kind, const QString& message, const QString& action = {}, const QString& actionId = {});
    void clear();
    [[nodiscard]] QString text() const;
    [[nodiscard]] Kind kind() const { return m_message.kind; }
    /// The whole sentence over the line; nothing where it fits.
    void showDetails();
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

Q_SIGNALS:
    void actionTriggered(const QString& actionId);
    void closed();

protected:
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
    std::optional<Message> m_unread; ///< an error that news precedes
    QLabel* m_icon;
    ElidedLabel* m_text;
    QPushButton* m_action;
    QToolButton* m_back;
    QToolButton* m_close;
    QFrame* m_details;
    QLabel* m_whole;
};

} // namespace headscope::widgets
