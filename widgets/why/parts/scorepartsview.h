// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Why a head looks from one token at another: what each writer adds to the score at the query and at the key, and the
// pairs of writers that add most. GUI thread.

#include "widgets/why/parts/numbertable.h"
#include "widgets/why/parts/partmodel.h"

class QLabel;

namespace headscope::widgets {

struct ScorePartsData {
    QString queryToken, keyToken;
    std::vector<PartRow> query, key; ///< what each writer adds; either adds up to the score
    std::vector<QVariantList> pairs; ///< writer at the query, writer at the key, what both add
};

class ScorePartsView : public QWidget
{
    Q_OBJECT

public:
    explicit ScorePartsView(QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setParts(ScorePartsData parts, const QString& sentence);
    /// Nothing is shown, and this is why.
    void setProblem(const QString& sentence) { setParts({}, sentence); }
    [[nodiscard]] const PartModel& query() const { return *m_query; }
    [[nodiscard]] const PartModel& key() const { return *m_key; }
    [[nodiscard]] NumberTable* pairs() const { return m_pairs; }
    [[nodiscard]] QString sentence() const;

Q_SIGNALS:
    /// "L1H2": a writer was double-clicked.
    void writerChosen(const QString& name);

private:
    /// A list of bars below its caption.
    [[nodiscard]] QWidget* makeList(QLabel* caption, PartModel* parts, const QString& name, const QString& help);

    QLabel *m_title, *m_sentence, *m_queryCaption, *m_keyCaption;
    PartModel *m_query, *m_key;
    NumberTable* m_pairs;
};

} // namespace headscope::widgets
