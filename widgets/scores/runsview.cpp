// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scores/runsview.h"

#include "widgets/look/boxes/tallarea.h"
#include "widgets/look/labels/elidedlabel.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QProgressBar>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kShareBar = 3, kBetweenScores = 8; // pixels

/// Washes the state that is on the screen. A state is two lines: its name with the time behind it, and its scores, each
/// over a bar.
class RunDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    static QFont scoresFont(const QFont& font)
    {
        QFont smaller = font;
        smaller.setPointSizeF(0.9 * font.pointSizeF());
        smaller.setBold(false);
        return smaller;
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyleOptionViewItem drawn = option;
        if (index.data(RunsModel::CurrentRole).toBool()) {
            QColor wash = option.palette.color(QPalette::Highlight);
            wash.setAlphaF(0.18F);
            painter->fillRect(option.rect, wash);
        }
        drawn.state &= ~QStyle::State_HasFocus;
        if (index.column() == RunsModel::Name)
            return paintState(painter, drawn, index);
        drawn.palette.setColor(QPalette::Text, themeOf(option.palette).muted);
        QStyledItemDelegate::paint(painter, drawn, index);
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const QSize size = QStyledItemDelegate::sizeHint(option, index);
        return {size.width() + 6, std::max(size.height(), 2 * option.fontMetrics.height() + 8 + kShareBar)};
    }

private:
    void paintState(QPainter* painter, QStyleOptionViewItem drawn, const QModelIndex& index) const
    {
        initStyleOption(&drawn, index);
        const QStyle* style = drawn.widget->style();
        QRect box = style->subElementRect(QStyle::SE_ItemViewItemText, &drawn, drawn.widget).adjusted(2, 3, -3, -3);
        const QString name = std::exchange(drawn.text, QString());
        style->drawControl(QStyle::CE_ItemViewItem, &drawn, painter, drawn.widget); // ground and tick
        const QString time = index.siblingAtColumn(RunsModel::Time).data().toString();
        const QList<RunScore>& scores = static_cast<const RunsModel*>(index.model())->run(index).scores;
        QFont plain = drawn.font;
        plain.setBold(false);
        const QFontMetrics bold(drawn.font);
        const QColor muted = themeOf(drawn.palette).muted;
        painter->save();
        painter->setFont(plain);
        painter->setPen(muted);
        // The name before the time, which is in the tooltip, too.
        const int beside = box.width() - QFontMetrics(plain).horizontalAdvance(time) - 8;
        const bool timed = bold.horizontalAdvance(name) <= beside;
        if (timed)
            painter->drawText(box, Qt::AlignTop | Qt::AlignRight, time);
        painter->setFont(scoresFont(plain));
        paintScores(painter, box, scores, themeOf(drawn.palette));
        painter->setFont(drawn.font);
        painter->setPen(drawn.palette.color(QPalette::Text));
        painter->drawText(box, (scores.isEmpty() ? Qt::AlignVCenter : Qt::AlignTop) | Qt::AlignLeft,
                          timed ? name : bold.elidedText(name, Qt::ElideRight, box.width()));
        painter->restore();
    }

    // As many as fit.
    static void paintScores(QPainter* painter, const QRect& box, const QList<RunScore>& scores, const Theme& theme)
    {
        const QFontMetrics metrics = painter->fontMetrics();
        int left = box.left();
        for (const RunScore& score : scores) {
            const int wide = metrics.horizontalAdvance(score.text);
            if (left + wide > box.right() + 1)
                return;
            painter->drawText(QRect(left, box.top(), wide + 1, box.height() - kShareBar),
                              Qt::AlignBottom | Qt::AlignLeft, score.text);
            if (score.share >= 0 && score.share <= 1) {
                const QRect track(left, box.bottom() + 1 - kShareBar, wide, kShareBar);
                painter->fillRect(track, theme.faint);
                painter->fillRect(QRect(track.topLeft(), QSize(qRound(score.share * wide), kShareBar)), theme.muted);
            }
            left += wide + kBetweenScores;
        }
    }
};

} // namespace

JobStrip::JobStrip(QWidget* parent)
    : QWidget(parent), m_name(new ElidedLabel(this)), m_bar(new QProgressBar(this)), m_rate(new ElidedLabel(this)),
      m_pause(new QToolButton(this)), m_stop(new QToolButton(this))
{
    m_bar->setTextVisible(false);
    m_bar->setFixedHeight(10);
    m_stop->setText(u"■"_s);
    m_stop->setToolTip(tr("Stop; finished work is kept"));
    m_stop->setAutoRaise(true);
    m_pause->setAutoRaise(true);
    auto* lower = new QHBoxLayout;
    lower->setSpacing(6);
    lower->addWidget(m_bar, 1);
    lower->addWidget(m_pause);
    lower->addWidget(m_stop);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(2, 2, 2, 0);
    layout->setSpacing(1);
    layout->addWidget(m_name);
    layout->addLayout(lower);
    layout->addWidget(m_rate);
    connect(m_stop, &QToolButton::clicked, this, [this] {
        m_stop->setEnabled(false);
        m_rate->setText(tr("stopping…"));
        Q_EMIT stopRequested(m_job.id);
    });
    connect(m_pause, &QToolButton::clicked, this, [this] { Q_EMIT pauseRequested(m_job.id, !m_job.paused); });
}

