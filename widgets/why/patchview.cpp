// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/patchview.h"

#include "widgets/look/plainlabel.h"
#include "widgets/why/patchdelegate.h"

#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

namespace headscope::widgets {

namespace {

constexpr int kFewHeads = 16;

} // namespace

PatchView::PatchView(QWidget* parent)
    : QWidget(parent), m_model(new PatchModel(this)), m_table(new QTableView(this)), m_title(new PlainLabel(this)),
      m_sentence(new PlainLabel(this))
{
    m_sentence->setWordWrap(true);
    m_sentence->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_sentence->setFixedHeight(3 * m_sentence->fontMetrics().lineSpacing()); // the map does not jump with what is said
    m_table->setModel(m_model);
    m_table->setItemDelegate(new PatchDelegate(m_table));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setAccessibleName(tr("Patching: layers and heads or tokens"));
    m_table->setWhatsThis(tr("Each cell is a run of one prompt with this part of the other prompt's run put in. 0: the "
                             "answer is as without it; 1: as in the other run. Hatched: it goes the other way."));
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(m_title);
    lines->addWidget(m_sentence);
    lines->addWidget(m_table, 1);
    connect(m_table, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        if (m_model->patches().heads)
            Q_EMIT headChosen(index.data(PatchModel::NameRole).toString());
    });
}

void PatchView::setTitle(const QString& title)
{
    m_title->setText(title);
}

void PatchView::setPatches(PatchData patches, const QString& sentence)
{
    m_sentence->setText(sentence);
    m_model->setPatches(std::move(patches));
    // Heads fill the page, tokens scroll.
    m_table->horizontalHeader()->setSectionResizeMode(m_model->patches().heads && m_model->columnCount() <= kFewHeads
                                                          ? QHeaderView::Stretch
                                                          : QHeaderView::ResizeToContents);
    m_table->resizeRowsToContents();
}

QString PatchView::sentence() const
{
    return m_sentence->text();
}

} // namespace headscope::widgets
