// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The attribution of a head's attention score from one token to another: the contribution of each writer at the query
// and at the key, and the pairs of writers with the largest contributions. GUI thread.

#include "widgets/why/analysispage.h"
#include "widgets/why/analysisview.h"
#include "widgets/why/views/barsview.h"

class QLabel;

namespace headscope::widgets {

struct ScorePartsData {
    QString queryToken, keyToken;
    std::vector<PartRow> query, key; ///< contribution of each writer; each list adds up to the score
    std::vector<QVariantList> pairs; ///< writer at the query, writer at the key, contribution of the pair
};

class ScorePartsView : public AnalysisView
{
    Q_OBJECT

public:
    explicit ScorePartsView(QWidget* parent = nullptr);

    void setParts(ScorePartsData parts, const QString& sentence);
    /// Clears the view and shows the reason.
    void setProblem(const QString& sentence) { setParts({}, sentence); }
    [[nodiscard]] const BarsView& query() const { return *m_query; }
    [[nodiscard]] const BarsView& key() const { return *m_key; }
    [[nodiscard]] NumberTable* pairs() const { return m_pairs; }

Q_SIGNALS:
    /// "L1H2": a writer was double-clicked.
    void writerChosen(const QString& name);

private:
    /// A list of bars below its caption.
    [[nodiscard]] QWidget* captioned(QLabel* caption, BarsView* bars, const QString& help);

    QLabel *m_queryCaption, *m_keyCaption;
    BarsView *m_query, *m_key;
    NumberTable* m_pairs;
};

/// Why the shown heads of both models look where they look.
using ScorePartsPage = SidesPage<ScorePartsView>;

} // namespace headscope::widgets
