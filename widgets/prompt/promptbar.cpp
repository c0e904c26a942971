// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/prompt/promptbar.h"

#include "widgets/look/boxes/card.h"
#include "widgets/look/countedtext.h"
#include "widgets/look/fitting.h"
#include "widgets/look/fixedfont.h"
#include "widgets/look/icons.h"
#include "widgets/look/labels/elidedlabel.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"
#include "widgets/prompt/answersview.h"
#include "widgets/prompt/conversationview.h"
#include "widgets/prompt/promptedit.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QCompleter>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QStyleOptionComboBox>
#include <QTimer>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLowLines = 2;   // in a low window
constexpr int kLowWindow = 26; // lines
constexpr int kTalkLines = 9;  // of a conversation and its prompt

struct AllModels {
}; // data of the last entry of a box of models

void fill(QComboBox* box, const QList<Choice>& choices, const QString& current)
{
    const QSignalBlocker quiet(box);
    box->clear();
    for (const Choice& choice : choices) {
        box->addItem(choice.name, choice.id);
        box->setItemData(box->count() - 1, plainText(choice.detail), Qt::ToolTipRole);
    }
    box->setCurrentIndex(std::max(0, box->findData(current)));
}

// Pixels that a box needs to show its choice in full.
int widthOfChoice(const QComboBox* box)
{
    QStyleOptionComboBox option;
    option.initFrom(box);
    const QSize text(box->fontMetrics().horizontalAdvance(box->currentText()) + 8, box->fontMetrics().height());
    return box->style()->sizeFromContents(QStyle::CT_ComboBox, &option, text, box).width();
}

/// Hidden by us; a widget whose window was never shown is hidden too.
bool isLeftOut(const QWidget& widget)
{
    return widget.testAttribute(Qt::WA_WState_ExplicitShowHide) && widget.isHidden();
}

} // namespace

PromptBar::PromptBar(QWidget* parent)
    : QWidget(parent), m_history(new QStandardItemModel(this)),
      m_completer(new QCompleter(m_history, this)), m_letters{new PlainLabel(tr("A"), this),
                                                              new PlainLabel(tr("B"), this)},
      m_a(new QComboBox(this)), m_b(new QComboBox(this)), m_source(new QComboBox(this)), m_stepper(new QWidget(this)),
      m_sample(new PlainLabel(this)), m_previous(new QToolButton(this)), m_next(new QToolButton(this)),
      m_continue(new QToolButton(this)), m_rank(new QToolButton(this)), m_edit(new PromptEdit(m_completer, this)),
      m_marks(std::make_unique<PromptMarks>(*m_edit)), m_tokens(new ElidedLabel(this)), m_bar(new QHBoxLayout),
      m_answers(new AnswersView(this)), m_conversation(new ConversationView(this)), m_earlier(new QToolButton(this))
{
    makeChoices();
    makeEdit();
    makeLines();
    connectParts();
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    setSample(0, 0);
    showCounts();
    fitHeight();
    restyle();
}

void PromptBar::makeChoices()
{
    for (QComboBox* box : {m_a, m_b, m_source}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(box == m_source ? 16 : 13);
        box->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        box->setMinimumWidth(70);
    }
    m_a->setAccessibleName(tr("Model A"));
    m_b->setAccessibleName(tr("Model B"));
    m_source->setObjectName(u"promptSource"_s);
    m_source->setAccessibleName(tr("Where the prompt comes from"));
    m_previous->setIcon(icon(u"chevron-left"));
    m_next->setIcon(icon(u"chevron-right"));
    m_previous->setToolTip(tr("Previous sample ([)"));
    m_next->setToolTip(tr("Next sample (])"));
    m_previous->setAccessibleName(tr("Previous sample"));
    m_next->setAccessibleName(tr("Next sample"));
    m_previous->setAutoRaise(true);
    m_next->setAutoRaise(true);
    auto* stepper = new QHBoxLayout(m_stepper);
    stepper->setContentsMargins(0, 0, 0, 0);
    stepper->setSpacing(2);
    stepper->addWidget(m_previous);
    stepper->addWidget(m_sample);
    stepper->addWidget(m_next);
}

