// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a start without arguments shows: two models at work, tours, models, sessions. GUI thread.

#include "widgets/prompt/promptbar.h"
#include "widgets/welcome/chip.h"
#include "widgets/welcome/livedemo.h"
#include "widgets/welcome/offercard.h"

class QMenu;
class QPushButton;
class QToolButton;

namespace headscope::widgets {

/// A model to open; without an id it cannot be, and its detail says why.
struct ModelOffer {
    Choice choice;
    ChipTint tint = ChipTint::None;
};

class WelcomePage : public QWidget
{
    Q_OBJECT

public:
    explicit WelcomePage(QWidget* parent = nullptr);
    [[nodiscard]] LiveDemo* demo() const { return m_demo; }
    /// Takes what opens all menus.
    void addMenu(QToolButton* menu);
    void setModels(const QList<ModelOffer>& models);
    /// The newest first.
    void setSessions(const QList<Offer>& sessions);
    void setTours(const QList<Offer>& tours);
    /// All tours and exercises, for a menu; the button says how many there are.
    void setLessons(const QString& title, QMenu* lessons);
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
    void allModelsRequested();
    void finderRequested();
    void settingsRequested();
    void experimentsRequested();
    void teachingRequested();
    /// The page is seen, or no longer.
    void shownChanged(bool shown);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* makeHeader();
    QWidget* makeLearn();
    QWidget* makeModels();
    QWidget* makeFooter();
    QLabel* makeHeading(const QString& words);
    QPushButton* makeLink(const QString& words, void (WelcomePage::*signal)());
    void fitFonts();
    /// As many tours as have room, and what a low window has no room for goes.
    void fitRoom();

    LiveDemo* m_demo;
    QPushButton* m_compare;
    QPushButton* m_ownWords;
    QPushButton* m_lessons = nullptr;
    QWidget* m_header = nullptr;
    QWidget* m_tours = nullptr;
    QWidget* m_models = nullptr;
    QWidget* m_footer = nullptr;
    QWidget* m_goOn = nullptr; ///< sessions, with their heading
    QWidget* m_sessions = nullptr;
    QList<QLabel*> m_headings;
};

} // namespace headscope::widgets
