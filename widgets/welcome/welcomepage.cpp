// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/welcomepage.h"

#include "widgets/look/boxes/flowlayout.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"
#include "widgets/welcome/searchbutton.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPageSide = 40;    // px beside everything
constexpr int kOfferWide = 236;  // of a tour at least
constexpr int kLowPage = 850;    // a lower page, with letters of the usual height, says less
constexpr int kSketchPage = 780; // and a lower one has no room for sketches
constexpr int kUsualLetters = 16;
constexpr int kMostChips = 14; // the others are in the list of all models
constexpr int kMostSessions = 2;
constexpr int kLogo = 26;

void empty(QWidget* parent)
{
    qDeleteAll(parent->findChildren<QAbstractButton*>(Qt::FindDirectChildrenOnly));
}

/// A map of heads, one of which is bright.
QPixmap logo(double scale)
{
    QPixmap picture(QSize(kLogo, kLogo) * scale);
    picture.setDevicePixelRatio(scale);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0x25, 0x63, 0xeb));
    painter.drawRoundedRect(QRectF(0, 0, kLogo, kLogo), 6, 6);
    constexpr double kCell = (kLogo - 8.0) / 3;
    for (int i = 0; i < 9; ++i) {
        painter.setBrush(i == 5 ? QColor(0xfd, 0xe7, 0x25) : QColor(0xbf, 0xd3, 0xfe));
        painter.drawRoundedRect(QRectF(4 + i % 3 * kCell + 0.8, 4 + i / 3 * kCell + 0.8, kCell - 1.6, kCell - 1.6), 1.2,
                                1.2);
    }
    return picture;
}

QWidget* lineOf(QWidget* parent, int spacing)
{
    auto* row = new QWidget(parent);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing);
    return row;
}

} // namespace

WelcomePage::WelcomePage(QWidget* parent)
    : QWidget(parent), m_demo(new LiveDemo(this)), m_compare(new QPushButton(this)), m_ownWords(new QPushButton(this))
{
    setAccessibleName(tr("Welcome"));
    m_compare->setText(tr("Explore these two"));
    m_compare->setDefault(true);
    m_ownWords->setText(tr("Type your own dictionary"));
    m_ownWords->setToolTip(tr("Opens a small model that reads any word, with an example to edit"));
    m_ownWords->hide();
    m_demo->buttons()->addWidget(m_compare);
    m_demo->buttons()->addWidget(m_ownWords);
    m_demo->buttons()->addStretch();
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(kPageSide, 14, kPageSide, 6);
    column->setSpacing(12);
    column->addWidget(m_demo, 1);
    column->addWidget(makeLearn());
    column->addWidget(makeModels());
    m_footer = makeFooter();
    column->addWidget(m_footer);
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(page);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->viewport()->setAutoFillBackground(false); // the window's ground
    page->setAutoFillBackground(false);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(0);
    whole->addWidget(makeHeader());
    whole->addWidget(scroll, 1);
    fitFonts();
    connect(m_compare, &QPushButton::clicked, this, &WelcomePage::compareRequested);
    connect(m_ownWords, &QPushButton::clicked, this, &WelcomePage::ownWordsRequested);
}

QWidget* WelcomePage::makeHeader()
{
    m_header = lineOf(this, 10);
    m_header->layout()->setContentsMargins(12, 8, 16, 8);
    makePage(m_header);
    auto* mark = new PlainLabel(m_header);
    mark->setPixmap(logo(devicePixelRatioF()));
    auto* name = makeHeading(u"Headscope"_s);
    auto* find = new SearchButton(tr("Find a model, a tour, a head …"),
                                  QKeySequence(u"Ctrl+K"_s).toString(QKeySequence::NativeText), m_header);
    connect(find, &QAbstractButton::clicked, this, &WelcomePage::finderRequested);
    auto* open = new QPushButton(tr("Open …"), m_header);
    auto* menu = new QMenu(open);
    menu->addAction(tr("Model &folder …"), this, &WelcomePage::openFolderRequested);
    menu->addAction(tr("&Get a model …"), this, &WelcomePage::getModelRequested);
    menu->addAction(tr("&All models …"), this, &WelcomePage::allModelsRequested);
    menu->addSeparator();
    menu->addAction(tr("&Session …"), this, &WelcomePage::openSessionRequested);
    open->setMenu(menu);
    open->setToolTip(tr("A folder or a session can be dropped here, too"));
    auto* row = static_cast<QHBoxLayout*>(m_header->layout());
    row->addWidget(mark);
    row->addWidget(name);
    row->addStretch(1);
    row->addWidget(find, 2);
    row->addStretch(1);
    row->addWidget(open);
    row->addWidget(makeLink(tr("Settings"), &WelcomePage::settingsRequested));
    return m_header;
}