void PromptBar::makeEdit()
{
    m_edit->setFont(fixedFont()); // the family alone: the size is the window's
    m_edit->setObjectName(u"promptText"_s);
    m_edit->setAccessibleName(tr("Prompt"));
    m_edit->setPlaceholderText(tr("Enter a prompt, or choose a benchmark sample above."));
    m_edit->setTabChangesFocus(true);
    m_edit->setFrameShape(QFrame::NoFrame);
    m_edit->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // lines wrap
    m_edit->document()->setDocumentMargin(1);
    m_edit->setContextMenuPolicy(Qt::CustomContextMenu);
    m_edit->installEventFilter(this);
    m_edit->viewport()->installEventFilter(this);
    m_tokens->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_earlier->setIcon(icon(u"history"));
    m_earlier->setToolTip(tr("Earlier prompts (Ctrl+Up)"));
    m_earlier->setAccessibleName(tr("Earlier prompts"));
    m_earlier->setEnabled(false);
    m_completer->setWidget(m_edit);
    m_completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    m_completer->popup()->setAccessibleName(tr("Earlier prompts"));
    m_continue->setIcon(icon(u"text-cursor-input"));
    m_continue->setText(tr("Continue"));
    m_continue->setToolTip(tr("Let the model continue the prompt (Ctrl+Return)"));
    m_continue->setAccessibleName(tr("Continue the prompt"));
    m_rank->setObjectName(u"rankHeads"_s);
    m_rank->setIcon(icon(u"list-ordered"));
    m_rank->setText(tr("Rank heads"));
    m_rank->setToolTip(plainText(tr("Colours every head by what the answer to this prompt loses without it (Alt+F5)")));
    m_rank->setAccessibleName(tr("Rank heads on this prompt"));
}

void PromptBar::makeLines()
{
    m_letters[0]->setBuddy(m_a);
    m_letters[1]->setBuddy(m_b);
    m_bar->setSpacing(6);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_letters[0], m_a, m_letters[1], m_b, m_source, m_stepper})
        m_bar->addWidget(widget);
    m_bar->addStretch();
    auto* line = new QWidget(this); // from edge to edge
    makePage(line);
    m_bar->setContentsMargins(10, 4, 10, 4);
    line->setLayout(m_bar);
    auto* text = new Card(this);
    auto* bottom = new QHBoxLayout(text);
    bottom->setContentsMargins(12, 4, Card::kMargin, 4);
    bottom->addWidget(m_conversation, 3);
    m_conversation->hide();
    bottom->addWidget(m_edit, 2);
    auto* side = new QVBoxLayout;
    side->setSpacing(2);
    m_countLine = new QHBoxLayout;
    m_countLine->addWidget(m_tokens, 1);
    side->addLayout(m_countLine);
    side->addStretch();
    bottom->addLayout(side);
    auto* said = new Card(this);
    auto* answers = new QVBoxLayout(said);
    answers->setContentsMargins(12, 4, 12, 4);
    answers->addWidget(m_answers, 0, Qt::AlignTop);
    auto* cards = new QHBoxLayout;
    cards->setContentsMargins(6, 0, 6, 2);
    cards->setSpacing(8);
    cards->addWidget(text, 1);
    cards->addWidget(said);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(line);
    layout->addLayout(cards);
    for (QToolButton* tool : {m_earlier, m_rank, m_continue})
        addTool(tool);
}

void PromptBar::setExam()
{
    for (QWidget* part : std::initializer_list<QWidget*>{m_letters[0], m_a, m_letters[1], m_b})
        part->hide();
    for (QToolButton* tool : m_tools)
        tool->setVisible(tool == m_continue);
    fitFirstLine();
}

void PromptBar::addMenu(QToolButton* menu)
{
    m_menu = menu;
    m_bar->insertWidget(0, menu);
    fitFirstLine();
}

