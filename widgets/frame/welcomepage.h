// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a start without arguments shows: two models at work, tours, models, sessions. GUI thread.

#include "widgets/frame/livedemo.h"
#include "widgets/prompt/promptbar.h"

class QListWidget;
class QPushButton;

namespace headscope::widgets {

class WelcomePage : public QWidget
{
    Q_OBJECT

public:
    explicit WelcomePage(QWidget* parent = nullptr);
    [[nodiscard]] LiveDemo* demo() const { return m_demo; }
    void setShippedModels(const QList<Choice>& models);
    void setRecentSessions(const QList<Choice>& sessions);
    /// An entry without an id cannot be opened; its detail says why.
    void setCachedModels(const QList<Choice>& models);
    void setTours(const QList<Choice>& tours);
    /// Nothing to compare (a broken install): the button says why it cannot be used.
    void setCompareProblem(const QString& problem);
    /// Whether a model is there that reads any words.
    void setOwnWordsOffered(bool offered);

Q_SIGNALS:
    void compareRequested();
    void ownWordsRequested();
    void modelChosen(const QString& id);
    void sessionChosen(const QString& id);
    void tourChosen(const QString& id);
    void openFolderRequested();
    void openSessionRequested();
    void getModelRequested();
    /// The page is seen, or no longer.
    void shownChanged(bool shown);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void fitFonts();
    QListWidget* addList(const QString& title, const QString& empty, QLayout* into);
    void fill(QListWidget* list, const QList<Choice>& choices);

    LiveDemo* m_demo;
    QPushButton* m_compare;
    QPushButton* m_ownWords;
    QListWidget* m_shipped = nullptr;
    QListWidget* m_sessions = nullptr;
    QListWidget* m_cached = nullptr;
    QListWidget* m_tours = nullptr;
};

} // namespace headscope::widgets
