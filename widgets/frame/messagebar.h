// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One sentence inline instead of a dialog: what happened and the next step. GUI thread.

#include <QFrame>

class QLabel;
class QPushButton;
class QToolButton;

namespace headscope::widgets {

class MessageBar : public QFrame
{
    Q_OBJECT

public:
    enum class Kind { Info, Warning, Error };
    explicit MessageBar(QWidget* parent = nullptr);

    /// Shows the sentence until it is closed or replaced. `action` names the next step; empty: no button.
    void showMessage(Kind kind, const QString& text, const QString& action = {}, const QString& actionId = {});
    void clear();
    [[nodiscard]] QString text() const;
    [[nodiscard]] Kind kind() const { return m_kind; }

Q_SIGNALS:
    void actionTriggered(const QString& actionId);
    void closed();

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void restyle();

    Kind m_kind = Kind::Info;
    QString m_actionId;
    QLabel* m_icon;
    QLabel* m_text;
    QPushButton* m_action;
    QToolButton* m_close;
};

} // namespace headscope::widgets
