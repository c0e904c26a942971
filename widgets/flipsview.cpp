// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/flipsview.h"

#include "widgets/numbertext.h"
#include "widgets/patterndata.h"
#include "widgets/theme.h"

#include <QColor>
#include <QComboBox>
#include <QFont>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

FlipsModel::FlipsModel(QObject* parent) : QAbstractItemModel(parent) {}

void FlipsModel::setFlips(std::vector<Flip> flips)
{
    beginResetModel();
    m_flips = std::move(flips);
    endResetModel();
}

// The internal id is 0 for an example and its row + 1 for its choices.
QModelIndex FlipsModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr{0});
}

QModelIndex FlipsModel::parent(const QModelIndex& child) const
{
    if (!child.isValid() || child.internalId() == 0)
        return {};
    return createIndex(static_cast<int>(child.internalId()) - 1, 0, quintptr{0});
}

int FlipsModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_flips.size());
    if (parent.internalId() != 0 || parent.column() != 0)
        return 0;
    return static_cast<int>(m_flips[static_cast<std::size_t>(parent.row())].choices.size());
}

int FlipsModel::columnCount(const QModelIndex&) const
{
    return ColumnCount;
}

QVariant FlipsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const bool top = index.internalId() == 0;
    const Flip& flip = m_flips[top ? static_cast<std::size_t>(index.row()) : index.internalId() - 1];
    const Theme theme = themeOf(QGuiApplication::palette());
    if (role == BrokenRole)
        return flip.broken;
    if (role == IdRole)
        return flip.exampleId;
    if (top) {
        const auto chosen = [&](bool FlipChoice::*which) {
            const auto found = std::find_if(flip.choices.begin(), flip.choices.end(),
                                            [&](const FlipChoice& choice) { return choice.*which; });
            return found == flip.choices.end() ? tr("other") : tokenLabel(found->text); // an answer that is none of the choices
        };
        const QString lastLine = tokenQuoted(flip.prompt.simplified().right(160)).replace(QChar(0x2423), u' ');
        switch (role) {
        case Qt::DisplayRole:
            if (index.column() == Text)
                return u"%1  …%2"_s.arg(flip.label, lastLine);
            return index.column() == Before ? chosen(&FlipChoice::chosenBefore) : chosen(&FlipChoice::chosenAfter);
        case Qt::ToolTipRole: return flip.prompt;
        case Qt::ForegroundRole:
            return index.column() == After ? QVariant(flip.broken ? theme.bad : theme.good) : QVariant();
        case Qt::AccessibleTextRole: return flip.label + (flip.broken ? tr(", broken") : tr(", fixed"));
        default: return {};
        }
    }
    const FlipChoice& choice = flip.choices[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == Text)
            return (choice.gold ? u"✓ "_s : u"   "_s) + tokenLabel(choice.text);
        return numberText(index.column() == Before ? choice.before : choice.after, 2)
            + ((index.column() == Before ? choice.chosenBefore : choice.chosenAfter) ? u" ◂"_s : QString());
    case Qt::FontRole: {
        QFont font;
        font.setBold(index.column() == Before ? choice.chosenBefore : index.column() == After && choice.chosenAfter);
        return font;
    }
    case Qt::ForegroundRole: return choice.gold ? QVariant(theme.good) : QVariant();
    case GoldRole: return choice.gold;
    case ChosenRole: return index.column() == Before ? choice.chosenBefore : choice.chosenAfter;
    default: return {};
    }
}

QVariant FlipsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Text: return tr("example, choices");
    case Before: return tr("baseline");
    case After: return tr("now");
    default: return {};
    }
}

FlipsView::FlipsView(QWidget* parent)
    : QWidget(parent), m_model(new FlipsModel(this)), m_filtered(new QSortFilterProxyModel(this)),
      m_tree(new QTreeView(this)), m_title(new QLabel(this)), m_filter(new QComboBox(this))
{
    m_filtered->setSourceModel(m_model);
    m_filtered->setFilterRole(FlipsModel::BrokenRole);
    m_tree->setModel(m_filtered);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setUniformRowHeights(true);
    m_tree->setAlternatingRowColors(true);
    m_tree->setExpandsOnDoubleClick(false);
    m_tree->setTextElideMode(Qt::ElideMiddle);
    m_tree->setAccessibleName(tr("Flipped examples"));
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(FlipsModel::Text, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(FlipsModel::Before, QHeaderView::ResizeToContents);
    m_tree->header()->setSectionResizeMode(FlipsModel::After, QHeaderView::ResizeToContents);
    m_filter->setAccessibleName(tr("Which flips are listed"));
    m_filter->addItem(tr("all"), QString());
    m_filter->addItem(tr("broken"), u"true"_s);
    m_filter->addItem(tr("fixed"), u"false"_s);
    QFont bold = font();
    bold.setBold(true);
    m_title->setFont(bold);
    makePage(this);
    auto* top = new QHBoxLayout;
    top->addWidget(m_title, 1);
    top->addWidget(m_filter);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 4);
    layout->addLayout(top);
    layout->addWidget(m_tree, 1);
    connect(m_filter, &QComboBox::currentIndexChanged, this, &FlipsView::applyFilter);
    connect(m_tree, &QTreeView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT exampleActivated(index.data(FlipsModel::IdRole).toString());
    });
}

QSize FlipsView::sizeHint() const
{
    return {470, 240};
}

void FlipsView::setFlips(const QString& benchmark, std::vector<Flip> flips)
{
    const auto broken = std::count_if(flips.begin(), flips.end(), [](const Flip& flip) { return flip.broken; });
    m_title->setText(tr("%1: %2 broken, %3 fixed").arg(benchmark).arg(broken).arg(static_cast<long>(flips.size()) - broken));
    m_model->setFlips(std::move(flips));
}

void FlipsView::applyFilter()
{
    m_filtered->setFilterFixedString(m_filter->currentData().toString());
}

} // namespace headscope::widgets
