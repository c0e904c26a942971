// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/knockoutdialog.h"

#include "widgets/look/labels/plainlabel.h"
#include "widgets/pattern/patterndata.h"
#include "widgets/why/fillbox.h"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

using Where = KnockoutChoice::Where;

namespace {

constexpr int kMostWords = 40; // characters
constexpr int kWidth = 460;    // pixels: what is told of tokens does not move the buttons

QSpinBox* numberBox(int most, const QString& name)
{
    auto* box = new QSpinBox;
    box->setRange(0, std::max(most, 0));
    box->setAccessibleName(name);
    return box;
}

} // namespace

KnockoutDialog::KnockoutDialog(KnockoutPlace place, QWidget* parent)
    : QDialog(parent), m_place(std::move(place)), m_queryWords(new PlainLabel), m_keyWords(new PlainLabel),
      m_problem(new PlainLabel), m_where(new QComboBox), m_how(new QComboBox)
{
    const int last = static_cast<int>(m_place.tokens.size()) - 1;
    m_firstQuery = numberBox(last, tr("First blocked query"));
    m_lastQuery = numberBox(last, tr("Last blocked query"));
    m_firstKey = numberBox(last, tr("First blocked key"));
    m_lastKey = numberBox(last, tr("Last blocked key"));
    m_firstLayer = numberBox(m_place.layers - 1, tr("First layer"));
    m_lastLayer = numberBox(m_place.layers - 1, tr("Last layer"));
    setWindowTitle(tr("Block attention"));
    auto* note =
        new PlainLabel(tr("Scores follow, as with any ablation: attention is blocked at the same positions in every "
                          "example of a benchmark."));
    note->setWordWrap(true);
    m_problem->setWordWrap(true);
    m_problem->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_problem->setMinimumHeight(3 * m_problem->fontMetrics().lineSpacing());
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_apply = buttons->addButton(tr("&Knock out"), QDialogButtonBox::AcceptRole);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* lines = new QVBoxLayout(this);
    lines->addWidget(makeTokens());
    lines->addWidget(makePlace());
    lines->addWidget(note);
    lines->addWidget(m_problem);
    lines->addWidget(buttons);
    for (QSpinBox* box : {m_firstQuery, m_lastQuery, m_firstKey, m_lastKey, m_firstLayer, m_lastLayer})
        connect(box, &QSpinBox::valueChanged, this, &KnockoutDialog::refresh);
    connect(m_where, &QComboBox::currentIndexChanged, this, &KnockoutDialog::refresh);
    setMinimumWidth(kWidth);
    refresh();
}

QWidget* KnockoutDialog::makeTokens()
{
    auto* whole = new QWidget;
    auto* grid = new QGridLayout(whole);
    grid->setContentsMargins(0, 0, 0, 0);
    const auto add = [&](int row, const QString& title, QSpinBox* first, QSpinBox* last, QLabel* words) {
        auto* label = new PlainLabel(title);
        label->setBuddy(first);
        grid->addWidget(label, row, 0);
        grid->addWidget(first, row, 1);
        grid->addWidget(new PlainLabel(tr("to")), row, 2);
        grid->addWidget(last, row, 3);
        grid->addWidget(words, row, 4);
    };
    add(0, tr("&Tokens"), m_firstQuery, m_lastQuery, m_queryWords);
    add(1, tr("stop &reading"), m_firstKey, m_lastKey, m_keyWords);
    grid->setColumnStretch(4, 1);
    return whole;
}

QWidget* KnockoutDialog::makePlace()
{
    fillBox<Where>(*m_where, tr("Where"),
                   {{Where::Head, tr("in %1").arg(m_place.head)},
                    {Where::Layer, tr("in every head of layer %1").arg(m_place.layer)},
                    {Where::Layers, tr("in every head of these layers")},
                    {Where::Everywhere, tr("in every head of the model")}});
    fillBox<bool>(*m_how, tr("How"),
                  {{true, tr("before the softmax: the rest sums to 1")},
                   {false, tr("after the softmax: the entries become zero")}});
    m_how->setEnabled(m_place.attention);
    auto* whole = new QWidget;
    auto* grid = new QGridLayout(whole);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(m_where, 0, 0);
    grid->addWidget(m_firstLayer, 0, 1);
    grid->addWidget(new PlainLabel(tr("to")), 0, 2);
    grid->addWidget(m_lastLayer, 0, 3);
    grid->addWidget(m_how, 1, 0, 1, 5);
    grid->setColumnStretch(4, 1);
    if (m_place.ssm)
        grid->addWidget(new PlainLabel(tr("Entries of SSM heads become zero; they have no softmax.")), 2, 0, 1, 5);
    return whole;
}

QString KnockoutDialog::words(int first, int last) const
{
    QString text;
    for (int token = first; token <= last && token < m_place.tokens.size() && text.size() <= kMostWords; ++token)
        text += (text.isEmpty() ? QString() : QStringLiteral(" ")) + tokenLabel(m_place.tokens.at(token));
    return text.size() > kMostWords ? text.left(kMostWords) + u'…' : text;
}

QString KnockoutDialog::problem() const
{
    const KnockoutChoice now = choice();
    if (now.lastQuery < now.firstQuery || now.lastKey < now.firstKey)
        return tr("A span ends before it begins; expected the lower number first.");
    if (now.lastKey >= now.firstQuery && now.firstKey <= now.lastQuery)
        return tr("The spans %1 to %2 and %3 to %4 overlap; expected tokens to be read that end before token %1, the "
                  "first that reads.")
            .arg(now.firstQuery)
            .arg(now.lastQuery)
            .arg(now.firstKey)
            .arg(now.lastKey);
    if (now.firstKey > now.lastQuery)
        return tr("Token %1 follows token %2 and is never read by it; expected earlier tokens.")
            .arg(now.firstKey)
            .arg(now.lastQuery);
    if (now.where == Where::Layers && now.lastLayer < now.firstLayer)
        return tr("The last layer is before the first; expected the lower number first.");
    return {};
}

void KnockoutDialog::refresh()
{
    const KnockoutChoice now = choice();
    m_queryWords->setText(words(now.firstQuery, now.lastQuery));
    m_keyWords->setText(words(now.firstKey, now.lastKey));
    for (QSpinBox* box : {m_firstLayer, m_lastLayer})
        box->setEnabled(now.where == Where::Layers);
    m_problem->setText(problem());
    m_apply->setEnabled(problem().isEmpty());
}

KnockoutChoice KnockoutDialog::choice() const
{
    return {.firstQuery = m_firstQuery->value(),
            .lastQuery = m_lastQuery->value(),
            .firstKey = m_firstKey->value(),
            .lastKey = m_lastKey->value(),
            .where = chosenIn<Where>(*m_where),
            .firstLayer = m_firstLayer->value(),
            .lastLayer = m_lastLayer->value(),
            .beforeSoftmax = chosenIn<bool>(*m_how)};
}

void KnockoutDialog::setChoice(const KnockoutChoice& choice)
{
    m_firstQuery->setValue(choice.firstQuery);
    m_lastQuery->setValue(choice.lastQuery);
    m_firstKey->setValue(choice.firstKey);
    m_lastKey->setValue(choice.lastKey);
    chooseIn(*m_where, choice.where);
    m_firstLayer->setValue(choice.firstLayer);
    m_lastLayer->setValue(choice.lastLayer);
    chooseIn(*m_how, choice.beforeSoftmax);
    refresh();
}

} // namespace headscope::widgets
