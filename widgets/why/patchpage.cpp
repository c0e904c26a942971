// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/patchpage.h"

#include "widgets/look/plaintext.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

namespace headscope::widgets {

namespace {

/// The entries of a box, with what each stands for.
template <typename Value>
void fill(QComboBox& box, const QString& name, const QList<std::pair<Value, QString>>& entries)
{
    for (const auto& [value, title] : entries)
        box.addItem(title, static_cast<int>(value));
    box.setAccessibleName(name);
    box.setToolTip(plainText(name));
}

template <typename Value> Value chosen(const QComboBox& box)
{
    return static_cast<Value>(box.currentData().toInt());
}

} // namespace

PatchPage::PatchPage(QWidget* parent)
    : QWidget(parent), m_part(new QComboBox), m_other(new QComboBox), m_direction(new QComboBox),
      m_written(new QLineEdit), m_many(new QCheckBox(tr("&up to 64 pairs of the task"))),
      m_start(new QPushButton(tr("&Patch"))), m_stop(new QPushButton(tr("&Stop")))
{
    auto* both = new QSplitter(Qt::Vertical);
    for (PatchView*& view : m_views) {
        view = new PatchView;
        both->addWidget(view);
    }
    both->setChildrenCollapsible(false);
    view(Side::B)->hide();
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(makeQuestion());
    lines->addWidget(both, 1);
    connect(m_start, &QPushButton::clicked, this, &PatchPage::patchRequested);
    connect(m_written, &QLineEdit::returnPressed, this, &PatchPage::patchRequested);
    connect(m_stop, &QPushButton::clicked, this, &PatchPage::stopRequested);
    connect(m_other, &QComboBox::currentIndexChanged, this,
            [this] { m_written->setEnabled(chosen<Other>(*m_other) == Other::Written); });
    m_written->setEnabled(false);
    setRunning(false);
}

QWidget* PatchPage::makeQuestion()
{
    fill<Part>(*m_part, tr("What is put in"),
               {{Part::Heads, tr("heads, all tokens")},
                {Part::Stream, tr("stream, each token")},
                {Part::Mixer, tr("attention or SSM, each token")},
                {Part::Mlp, tr("MLP, each token")}});
    fill<Other>(*m_other, tr("The other prompt"),
                {{Other::Automatic, tr("other prompt: as the sample allows")},
                 {Other::Key, tr("another key is asked for")},
                 {Other::Value, tr("the value is another")},
                 {Other::Binding, tr("key and value belong to others")},
                 {Other::Name, tr("the most alike sample")},
                 {Other::Written, tr("written below")}});
    fill<bool>(*m_direction, tr("Which run goes into which"),
               {{false, tr("this prompt's run into the other's (denoise)")},
                {true, tr("the other's run into this prompt's (noise)")}});
    m_written->setPlaceholderText(tr("the other prompt, of as many tokens"));
    m_written->setAccessibleName(tr("The other prompt"));
    auto* first = new QHBoxLayout;
    for (QWidget* one :
         {static_cast<QWidget*>(m_part), static_cast<QWidget*>(m_other), static_cast<QWidget*>(m_direction)}) {
        one->setMinimumWidth(60);
        first->addWidget(one);
    }
    first->addStretch();
    auto* second = new QHBoxLayout;
    second->addWidget(m_written, 1);
    second->addWidget(m_many);
    second->addWidget(m_start);
    second->addWidget(m_stop);
    auto* whole = new QWidget;
    auto* lines = new QVBoxLayout(whole);
    lines->setContentsMargins(0, 4, 0, 4);
    lines->addLayout(first);
    lines->addLayout(second);
    return whole;
}

PatchPage::Choice PatchPage::choice() const
{
    return {.part = chosen<Part>(*m_part),
            .other = chosen<Other>(*m_other),
            .written = m_written->text(),
            .noise = chosen<bool>(*m_direction),
            .many = m_many->isChecked()};
}

void PatchPage::setChoice(const Choice& choice)
{
    m_part->setCurrentIndex(m_part->findData(static_cast<int>(choice.part)));
    m_other->setCurrentIndex(m_other->findData(static_cast<int>(choice.other)));
    m_direction->setCurrentIndex(m_direction->findData(static_cast<int>(choice.noise)));
    m_written->setText(choice.written);
    m_many->setChecked(choice.many);
}

void PatchPage::setRunning(bool running)
{
    m_stop->setEnabled(running);
}

void PatchPage::setShown(Side side, bool shown)
{
    view(side)->setVisible(shown);
}

void PatchPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT shown();
}

} // namespace headscope::widgets
