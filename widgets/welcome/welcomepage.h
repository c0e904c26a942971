// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page shown at a start without arguments: two models at work, tours, models, sessions. GUI thread.

#include "widgets/prompt/promptbar.h"
#include "widgets/welcome/chip.h"
#include "widgets/welcome/livedemo.h"
#include "widgets/welcome/offercard.h"

class QMenu;
class QPushButton;
class QToolButton;

namespace headscope::widgets {

/// A model to open; without an id it cannot be opened, and its detail gives the reason.
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
    /// Adds the button of the main menu.
    void addMenu(QToolButton* menu);
    void setModels(const QList<ModelOffer>& models);
    /// Sets the sessions, newest first.
    void setSessions(const QList<Offer>& sessions);
    void setTours(const QList<Offer>& tours);
    /// Sets a menu of all tours and exercises; the button shows their number.
    void setLessons(const QString& title, QMenu* lessons);
    /// Disables the comparison (a broken install): the button gives the reason.
    void setCompareProblem(const QString& problem);
    /// Sets whether there is a model that accepts any text.
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
    /// The page was shown or hidden.
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
    /// Shows as many tours as fit, and hides parts that do not fit into a low window.
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