void PromptBar::addTool(QToolButton* tool)
{
    tool->setToolButtonStyle(tool->text().isEmpty() ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    m_tools.push_back(tool);
    m_bar->addWidget(tool);
    fitFirstLine();
}

// Of all that the line says in full, with the largest number of a sample.
int PromptBar::wordsOfFirstLine() const
{
    constexpr int kMargins = 20;
    int words = kMargins + (m_menu ? m_menu->sizeHint().width() : 0)
                + m_bar->spacing() * (m_bar->count() + static_cast<int>(m_tools.size()));
    for (const QComboBox* box : {m_a, m_b, m_source})
        words += isLeftOut(*box) ? 0 : widthOfChoice(box);
    for (const QLabel* label : m_letters)
        words += isLeftOut(*label) ? 0 : label->sizeHint().width();
    if (m_count > 0)
        words += m_previous->sizeHint().width() + m_next->sizeHint().width()
                 + roomForDigits(tr("sample %1 of %2").arg(m_count).arg(m_count), m_sample->fontMetrics());
    for (const QToolButton* tool : m_tools) {
        if (isLeftOut(*tool))
            continue;
        words += tool->sizeHint().width();
        if (m_isNarrow && !tool->text().isEmpty()) // as QToolButton counts them
            words += 4 + tool->fontMetrics().size(Qt::TextShowMnemonic, tool->text()).width()
                     + 2 * tool->fontMetrics().horizontalAdvance(u' ');
    }
    return words;
}

void PromptBar::fitFirstLine()
{
    const bool narrow = wordsOfFirstLine() > width();
    for (QComboBox* box : {m_a, m_b, m_source}) // no choice is cut while another box is wider than it needs to be
        box->setMinimumWidth(narrow ? 0 : widthOfChoice(box));
    if (std::exchange(m_isNarrow, narrow) == narrow)
        return;
    for (QToolButton* tool : m_tools) {
        tool->setToolButtonStyle(narrow || tool->text().isEmpty() ? Qt::ToolButtonIconOnly
                                                                  : Qt::ToolButtonTextBesideIcon);
        (narrow ? m_bar : m_countLine)->removeWidget(tool);
        (narrow ? m_countLine : m_bar)->addWidget(tool);
    }
    showSample();
}

void PromptBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitFirstLine();
}

void PromptBar::showSample()
{
    m_sample->setText((m_isNarrow ? u"%1/%2"_s : tr("sample %1 of %2")).arg(m_index + 1).arg(m_count));
    m_sample->setMinimumWidth(roomForDigits((m_isNarrow ? u"%1/%2"_s : tr("sample %1 of %2")).arg(m_count).arg(m_count),
                                            m_sample->fontMetrics()));
    m_sample->setToolTip(m_isNarrow ? plainText(tr("sample %1 of %2").arg(m_index + 1).arg(m_count)) : QString());
}

void PromptBar::connectParts()
{
    for (QComboBox* box : {m_a, m_b, m_source})
        connect(box, &QComboBox::currentTextChanged, this, &PromptBar::fitFirstLine);
    connect(m_a, &QComboBox::activated, this, [this] { modelActivated(m_a, &PromptBar::modelAChosen); });
    connect(m_b, &QComboBox::activated, this, [this] { modelActivated(m_b, &PromptBar::modelBChosen); });
    connect(m_source, &QComboBox::activated, this, [this] { Q_EMIT sourceChosen(m_source->currentData().toString()); });
    connect(m_edit, &QWidget::customContextMenuRequested, this, &PromptBar::showMenu);
    connect(m_earlier, &QToolButton::clicked, this, &PromptBar::showHistory);
    connect(m_completer, qOverload<const QModelIndex&>(&QCompleter::activated), this, [this](const QModelIndex& index) {
        m_edit->setWhole(index.data(Qt::UserRole).toString());
        m_edit->moveCursor(QTextCursor::End);
    });
    connect(m_rank, &QToolButton::clicked, this, &PromptBar::rankRequested);
    connect(m_continue, &QToolButton::clicked, this, [this] {
        commit();
        Q_EMIT continueRequested();
    });
    connect(m_answers, &AnswersView::clicked, m_continue, &QToolButton::click);
    connect(m_previous, &QToolButton::clicked, this, &PromptBar::previousSample);
    connect(m_next, &QToolButton::clicked, this, &PromptBar::nextSample);
    connect(m_edit, &QPlainTextEdit::textChanged, this, [this] {
        fitHeight();
        m_written = true;
        Q_EMIT promptEdited(m_edit->whole());
    });
}

QSize PromptBar::sizeHint() const
{
    return {900, QWidget::sizeHint().height()};
}

void PromptBar::setModels(const QList<Choice>& models, const QString& currentA, const QString& currentB)
{
    m_models = {currentA, currentB};
    fill(m_a, models, currentA);
    QList<Choice> second{{QString(), tr("none"), tr("Show one model only")}};
    second += models;
    fill(m_b, second, currentB);
    for (QComboBox* box : {m_a, m_b}) {
        box->insertSeparator(box->count());
        box->addItem(tr("All models …"), QVariant::fromValue(AllModels{}));
    }
}