void WelcomePage::addMenu(QToolButton* menu)
{
    static_cast<QHBoxLayout*>(m_header->layout())->insertWidget(0, menu);
}

QLabel* WelcomePage::makeHeading(const QString& words)
{
    auto* heading = new PlainLabel(words, this);
    m_headings.append(heading);
    return heading;
}

QPushButton* WelcomePage::makeLink(const QString& words, void (WelcomePage::*signal)())
{
    auto* link = new QPushButton(words, this);
    link->setFlat(true);
    if (signal)
        connect(link, &QPushButton::clicked, this, signal);
    return link;
}

QWidget* WelcomePage::makeLearn()
{
    auto* learn = new QWidget(this);
    auto* line = lineOf(learn, 10);
    auto* about = new PlainLabel(tr("you predict, then you see"), line);
    setMuted(about);
    m_lessons = makeLink({}, nullptr);
    auto* heading = static_cast<QHBoxLayout*>(line->layout());
    heading->addWidget(makeHeading(tr("Learn")));
    heading->addWidget(about);
    heading->addStretch();
    heading->addWidget(makeLink(tr("The paper, experiment by experiment"), &WelcomePage::experimentsRequested));
    heading->addWidget(m_lessons);
    m_tours = lineOf(learn, 12);
    auto* column = new QVBoxLayout(learn);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(line);
    column->addWidget(m_tours);
    return learn;
}

QWidget* WelcomePage::makeModels()
{
    auto* both = lineOf(this, 24);
    auto* models = new QWidget(both);
    m_models = new QWidget(models);
    auto* chips = new FlowLayout(m_models);
    chips->setContentsMargins(0, 0, 0, 0);
    chips->setSpacing(8);
    auto* left = new QVBoxLayout(models);
    left->setContentsMargins(0, 0, 0, 0);
    left->setSpacing(6);
    left->addWidget(makeHeading(tr("Models on this computer")));
    left->addWidget(m_models);
    left->addStretch();
    m_goOn = new QWidget(both);
    m_sessions = lineOf(m_goOn, 12);
    auto* right = new QVBoxLayout(m_goOn);
    right->setContentsMargins(0, 0, 0, 0);
    right->setSpacing(6);
    right->addWidget(makeHeading(tr("Continue")));
    right->addWidget(m_sessions);
    right->addStretch();
    m_goOn->hide();
    auto* row = static_cast<QHBoxLayout*>(both->layout());
    row->addWidget(models, 3);
    row->addWidget(m_goOn, 2);
    return both;
}

QWidget* WelcomePage::makeFooter()
{
    auto* footer = lineOf(this, 10);
    auto* local = new PlainLabel(tr("Nothing is sent anywhere: models and sessions stay on this computer."), footer);
    setMuted(local);
    auto* row = static_cast<QHBoxLayout*>(footer->layout());
    row->addWidget(local);
    row->addStretch();
    row->addWidget(makeLink(tr("Teaching? Lecture, exercises, hand-ins"), &WelcomePage::teachingRequested));
    return footer;
}