QString JobStrip::rateText(const JobState& job)
{
    if (job.paused)
        return tr("paused");
    QStringList parts;
    if (job.total > 0)
        parts << u"%1 %"_s.arg(100 * job.done / job.total);
    if (job.perSecond > 0) {
        if (job.total > 0)
            parts << durationText(static_cast<double>(job.total - job.done) / job.perSecond);
        const QString rate =
            job.perSecond < 1000 ? compactText(job.perSecond) : QLocale().toString(std::llround(job.perSecond));
        parts << tr("%1 %2/s").arg(rate, job.unit).simplified();
    }
    return parts.join(u" · "_s);
}

void JobStrip::setJob(const JobState& job)
{
    m_job = job;
    m_name->setText(job.name);
    m_bar->setRange(0, job.total > 0 ? 1000 : 0);
    if (job.total > 0)
        m_bar->setValue(static_cast<int>(1000 * job.done / job.total));
    m_bar->setAccessibleName(job.name);
    m_stop->setAccessibleName(tr("Stop %1").arg(job.name));
    m_pause->setAccessibleName(job.paused ? tr("Continue %1").arg(job.name) : tr("Pause %1").arg(job.name));
    m_pause->setText(job.paused ? u"▶"_s : u"❚❚"_s);
    m_pause->setToolTip(job.paused ? tr("Continue") : tr("Pause"));
    m_pause->setVisible(job.canPause);
    if (m_stop->isEnabled())
        m_rate->setText(rateText(job));
}

RunsView::RunsView(QWidget* parent)
    : QWidget(parent), m_model(new RunsModel(this)), m_list(new QTreeView(this)),
      m_empty(new PlainLabel(tr("Scored states are stored here. Double-click one to restore it."), this)),
      m_compare(new QToolButton(this)), m_unfold(new QToolButton(this)), m_jobBox(nullptr)
{
    m_list->setModel(m_model);
    m_list->setItemDelegate(new RunDelegate(m_list));
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setHeaderHidden(true);
    m_list->setDragDropMode(QAbstractItemView::InternalMove);
    m_list->setDragDropOverwriteMode(false);
    m_list->setEditTriggers(QAbstractItemView::EditKeyPressed);
    m_list->setAccessibleName(tr("Runs"));
    m_list->setTextElideMode(Qt::ElideRight);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setMinimumSectionSize(20);
    for (const int column : {RunsModel::Scores, RunsModel::Time}) // they stand in the line of the name
        m_list->header()->setSectionHidden(column, true);
    m_list->header()->setSectionResizeMode(RunsModel::Note, QHeaderView::ResizeToContents);
    m_list->header()->setSectionResizeMode(RunsModel::Name, QHeaderView::Stretch);
    m_list->setWhatsThis(
        tr("Double-click a state to restore it, tick two to compare them, drag to reorder, press F2 to "
           "rename it, and double-click the last column to write a note."));
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_compare->setText(tr("Compare the two ticked states"));
    m_compare->hide();
    m_unfold->setCheckable(true);
    m_unfold->setAutoRaise(true);
    m_unfold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_unfold->setArrowType(Qt::RightArrow);
    m_unfold->setToolTip(tr("States scored by a ranking or sweep; they can be restored and compared like the others."));

    QSizePolicy kept = m_unfold->sizePolicy(); // the list does not shrink when what a ranking scored arrives
    kept.setRetainSizeWhenHidden(true);
    kept.setHorizontalPolicy(QSizePolicy::Expanding); // its number changes, its place does not
    m_unfold->setSizePolicy(kept);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_empty);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_unfold);
    layout->addWidget(m_compare);
    // As high as the jobs are where there is room, and else with a scroll bar: the docks beside it do not move.
    auto* jobs = new QWidget;
    m_jobBox = new QVBoxLayout(jobs);
    m_jobBox->setContentsMargins({});
    auto* area = new TallArea(jobs);
    area->setAccessibleName(tr("Jobs"));
    area->setMinimumSize(1, 1);
    area->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
    layout->addWidget(area);

    const auto choose = [this](const QModelIndex& index) {
        if (index.column() == RunsModel::Note)
            write(index);
        else if (index.isValid())
            Q_EMIT restoreRequested(index.data(RunsModel::IdRole).toLongLong());
    };
    // Not by QTreeView::activated: where one click activates, a tick would restore.
    connect(m_list, &QTreeView::doubleClicked, this, choose);
    for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Enter})
        connect(new QShortcut(key, m_list, nullptr, nullptr, Qt::WidgetShortcut), &QShortcut::activated, this,
                [this, choose] { choose(m_list->currentIndex().siblingAtColumn(RunsModel::Name)); });
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_list, &QWidget::customContextMenuRequested, this, &RunsView::openMenu);
    connect(m_model, &RunsModel::tickedChanged, this, &RunsView::updateCompare);
    connect(m_model, &QAbstractItemModel::modelReset, this, &RunsView::updateCompare);
    connect(m_model, &QAbstractItemModel::modelReset, this, &RunsView::fold);
    connect(m_model, &QAbstractItemModel::dataChanged, this, &RunsView::fold);
    connect(m_model, &QAbstractItemModel::rowsMoved, this, &RunsView::fold);
    connect(m_unfold, &QToolButton::toggled, this, &RunsView::fold);
    connect(m_compare, &QToolButton::clicked, this, [this] {
        const QList<qint64> ids = m_model->ticked();
        if (ids.size() == 2)
            Q_EMIT compareRequested(ids.at(0), ids.at(1));
    });
    m_list->setMinimumHeight(2 * fontMetrics().height());
    m_list->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored); // jobs have the height they need, it the rest
    makePage(this);
    updateCompare();
    fold();
}

