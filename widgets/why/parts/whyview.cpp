// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/parts/whyview.h"

#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/theme.h"
#include "widgets/why/analysisview.h"
#include "widgets/why/views/tabledview.h"

#include <QMenu>
#include <QVBoxLayout>

namespace headscope::widgets {

namespace {

constexpr int kLensWide = 640, kPartsWide = 260;

} // namespace

WhyView::WhyView(QWidget* parent)
    : QWidget(parent), m_title(new PlainLabel(this)), m_lens(new GridView(tr("Lens: layers and tokens"))),
      m_parts(new BarsView(tr("Direct attribution"), tr("adds to the difference")))
{
    for (QLabel** sentence : {&m_lensSentence, &m_partSentence}) {
        *sentence = new PlainLabel(this);
        (*sentence)->setWordWrap(true);
        setMuted(*sentence);
    }
    m_lens->setWhatsThis(tr("The next token that the model would predict if the layers above a row did nothing "
                            "(logit lens) or had their average first-order effect (Jacobian lens): the stream "
                            "before the layer, through the model's final norm and head. A frame marks where the "
                            "answer is already on top. Double-click a token to follow it, right-click to compare "
                            "with it; Ctrl and the wheel zoom."));
    m_parts->setWhatsThis(tr("The contribution of each head, MLP and the embedding to the logit difference of the two "
                             "answers, with the final norm held fixed. All contributions add up to the difference."));
    auto* lens = new TabledView(m_lens, QStringLiteral("lens"));
    connect(m_lens, &GridView::cellChosen, this, &WhyView::answerChosen);
    connect(lens, &TabledView::menuAboutToShow, this, &WhyView::addTokenEntries);
    auto* both = new QSplitter(Qt::Horizontal);
    both->addWidget(captioned(m_lensSentence, lens));
    both->addWidget(captioned(m_partSentence, new TabledView(m_parts, QStringLiteral("attribution"))));
    both->setChildrenCollapsible(false);
    both->setSizes({kLensWide, kPartsWide});
    both->setStretchFactor(0, 1);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(m_title);
    lines->addWidget(both, 1);
}

void WhyView::addTokenEntries(QMenu* menu, int row, int column)
{
    if (m_lens->pool() == 1 && column >= 0) {
        const QString token = row < 0 ? m_lens->grid().columns[static_cast<std::size_t>(column)].name
                                      : m_lens->grid().cellText(row, column);
        if (!token.isEmpty()) {
            const QString name = QString(token).replace(QLatin1Char('&'), QStringLiteral("&&"));
            menu->addAction(tr("&Follow “%1” as the answer").arg(name), this,
                            [this, row, column] { Q_EMIT answerChosen(row, column); });
            menu->addAction(tr("Co&mpare with “%1”").arg(name), this,
                            [this, row, column] { Q_EMIT distractorChosen(row, column); });
        }
    }
    menu->addAction(tr("Use the sam&ple's answers"), this, &WhyView::sampleRequested)->setEnabled(m_chosenByHand);
}

void WhyView::setTitle(const QString& title)
{
    m_title->setText(title);
}

void WhyView::setLens(GridData lens, const QString& sentence)
{
    m_lensSentence->setText(sentence);
    m_lens->setGrid(std::move(lens));
}

void WhyView::setParts(std::vector<PartRow> parts, const QString& sentence)
{
    m_partSentence->setText(sentence);
    m_parts->setBars(std::move(parts));
}

} // namespace headscope::widgets
