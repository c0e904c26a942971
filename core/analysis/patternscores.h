// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Numbers that describe one row or one whole matrix of a head. Signed SSM matrices are measured by the absolute values
// of their entries, rows divided by their sum, so that scores have the same meaning for attention and SSM. Any thread.

#include "core/base/matrix.h"

#include <span>
#include <vector>

namespace headscope::analysis {

struct RowScores {
    double entropy = 0;         ///< nats, of |row| / sum |row|; 0 for an empty row
    double effectiveTokens = 1; ///< exp(entropy)
    double sinkMass = 0;        ///< share on the first token
    double diagonalMass = 0;    ///< share on the query's own token
};

/// Returns the scores of a row at position `query`.
[[nodiscard]] RowScores rowScores(std::span<const float> row, int query);

/// Returns the means of the row scores over rows 1..T-1 (row 0 sees only itself).
[[nodiscard]] RowScores matrixScores(const Matrix& matrix);

/// Returns the share of |row| on the tokens [begin, end).
[[nodiscard]] double massOn(std::span<const float> row, int begin, int end);

struct TopEntry {
    int token = 0;
    double share = 0; ///< of |row|
    double value = 0; ///< the entry itself
};

/// Returns the `count` largest entries of a row by absolute value, largest first.
[[nodiscard]] std::vector<TopEntry> topEntries(std::span<const float> row, int count);

/// A segment of the prompt in tokens, [begin, end); its representative is the last token, as in the paper.
struct TokenSegment {
    int begin = 0;
    int end = 0;
    bool target = false;
};

/// Returns a head's gather score on a segmented prompt (Gather-and-Aggregate paper, section on the mechanism): mean
/// over segments of at least two tokens of the share of the representative's row on the segment's other tokens.
[[nodiscard]] double gatherScore(const Matrix& matrix, std::span<const TokenSegment> segments);

/// Returns the aggregate score: the share of the last row on the representatives of the segments.
[[nodiscard]] double aggregateScore(const Matrix& matrix, std::span<const TokenSegment> segments);

/// The same scores for a head that attends uniformly to all tokens up to the row's own: the baseline for a score.
/// `tokens`: number of tokens in the prompt.
[[nodiscard]] double uniformGatherScore(std::span<const TokenSegment> segments, int tokens);
[[nodiscard]] double uniformAggregateScore(std::span<const TokenSegment> segments, int tokens);

/// A head whose removal costs at least this much accuracy of KV retrieval is called a retrieval head.
inline constexpr double kRetrievalHeadCost = 0.3;

/// Returns whether a retrieval head aggregates, by its two scores: its last row attends to representatives more than
/// its representatives attend to their segments. Otherwise it gathers.
[[nodiscard]] constexpr bool aggregates(double gatherScore, double aggregateScore)
{
    return aggregateScore > gatherScore;
}

/// Returns the target mass: the share of the last row on the target segments.
[[nodiscard]] double targetMass(const Matrix& matrix, std::span<const TokenSegment> segments);

/// Returns the retrieval score (Wu et al. 2024, "Retrieval Head Mechanistically Explains Long-Context Factuality"): |g
/// and k| / |k|, where k are the distinct tokens of the needle (the target segments that are also part of the answer)
/// and g those that the head copies: the row that predicts token w of the answer has its largest entry on a w inside
/// the needle. `ids` are those of prompt and answer together, the answer being everything from `answerBegin` on; row t
/// predicts ids[t + 1]. In a signed SSM matrix the largest entry is the largest magnitude. NaN if no token of the
/// needle is in the answer.
[[nodiscard]] double retrievalScore(const Matrix& matrix, std::span<const int> ids, int answerBegin,
                                    std::span<const TokenSegment> segments);

/// Returns the previous-token score (Olsson et al. 2022, "In-context Learning and Induction Heads"): mean share of row
/// t on token t-1, t >= 1.
[[nodiscard]] double previousTokenScore(const Matrix& matrix);

/// Returns the induction score (same source): mean over positions t whose token occurred before, of the share on the
/// tokens that followed those earlier occurrences. 0 if no token repeats.
[[nodiscard]] double inductionScore(const Matrix& matrix, std::span<const int> ids);

/// Scores of a head on a repeated sequence of random tokens: a start token, r, and r again (Olsson et al. 2022). Shares
/// of |row|.
struct RepeatScores {
    double induction = 0; ///< second r: on the token after the earlier occurrence, A[t, t - R + 1]
    double duplicate = 0; ///< second r: on the earlier occurrence itself, A[t, t - R]
    double previous = 0;  ///< every position but the first: on the previous token, A[t, t - 1]
    double sink = 0;      ///< every position but the first: on the first token
};

/// Returns the scores. matrix: [1 + 2R, 1 + 2R], rows are queries.
[[nodiscard]] RepeatScores repeatScores(const Matrix& matrix, int repeat);

} // namespace headscope::analysis
