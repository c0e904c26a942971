// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a pattern view is given: one L x L map with its tokens and segments, as plain values. Any thread.

#include "core/base/matrix.h"
#include "core/base/role.h"
#include "widgets/pattern/tokenaxis.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <vector>

namespace headscope::widgets {

/// Tokens [begin, end) of the prompt that play one role.
struct TokenSpan {
    Role role = Role::Key;
    int begin = 0;
    int end = 0;
    bool target = false; ///< the piece that the right answer comes from
};

/// One map. Shared, never changed after it was handed over.
struct PatternData {
    std::shared_ptr<const Matrix> values; ///< [T, T] or [T / pool, T / pool], rows are queries; NaN where unknown
    std::shared_ptr<const Matrix> raw; ///< what `values` are shares of, row by row; null: values are the matrix itself
    int pool = 1;          ///< above 1: an entry is the strongest of pool x pool cells; exact rows come on demand
    QStringList tokens;    ///< T pieces of text, as the tokenizer cut them
    QStringList spellings; ///< the same as the vocabulary spells them; empty where that is not known
    QStringList rowLabels; ///< names of the rows where those are not the tokens (heads); then not square
    std::vector<TokenSpan> segments; ///< may be empty
    QString head;                    ///< "A L2H5"
    QString meaning;                 ///< "softmax attention (rows sum to 1)"
    QString notice;                  ///< "output ablated": is in the empty corner of a map that is drawn paler
    QString provenance;              ///< model, revision, dtype, device, sample, ablation set
    bool isSigned = false;           ///< values may be negative: diverging colours around 0
    bool causal = true;              ///< cells right of the diagonal have no meaning

    /// In cells, whatever is pooled.
    [[nodiscard]] int rows() const { return !values ? 0 : pool > 1 ? static_cast<int>(tokens.size()) : values->rows; }
    [[nodiscard]] int cols() const { return !values ? 0 : pool > 1 ? static_cast<int>(tokens.size()) : values->cols; }
    /// Texts of the row axis.
    [[nodiscard]] const QStringList& rowNames() const { return rowLabels.isEmpty() ? tokens : rowLabels; }
    [[nodiscard]] bool empty() const { return rows() == 0 || cols() == 0; }
};

/// Exact rows of a pooled map.
struct PatternRowBlock {
    int first = 0;
    std::shared_ptr<const Matrix> values; ///< [n, T]

    [[nodiscard]] bool holds(int row) const { return values && row >= first && row < first + values->rows; }
};

/// The visible form of a token (core/base/printable.h) as a label: "⏎" for a line break, "⇥" for a tab, "␣" for a lone
/// space, no surrounding blanks.
[[nodiscard]] QString tokenLabel(const QString& token);
/// Same, with every blank kept visible: a token as it is quoted in a readout.
[[nodiscard]] QString tokenQuoted(const QString& token);
/// The token at `index`, or its number where the texts are missing.
[[nodiscard]] QString tokenLabelAt(const QStringList& tokens, int index);
/// Shortened to at most `most` characters; a token is read by its beginning.
[[nodiscard]] QString tokenLabelAt(const QStringList& tokens, int index, int most);
/// What to name on a token axis: `always` in this order (the shown row, what it reads most, the query), then values and
/// keys, those of the right answer first, and never a line break, comma or colon for its own sake.
[[nodiscard]] LabelChoice labelChoice(const QStringList& tokens, const std::vector<TokenSpan>& segments,
                                      std::vector<int> always);
/// Translated name of a role: "key", "value" ...
[[nodiscard]] QString roleName(Role role);

} // namespace headscope::widgets