void PromptBar::modelActivated(QComboBox* box, void (PromptBar::*chosen)(const QString&))
{
    if (!box->currentData().canConvert<AllModels>()) {
        Q_EMIT(this->*chosen)(box->currentData().toString());
        return;
    }
    box->setCurrentIndex(box->findData(m_models[box == m_a ? 0 : 1])); // that was no choice yet
    Q_EMIT allModelsRequested();
}

void PromptBar::setConversing(bool on)
{
    if (on == !m_conversation->isHidden())
        return;
    m_conversation->setVisible(on);
    m_edit->setReadOnly(on);
    m_edit->setPlaceholderText(on ? tr("The conversation as the model reads it appears here.")
                                  : tr("Enter a prompt, or choose a benchmark sample above."));
    fitHeight();
}

void PromptBar::setSources(const QList<Choice>& sources, const QString& current)
{
    fill(m_source, sources, current);
}

void PromptBar::setSample(int index, int count)
{
    m_index = index;
    m_count = count;
    m_stepper->setVisible(count > 0);
    showSample();
    fitFirstLine();
    m_previous->setEnabled(index > 0);
    m_next->setEnabled(index + 1 < count);
}

void PromptBar::previousSample()
{
    if (m_count > 0 && m_index > 0)
        Q_EMIT sampleStepRequested(-1);
}

void PromptBar::nextSample()
{
    if (m_index + 1 < m_count)
        Q_EMIT sampleStepRequested(1);
}

void PromptBar::setPrompt(const QString& text)
{
    if (text == m_edit->whole())
        return;
    commit();
    const QSignalBlocker quiet(m_edit);
    m_edit->setWhole(text);
    m_marks->setHeat({}, false);
    setMarks({}, {}); // of the text before
    fitHeight();
    m_edit->moveCursor(QTextCursor::End); // where the question is, and where one goes on writing
}

QString PromptBar::prompt() const
{
    return m_edit->whole();
}

void PromptBar::setTokenCount(Side side, int tokens, const QString& problem)
{
    const std::size_t at = side == Side::A ? 0 : 1;
    m_counts[at] = tokens;
    m_problems[at] = problem;
    showCounts();
}

void PromptBar::showCounts()
{
    const auto [a, b] = m_counts;
    if (problem())
        m_tokens->setText(m_problems[0].isEmpty() ? m_problems[1] : m_problems[0]);
    else if (a < 0 || b < 0)
        m_tokens->setText(tr("counting…"));
    else if (a > 0 && b > 0 && a != b)
        m_tokens->setText(tr("A %1, B %2 tokens").arg(QLocale().toString(a), QLocale().toString(b)));
    else
        m_tokens->setText(counted(std::max(a, b), tr("1 token"), tr("%L1 tokens")));
    m_tokens->setToolTip(problem() ? plainText(m_tokens->text())
                                   : tr("Alternating tints in the prompt show where tokens begin."));
    restyle();
}

void PromptBar::setHistory(const QStringList& prompts)
{
    m_history->clear();
    for (const QString& prompt : prompts) {
        auto* item = new QStandardItem(prompt.simplified().left(160));
        item->setData(prompt, Qt::UserRole);
        item->setToolTip(plainText(prompt.left(2000)));
        m_history->appendRow(item);
    }
    m_earlier->setEnabled(!prompts.isEmpty());
}

void PromptBar::showHistory()
{
    if (m_history->rowCount() == 0)
        return;
    m_edit->setFocus();
    m_completer->setCompletionPrefix({});
    m_completer->complete();
}

void PromptBar::commit()
{
    if (m_written && !m_edit->whole().trimmed().isEmpty())
        Q_EMIT promptCommitted(m_edit->whole());
    m_written = false;
}

void PromptBar::setMarks(const std::vector<TextSpan>& segments, const std::vector<int>& tokenStarts)
{
    m_marks->setPieces(segments, tokenStarts);
    applyMarks();
}

void PromptBar::setHeat(std::vector<TokenHeat> heat, bool coloured)
{
    if (heat.empty() && m_marks->heat().empty())
        return;
    m_marks->setHeat(std::move(heat), coloured);
    applyMarks();
    const QWidget* text = m_edit->viewport();
    if (std::exchange(m_wordsWanted, false) && text->underMouse())
        showTip(text->mapFromGlobal(QCursor::pos()), QCursor::pos());
}

