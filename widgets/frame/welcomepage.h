// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a start without arguments shows: models, sessions, tours, and one big button. GUI thread.

#include "widgets/prompt/promptbar.h"

class QListWidget;
class QPushButton;

namespace headscope::widgets {

class WelcomePage : public QWidget
{
    Q_OBJECT

public:
    explicit WelcomePage(QWidget* parent = nullptr);
    void setShippedModels(const QList<Choice>& models);
    void setRecentSessions(const QList<Choice>& sessions);
    /// An entry without an id can not be opened; its detail says why. `place`: where they were looked for.
    void setCachedModels(const QList<Choice>& models, const QString& place);
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

protected:
    void changeEvent(QEvent* event) override;

private:
    void fitFonts();
    QListWidget* addList(const QString& title, const QString& empty, int row, int column);
    void fill(QListWidget* list, const QList<Choice>& choices);

    QPushButton* m_compare;
    QPushButton* m_ownWords;
    QListWidget* m_shipped = nullptr;
    QListWidget* m_sessions = nullptr;
    QListWidget* m_cached = nullptr;
    QListWidget* m_tours = nullptr;
};

} // namespace headscope::widgets
