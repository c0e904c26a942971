// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One sentence in the bottom line instead of a dialog: what happened and the next step. GUI thread.

#include <QWidget>

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

    /// Shows the sentence until it is closed or replaced; news that is no problem does not take the place of an error
    /// that nobody has closed. `action` names the next step; empty: no button.
    void showMessage(Kind kind, const QString& message, const QString& action = {}, const QString& actionId = {});
    void clear();
    [[nodiscard]] QString text() const;
    [[nodiscard]] Kind kind() const { return m_kind; }
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
    void restyle();
    void dismiss();

    Kind m_kind = Kind::Info;
    QString m_actionId;
    QLabel* m_icon;
    ElidedLabel* m_text;
    QPushButton* m_action;
    QToolButton* m_close;
    QFrame* m_details;
    QLabel* m_whole;
};

} // namespace headscope::widgets
