// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The input of a pattern view: one L x L map with its tokens and segments, as plain values. Any thread.

#include "core/base/matrix.h"
#include "core/base/role.h"
#include "widgets/pattern/tokenaxis.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <vector>

namespace headscope::widgets {

/// Tokens [begin, end) of the prompt with one role.
struct TokenSpan {
    Role role = Role::Key;
    int begin = 0;
    int end = 0;
    bool target = false; ///< the part that contains the right answer
};

/// One map. Shared, and never modified after it was passed on.
struct PatternData {
    std::shared_ptr<const Matrix> values; ///< [T, T] or [T / pool, T / pool], rows are queries; NaN where unknown
    std::shared_ptr<const Matrix> raw;    ///< the matrix before division by row; null: `values` is the matrix itself
    int pool = 1;          ///< above 1: an entry is the strongest of pool x pool cells; exact rows are sent on demand
    QStringList tokens;    ///< T parts of the text, as the tokenizer divided it
    QStringList spellings; ///< the same as spelled in the vocabulary; empty if unknown
    QStringList rowLabels; ///< labels of rows that are not tokens (heads); then not square
    std::vector<TokenSpan> segments; ///< may be empty
    QString head;                    ///< "A L2H5"
    QString meaning;                 ///< "softmax attention (rows sum to 1)"
    QString rawMeaning;              ///< the same of `raw`
    QString notice;                  ///< "output ablated": shown in the empty corner of a map, which is drawn paler
    QString provenance;              ///< model, revision, dtype, device, sample, ablation set
    bool isSigned = false;           ///< values may be negative: diverging colours around 0
    bool causal = true;              ///< cells right of the diagonal have no value

    /// In cells, regardless of pooling.
    [[nodiscard]] int rows() const { return !values ? 0 : pool > 1 ? static_cast<int>(tokens.size()) : values->rows; }
    [[nodiscard]] int cols() const { return !values ? 0 : pool > 1 ? static_cast<int>(tokens.size()) : values->cols; }
    /// Labels of the row axis.
    [[nodiscard]] const QStringList& rowNames() const { return rowLabels.isEmpty() ? tokens : rowLabels; }
    [[nodiscard]] bool empty() const { return rows() == 0 || cols() == 0; }
};

/// Exact rows of a pooled map.
struct PatternRowBlock {
    int first = 0;
    std::shared_ptr<const Matrix> values; ///< [n, T]

    [[nodiscard]] bool holds(int row) const { return values && row >= first && row < first + values->rows; }
};

/// Returns the visible form of a token (core/base/printable.h) as a label: "⏎" for a line break, "⇥" for a tab, "␣" for
/// a lone space, no surrounding blanks.
[[nodiscard]] QString tokenLabel(const QString& token);
/// The same with every blank visible: a token as quoted in a readout.
[[nodiscard]] QString tokenQuoted(const QString& token);
/// Returns the token at `index`, or its number if the texts are missing.
[[nodiscard]] QString tokenLabelAt(const QStringList& tokens, int index);
/// The same, shortened to at most `most` characters by removing the end.
[[nodiscard]] QString tokenLabelAt(const QStringList& tokens, int index, int most);
/// Returns the tokens to label on an axis: `always` in this order (the shown row, the token it reads most, the query),
/// then values and keys, those of the right answer first; line breaks, commas and colons only if the others require it.
[[nodiscard]] LabelChoice labelChoice(const QStringList& tokens, const std::vector<TokenSpan>& segments,
                                      std::vector<int> always);
/// Returns the translated name of a role: "key", "value" ...
[[nodiscard]] QString roleName(Role role);

} // namespace headscope::widgets