QSize RunsView::sizeHint() const
{
    return {290, 190};
}

void RunsView::editName(qint64 id)
{
    Q_EMIT nameEditingStarted();
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (const QModelIndex index = m_model->index(row, RunsModel::Name);
            index.data(RunsModel::IdRole).toLongLong() == id) {
            m_list->scrollTo(index);
            write(index);
        }
}

void RunsView::openMenu(const QPoint& at)
{
    const QModelIndex under = m_list->indexAt(at), index = under.isValid() ? under : m_list->currentIndex();
    if (!index.isValid())
        return;
    const QPersistentModelIndex name = index.siblingAtColumn(RunsModel::Name); // the list may change meanwhile
    const qint64 id = name.data(RunsModel::IdRole).toLongLong();
    QMenu menu(m_list);
    menu.addAction(tr("Restore this state"), QKeySequence(Qt::Key_Return), this,
                   [this, id] { Q_EMIT restoreRequested(id); });
    menu.addAction(tr("Rename"), QKeySequence(Qt::Key_F2), this, [this, name] { write(name); });
    menu.addAction(tr("Write a note"), this,
                   [this, name] { write(QModelIndex(name).siblingAtColumn(RunsModel::Note)); });
    menu.addSeparator();
    const bool ticked = name.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    menu.addAction(ticked ? tr("Exclude from comparison") : tr("Select for comparison"), this, [this, name, ticked] {
        m_model->setData(name, ticked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
    });
    menu.exec(m_list->viewport()->mapToGlobal(at));
}

// A list has one editor: what is written elsewhere in it is kept first, as it is when the current line changes.
void RunsView::write(const QModelIndex& index)
{
    if (!index.isValid())
        return;
    m_list->setCurrentIndex(index);
    if (QWidget* open = m_list->indexWidget(index))
        open->setFocus();
    else
        m_list->edit(index);
}

void RunsView::updateCompare()
{
    m_compare->setVisible(m_model->ticked().size() == 2);
    m_empty->setVisible(m_model->rowCount() == 0);
    m_list->setVisible(m_model->rowCount() > 0);
}

// Dozens of states that a ranking went through would bury the few that somebody made.
void RunsView::fold()
{
    constexpr auto kFew = 8;
    const std::vector<RunRow>& runs = m_model->runs();
    const auto onTheWay = std::count_if(runs.begin(), runs.end(), [](const RunRow& run) { return run.onTheWay; });
    const bool folded = onTheWay > kFew && !m_unfold->isChecked();
    for (std::size_t row = 0; row < runs.size(); ++row)
        m_list->setRowHidden(static_cast<int>(row), {},
                             folded && runs[row].onTheWay && !runs[row].current && !runs[row].ticked);
    m_unfold->setVisible(onTheWay > kFew);
    m_unfold->setText(tr("From rankings: %1").arg(onTheWay));
    m_unfold->setArrowType(folded ? Qt::RightArrow : Qt::DownArrow);
}

void RunsView::setJob(const JobState& job)
{
    JobStrip*& found = m_jobs[job.id];
    if (!found) {
        found = new JobStrip(this);
        m_jobBox->addWidget(found);
        connect(found, &JobStrip::stopRequested, this, &RunsView::stopRequested);
        connect(found, &JobStrip::pauseRequested, this, &RunsView::pauseRequested);
    }
    found->setJob(job);
}

void RunsView::removeJob(qint64 id)
{
    if (JobStrip* strip = m_jobs.take(id)) {
        m_jobBox->removeWidget(strip);
        strip->deleteLater();
    }
}

} // namespace headscope::widgets