void PromptBar::showTip(const QPoint& at, const QPoint& globalAt)
{
    const QString words = m_marks->wordsAt(at);
    if (words.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(globalAt, plainText(words), m_edit);
}

void PromptBar::setAnswersShown(bool on)
{
    if (on == m_marks->answersShown())
        return;
    m_marks->setAnswersShown(on);
    applyMarks();
}

void PromptBar::applyMarks()
{
    m_marks->apply(themeOf(palette()));
}

void PromptBar::showMenu(const QPoint& at)
{
    QMenu* menu = m_edit->createStandardContextMenu();
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addSeparator();
    QMenu* roles = menu->addMenu(tr("Mark the selected text as"));
    const QTextCursor cursor = m_edit->textCursor();
    roles->setEnabled(cursor.hasSelection());
    for (const Role role : kRoles)
        roles->addAction(roleName(role), this,
                         [this, role, begin = cursor.selectionStart(), end = cursor.selectionEnd()] {
                             Q_EMIT segmentMarked(role, begin, end);
                         });
    QAction* clear = menu->addAction(tr("Remove all marks"), this, &PromptBar::segmentsCleared);
    clear->setEnabled(!m_marks->segments().empty());
    menu->addSeparator();
    addTokenUses(*menu);
    menu->popup(m_edit->mapToGlobal(at));
}

void PromptBar::addTokenUses(QMenu& menu)
{
    const QTextCursor cursor = m_edit->textCursor();
    for (const auto& [title, use] : {std::pair{tr("Ablate %1 at these tokens").arg(m_shownHead), TokenUse::AblateHead},
                                     std::pair{tr("Ablate this layer at these tokens"), TokenUse::AblateLayer},
                                     std::pair{tr("Block attention from these tokens …"), TokenUse::StopReading},
                                     std::pair{tr("Block attention to these tokens …"), TokenUse::NotRead}})
        menu.addAction(title, this,
                       [this, use = use, begin = cursor.selectionStart(), end = cursor.selectionEnd()] {
                           Q_EMIT tokensChosen(use, begin, end);
                       })
            ->setEnabled(cursor.hasSelection());
}

// As high as it ever is, whatever the text: another sample, or a word more, moves nothing below.
void PromptBar::fitHeight()
{
    const bool low = window()->height() < kLowWindow * m_edit->fontMetrics().lineSpacing();
    const int lines = m_conversation->isHidden() ? (low ? kLowLines : PromptEdit::kLines)
                                                 : kTalkLines - (low ? PromptEdit::kLines : 0);
    const int frame = static_cast<int>(2 * m_edit->document()->documentMargin()) + 2 * m_edit->frameWidth();
    m_edit->setFixedHeight(lines * (m_edit->fontMetrics().lineSpacing() + 1) + frame); // layouts round lines up
    m_conversation->setFixedHeight(m_edit->height());
    m_edit->setVerticalScrollBarPolicy(m_edit->document()->size().height() > lines ? Qt::ScrollBarAsNeeded
                                                                                   : Qt::ScrollBarAlwaysOff);
    if (m_edit->textCursor().atEnd()) // where the question is
        m_edit->ensureCursorVisible();
}

void PromptBar::restyle()
{
    const Theme theme = themeOf(palette());
    setInk(m_tokens, problem() ? theme.bad : theme.muted);
    QFont bold = font();
    bold.setBold(true);
    for (const Side side : kSides) {
        setInk(m_letters[indexOf(side)], sideColor(theme, side));
        m_letters[indexOf(side)]->setFont(bold);
    }
}

void PromptBar::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        restyle();
        applyMarks();
    } else if (event->type() == QEvent::FontChange) {
        fitHeight();
        QTimer::singleShot(0, this, [this] { // its parts have the new letters then
            showSample();
            fitFirstLine();
        });
    }
}

void PromptBar::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    window()->installEventFilter(this);
    fitHeight();
}

bool PromptBar::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == window() && event->type() == QEvent::Resize)
        fitHeight();
    if (watched == m_edit->viewport() && event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        m_wordsWanted = m_marks->heat().empty() && m_marks->characterAt(help->pos());
        if (m_wordsWanted)
            Q_EMIT tokenTextsRequested();
        else
            showTip(help->pos(), help->globalPos());
        return true;
    }
    if (watched != m_edit)
        return QWidget::eventFilter(watched, event);
    if (event->type() == QEvent::Resize)
        QMetaObject::invokeMethod(this, &PromptBar::fitHeight,
                                  Qt::QueuedConnection); // lines are broken anew after this event
    else if (event->type() == QEvent::FocusOut)
        commit();
    else if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Up && key->modifiers() == Qt::ControlModifier) {
            showHistory();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace headscope::widgets
