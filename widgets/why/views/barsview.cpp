// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/views/barsview.h"

#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

enum BarColumn { Name, Bar, Count };

class BarDelegate : public QStyledItemDelegate
{
public:
    explicit BarDelegate(BarsView* view) : QStyledItemDelegate(view), m_view(*view) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Theme theme = themeOf(option.palette);
        const std::vector<PartRow>& all = m_view.bars();
        const PartRow& part = all[static_cast<std::size_t>(index.row())];
        const bool sum = index.row() + 1 == static_cast<int>(all.size());
        const double scale = std::max({std::abs(all.front().value), std::abs(m_view.sum()), 1e-9});
        painter->save();
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, theme.raised);
        // The number has its own place at the right, so that no bar lies under it.
        const int number = option.fontMetrics.horizontalAdvance(QStringLiteral("−000.00")) + 8;
        const QRectF room = QRectF(option.rect).adjusted(4, 3, -number, -3);
        const double middle = room.center().x(), length = std::abs(part.value) / scale * room.width() / 2;
        painter->fillRect(QRectF(part.value < 0 ? middle - length : middle, room.top(), length, room.height()),
                          sum              ? theme.muted
                          : part.value < 0 ? theme.bad
                                           : theme.good);
        if (part.hasInterval()) {
            const auto place = [&](double x) { return middle + std::clamp(x / scale, -1.0, 1.0) * room.width() / 2; };
            painter->setPen(QPen(theme.text, 1.4));
            painter->drawLine(QPointF(place(part.low), room.center().y()),
                              QPointF(place(part.high), room.center().y()));
        }
        painter->setPen(theme.faint);
        painter->drawLine(QPointF(middle, option.rect.top()), QPointF(middle, option.rect.bottom()));
        QFont font = option.font;
        font.setBold(sum);
        painter->setFont(font);
        painter->setPen(theme.text);
        painter->drawText(option.rect.adjusted(0, 0, -4, 0), Qt::AlignRight | Qt::AlignVCenter,
                          index.data(Qt::DisplayRole).toString());
        painter->restore();
    }

private:
    const BarsView& m_view;
};

} // namespace

class BarsModel : public QAbstractTableModel
{
public:
    BarsModel(const QString& adds, QObject* parent) : QAbstractTableModel(parent), m_adds(adds) {}

    void setBars(std::vector<PartRow> parts)
    {
        beginResetModel();
        m_parts = std::move(parts);
        endResetModel();
    }
    [[nodiscard]] const std::vector<PartRow>& bars() const { return m_parts; }
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_parts.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(Count);
    }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString m_adds;
    std::vector<PartRow> m_parts;
};

QVariant BarsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const PartRow& part = m_parts[static_cast<std::size_t>(index.row())];
    const auto words = [&part] {
        return part.hasInterval()
                   ? BarsView::tr("%1: %2 (95 % interval %3 to %4)")
                         .arg(part.name, signedText(part.value), signedText(part.low), signedText(part.high))
                   : QStringLiteral("%1: %2").arg(part.name, signedText(part.value));
    };
    switch (role) {
    case Qt::DisplayRole: return index.column() == Name ? part.name : signedText(part.value);
    case Qt::EditRole: return index.column() == Name ? QVariant(part.name) : QVariant(part.value);
    case Qt::ToolTipRole: return plainText(words());
    case Qt::AccessibleTextRole: return words();
    default: return {};
    }
}

QVariant BarsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Name ? BarsView::tr("part") : m_adds;
}

BarsView::BarsView(const QString& name, const QString& adds, QWidget* parent)
    : QTableView(parent), m_model(new BarsModel(adds, this))
{
    setModel(m_model);
    setItemDelegateForColumn(Bar, new BarDelegate(this));
    setSelectionMode(QAbstractItemView::SingleSelection);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setTabKeyNavigation(false);
    setShowGrid(false);
    setWordWrap(false);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    horizontalHeader()->setStretchLastSection(true);
    setAccessibleName(name);
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& row) {
        const bool head = row.isValid() && bars()[static_cast<std::size_t>(row.row())].head;
        Q_EMIT headSelected(head ? row.siblingAtColumn(Name).data().toString() : QString());
    });
    connect(this, &QTableView::activated, this,
            [this](const QModelIndex& index) { Q_EMIT partChosen(index.siblingAtColumn(Name).data().toString()); });
}

const std::vector<PartRow>& BarsView::bars() const
{
    return m_model->bars();
}

void BarsView::setBars(std::vector<PartRow> parts)
{
    double sum = 0;
    for (const PartRow& part : parts)
        sum += part.value;
    std::ranges::stable_sort(parts, std::greater(), [](const PartRow& part) { return std::abs(part.value); });
    if (!parts.empty())
        parts.push_back({.name = tr("sum"), .value = sum});
    m_model->setBars(std::move(parts));
    resizeColumnToContents(Name);
    Q_EMIT barsChanged();
}

Numbers BarsView::numbers() const
{
    const bool spread = std::ranges::any_of(bars(), &PartRow::hasInterval);
    Numbers numbers{.columns = {m_model->headerData(Name, Qt::Horizontal, Qt::DisplayRole).toString(),
                                m_model->headerData(Bar, Qt::Horizontal, Qt::DisplayRole).toString()},
                    .rows = {},
                    .of = {}};
    if (spread)
        numbers.columns << tr("95 % low") << tr("95 % high");
    for (const PartRow& part : bars()) {
        numbers.rows.push_back({part.name, part.value});
        if (spread)
            numbers.rows.back() << part.low << part.high;
    }
    return numbers;
}

} // namespace headscope::widgets
