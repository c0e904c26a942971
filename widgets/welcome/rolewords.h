// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shows a prompt with keys, values and the query in boxes of their colours. GUI thread.

#include "core/base/role.h"

#include <QList>
#include <QWidget>

#include <optional>
#include <utility>

namespace headscope::widgets {

class RoleWords : public QWidget
{
    Q_OBJECT

public:
    using Pieces = QList<std::pair<QString, std::optional<Role>>>;

    explicit RoleWords(QWidget* parent = nullptr);
    /// Sets the parts in reading order; those without a role wrap between words, those with one do not.
    void setPieces(const Pieces& pieces);
    [[nodiscard]] QString text() const;
    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Placed {
        QRectF box;
        QString words;
        std::optional<Role> role;
    };
    [[nodiscard]] QList<Placed> place(int width) const;
    [[nodiscard]] double lineHeight() const;

    Pieces m_pieces;
};

} // namespace headscope::widgets
