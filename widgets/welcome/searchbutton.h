// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Opens the finder; looks like the field that it opens. GUI thread.

#include <QAbstractButton>

namespace headscope::widgets {

class SearchButton : public QAbstractButton
{
    Q_OBJECT

public:
    /// `key`: "Ctrl+K", shown at the right.
    SearchButton(const QString& hint, const QString& key, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_key;
};

} // namespace headscope::widgets
