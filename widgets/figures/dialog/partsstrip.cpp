// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/dialog/partsstrip.h"

#include "widgets/look/icons.h"
#include "widgets/look/plaintext.h"

#include <QHBoxLayout>
#include <QListWidget>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <QToolButton>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPartId = Qt::UserRole;
constexpr int kPartTitle = Qt::UserRole + 1;
constexpr QSize kTile(132, 88);

/// The picture above its name.
class TileDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        return {kTile.width() + 12, kTile.height() + option.fontMetrics.height() + 16};
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->decorationPosition = QStyleOptionViewItem::Top;
        option->displayAlignment = Qt::AlignHCenter | Qt::AlignVCenter;
        option->textElideMode = Qt::ElideRight;
    }
};

} // namespace

PartsStrip::PartsStrip(QWidget* parent) : QWidget(parent), m_list(new QListWidget(this))
{
    m_list->setAccessibleName(tr("Parts of the figure, in their order"));
    m_list->setWhatsThis(tr("Drag a part to another place, or move it with Ctrl+Left and Ctrl+Right; Del removes it."));
    m_list->setFlow(QListView::LeftToRight);
    m_list->setIconSize(kTile);
    m_list->setItemDelegate(new TileDelegate(m_list));
    m_list->setDragDropMode(QAbstractItemView::InternalMove);
    m_list->setDefaultDropAction(Qt::MoveAction);
    m_list->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setFixedHeight(kTile.height() + m_list->fontMetrics().height() + 40);
    auto* column = new QVBoxLayout;
    const auto button = [&](QStringView sign, const QString& title, const QKeySequence& keys, const auto& act) {
        auto* made = new QToolButton;
        made->setText(title);
        made->setAccessibleName(title);
        made->setToolTip(plainText(u"%1 (%2)"_s.arg(title, keys.toString(QKeySequence::NativeText))));
        if (!sign.isEmpty())
            made->setIcon(icon(sign));
        made->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        made->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        connect(made, &QToolButton::clicked, this, act);
        connect(new QShortcut(keys, m_list, nullptr, nullptr, Qt::WidgetShortcut), &QShortcut::activated, this, act);
        column->addWidget(made);
        return made;
    };
    m_left = button(u"chevron-left", tr("Move left"), QKeySequence(u"Ctrl+Left"_s), [this] { moveBy(-1); });
    m_right = button(u"chevron-right", tr("Move right"), QKeySequence(u"Ctrl+Right"_s), [this] { moveBy(1); });
    m_remove = button({}, tr("Remove"), QKeySequence(QKeySequence::Delete), [this] { removeCurrent(); });
    column->addStretch(1);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins({});
    row->addWidget(m_list, 1);
    row->addLayout(column);
    connect(m_list, &QListWidget::currentRowChanged, this, &PartsStrip::enableButtons);
    connect(m_list->model(), &QAbstractItemModel::rowsMoved, this, [this] { // by a drag
        letter();
        Q_EMIT arranged();
    });
    enableButtons();
}

QStringList PartsStrip::ids() const
{
    QStringList ids;
    for (int i = 0; i < m_list->count(); ++i)
        ids << m_list->item(i)->data(kPartId).toString();
    return ids;
}

void PartsStrip::add(const QString& id, const QString& title, const QPixmap& preview)
{
    if (m_list->count() == kMost)
        return;
    auto* item = new QListWidgetItem(QIcon(preview), {}, m_list);
    item->setFlags(item->flags() & ~Qt::ItemIsDropEnabled); // others are dropped before or behind it
    item->setData(kPartId, id);
    item->setData(kPartTitle, title);
    item->setToolTip(plainText(title));
    letter();
}

void PartsStrip::remove(const QString& id)
{
    delete m_list->takeItem(static_cast<int>(ids().indexOf(id)));
    letter();
}

void PartsStrip::removeCurrent()
{
    if (!m_list->currentItem())
        return;
    delete m_list->takeItem(m_list->currentRow());
    letter();
    Q_EMIT arranged();
}

void PartsStrip::setPreview(const QString& id, const QPixmap& preview)
{
    if (QListWidgetItem* item = m_list->item(static_cast<int>(ids().indexOf(id))))
        item->setIcon(QIcon(preview));
}

void PartsStrip::moveBy(int places)
{
    const int from = m_list->currentRow(), to = from + places;
    if (from < 0 || to < 0 || to >= m_list->count())
        return;
    m_list->insertItem(to, m_list->takeItem(from));
    m_list->setCurrentRow(to);
    letter();
    Q_EMIT arranged();
}

void PartsStrip::letter()
{
    for (int i = 0; i < m_list->count(); ++i) {
        QListWidgetItem* item = m_list->item(i);
        const QString words = u"%1  %2"_s.arg(QChar(u'a' + i)).arg(item->data(kPartTitle).toString());
        item->setText(words);
        item->setData(Qt::AccessibleTextRole, words);
    }
    enableButtons();
}

void PartsStrip::enableButtons()
{
    const int row = m_list->currentRow();
    m_left->setEnabled(row > 0);
    m_right->setEnabled(row >= 0 && row + 1 < m_list->count());
    m_remove->setEnabled(row >= 0);
}

} // namespace headscope::widgets