void WelcomePage::setModels(const QList<ModelOffer>& models)
{
    empty(m_models);
    const auto add = [this](const QString& name, ChipTint tint) {
        auto* chip = new Chip(name, tint, m_models);
        m_models->layout()->addWidget(chip);
        return chip;
    };
    for (qsizetype i = 0; i < std::min<qsizetype>(models.size(), kMostChips); ++i) {
        const Choice& choice = models.at(i).choice;
        Chip* chip = add(choice.name, models.at(i).tint);
        chip->setToolTip(plainText(choice.detail));
        chip->setAccessibleDescription(choice.detail);
        chip->setEnabled(!choice.id.isEmpty());
        connect(chip, &Chip::clicked, this, [this, id = choice.id] { Q_EMIT modelChosen(id); });
    }
    if (models.size() > kMostChips)
        connect(add(tr("%1 more …").arg(models.size() - kMostChips), ChipTint::None), &Chip::clicked, this,
                &WelcomePage::allModelsRequested);
    Chip* other = add(tr("+ a folder or GGUF file"), ChipTint::None);
    connect(other, &Chip::clicked, this, &WelcomePage::openFolderRequested);
    Chip* hub = add(tr("+ a Hugging Face name"), ChipTint::None);
    connect(hub, &Chip::clicked, this, &WelcomePage::getModelRequested);
}

void WelcomePage::setSessions(const QList<Offer>& sessions)
{
    empty(m_sessions);
    for (qsizetype i = 0; i < std::min<qsizetype>(sessions.size(), kMostSessions); ++i) {
        auto* card = new OfferCard(sessions.at(i), m_sessions);
        m_sessions->layout()->addWidget(card);
        connect(card, &OfferCard::clicked, this, [this, card] { Q_EMIT sessionChosen(card->offer().id); });
    }
    m_goOn->setVisible(!sessions.isEmpty()); // nothing empty is shown
}

void WelcomePage::setTours(const QList<Offer>& tours)
{
    empty(m_tours);
    for (const Offer& tour : tours) {
        auto* card = new OfferCard(tour, m_tours);
        m_tours->layout()->addWidget(card);
        connect(card, &OfferCard::clicked, this, [this, card] { Q_EMIT tourChosen(card->offer().id); });
    }
    fitRoom();
}

void WelcomePage::setLessons(const QString& title, QMenu* lessons)
{
    m_lessons->setText(title);
    m_lessons->setMenu(lessons);
}

void WelcomePage::setCompareProblem(const QString& problem)
{
    m_compare->setEnabled(problem.isEmpty());
    m_compare->setToolTip(plainText(problem));
}

void WelcomePage::setOwnWordsOffered(bool offered)
{
    m_ownWords->setVisible(offered);
}

void WelcomePage::fitRoom()
{
    const auto isLower = [this](int than) { return height() < than * fontMetrics().height() / kUsualLetters; };
    const bool low = isLower(kLowPage);
    m_demo->setRoom(width() - 2 * kPageSide, low);
    m_footer->setVisible(!low);
    const int most = std::max(1, (width() - 2 * kPageSide + 12) / (kOfferWide + 12));
    int place = 0;
    for (auto* card : m_tours->findChildren<OfferCard*>(Qt::FindDirectChildrenOnly)) {
        card->setPictureShown(!isLower(kSketchPage));
        card->setVisible(place++ < most);
    }
}

// Higher than the rest, however large the letters are made.
void WelcomePage::fitFonts()
{
    QFont bold = QApplication::font();
    bold.setBold(true);
    m_compare->setFont(bold);
    m_compare->setMinimumHeight(m_compare->fontMetrics().height() * 9 / 4);
    m_compare->setMinimumWidth(m_compare->fontMetrics().horizontalAdvance(m_compare->text()) + 60);
    m_ownWords->setMinimumHeight(m_compare->minimumHeight());
    bold.setPointSizeF(bold.pointSizeF() * 1.15);
    for (QLabel* heading : std::as_const(m_headings))
        heading->setFont(bold);
}

void WelcomePage::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitFonts();
}

void WelcomePage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitRoom();
}

void WelcomePage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT shownChanged(true);
}

void WelcomePage::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    Q_EMIT shownChanged(false);
}

} // namespace headscope::widgets
