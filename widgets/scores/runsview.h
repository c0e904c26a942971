// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The list of states scored so far, and the background jobs. GUI thread.

#include "widgets/scores/runsmodel.h"

#include <QHash>
#include <QWidget>

class QLabel;
class QModelIndex;
class QProgressBar;
class QToolButton;
class QTreeView;
class QVBoxLayout;

namespace headscope::widgets {

/// The state of one background job.
struct JobState {
    qint64 id = 0;
    QString name; ///< "Rank all heads of B"
    qint64 done = 0;
    qint64 total = 0;     ///< 0: unknown, the bar is indeterminate
    double perSecond = 0; ///< 0: unknown
    QString unit;         ///< "heads"
    bool paused = false;
    bool canPause = false;
};

/// One job: name, bar, rate, time left, pause and stop.
class JobStrip : public QWidget
{
    Q_OBJECT
public:
    explicit JobStrip(QWidget* parent = nullptr);
    void setJob(const JobState& job);
    [[nodiscard]] static QString rateText(const JobState& job);

Q_SIGNALS:
    void stopRequested(qint64 id);
    void pauseRequested(qint64 id, bool pause);

private:
    JobState m_job;
    QLabel* m_name;
    QProgressBar* m_bar;
    QLabel* m_rate;
    QToolButton* m_pause;
    QToolButton* m_stop;
};

class RunsView : public QWidget
{
    Q_OBJECT

public:
    explicit RunsView(QWidget* parent = nullptr);
    [[nodiscard]] RunsModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* list() const { return m_list; }
    [[nodiscard]] QToolButton* unfoldButton() const { return m_unfold; }
    /// Adds the job, or updates its bar.
    void setJob(const JobState& job);
    void removeJob(qint64 id);
    /// Starts editing the name of this run.
    void editName(qint64 id);
    [[nodiscard]] JobStrip* strip(qint64 id) const { return m_jobs.value(id); }
    QSize sizeHint() const override;

Q_SIGNALS:
    /// A double click on a line, or Enter: restore this state.
    void restoreRequested(qint64 id);
    void stopRequested(qint64 id);
    void pauseRequested(qint64 id, bool pause);
    /// The list must become visible: a name is about to be edited in it.
    void nameEditingStarted();
    /// Compare two ticked runs.
    void compareRequested(qint64 first, qint64 second);

private:
    void write(const QModelIndex& index);
    void openMenu(const QPoint& at);
    void updateCompare();
    void fold();

    RunsModel* m_model;
    QTreeView* m_list;
    QLabel* m_empty;
    QToolButton* m_compare;
    QToolButton* m_unfold; ///< shows runs scored as part of others
    QVBoxLayout* m_jobBox; ///< jobs appear and disappear, and the view reserves no room for them
    QHash<qint64, JobStrip*> m_jobs;
};

} // namespace headscope::widgets
