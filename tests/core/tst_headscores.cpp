// SPDX-License-Identifier: GPL-3.0-or-later
// Scores of heads, comparison of maps and matching of tokens, on matrices small enough to check by hand.
#include "core/analysis/convention.h"
#include "core/analysis/patternchange.h"
#include "core/analysis/patternpool.h"
#include "core/analysis/patternscores.h"
#include "core/analysis/tokenmatch.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <random>
#include <string>

using namespace headscope;
using namespace headscope::analysis;

namespace {

Matrix square(int side, std::initializer_list<float> values)
{
    Matrix matrix(side, side);
    std::copy(values.begin(), values.end(), matrix.values.begin());
    return matrix;
}

// Cuts at blanks; every piece begins with its blank, as byte-level tokenizers cut.
std::vector<TokenBytes> words(const std::string& text)
{
    std::vector<TokenBytes> tokens;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at + 1), text.size());
        tokens.emplace_back(at, end);
        at = end;
    }
    return tokens;
}

std::vector<TokenBytes> characters(const std::string& text)
{
    std::vector<TokenBytes> tokens;
    for (std::size_t at = 0; at < text.size(); ++at)
        tokens.emplace_back(at, at + 1);
    return tokens;
}

} // namespace

class TestHeadScores : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Whatever the segments, a head that reads all tokens alike scores what is told as the baseline.
    void aUniformHeadScoresTheBaseline()
    {
        std::mt19937 random(5);
        for (int trial = 0; trial < 200; ++trial) {
            const int tokens = 2 + static_cast<int>(random() % 40U);
            Matrix even(tokens, tokens);
            for (int row = 0; row < tokens; ++row)
                for (int column = 0; column <= row; ++column)
                    even.values[static_cast<std::size_t>(row * tokens + column)] = 1.0F / static_cast<float>(row + 1);
            std::vector<TokenSegment> segments;
            for (int at = 0; at < tokens;) {
                const int end = std::min(tokens, at + 1 + static_cast<int>(random() % 6U));
                segments.push_back({at, end, false});
                at = end + static_cast<int>(random() % 3U);
            }
            QVERIFY(std::abs(gatherScore(even, segments) - uniformGatherScore(segments, tokens)) < 1e-6);
            QVERIFY(std::abs(aggregateScore(even, segments) - uniformAggregateScore(segments, tokens)) < 1e-6);
        }
        QCOMPARE(uniformGatherScore({}, 5), 0.0);
    }

    void scoresOfARowUseMagnitudes()
    {
        const std::vector<float> attention{0.5F, 0.25F, 0.25F}, ssm{-2, 1, 1};
        for (const auto& row : {attention, ssm}) { // the same shares, whatever sign and sum
            const RowScores scores = rowScores(row, 2);
            QVERIFY(std::abs(scores.entropy - 1.5 * std::log(2.0)) < 1e-9);
            QVERIFY(std::abs(scores.effectiveTokens - std::pow(2.0, 1.5)) < 1e-9);
            QCOMPARE(scores.sinkMass, 0.5);
            QCOMPARE(scores.diagonalMass, 0.25);
        }
    }

    void gatherAndAggregateFollowTheirDefinition()
    {
        // Segment of tokens 1..2, representative 2; the last row looks at it.
        const Matrix m = square(4, {1, 0, 0, 0, .5F, .5F, 0, 0, .1F, .6F, .3F, 0, .1F, .1F, .7F, .1F});
        const std::vector<TokenSegment> segments{{1, 3, true}};
        QVERIFY(std::abs(gatherScore(m, segments) - 0.6) < 1e-6);
        QVERIFY(std::abs(aggregateScore(m, segments) - 0.7) < 1e-6);
        QVERIFY(std::abs(targetMass(m, segments) - 0.8) < 1e-6);
    }

    void retrievalScoreCountsCopiedTokens()
    {
        // Tokens 7 8 | 5 6 (needle) | 7, then the answer 5 6. Row 4 predicts the 5, row 5 the 6.
        const std::vector<int> ids{7, 8, 5, 6, 7, 5, 6};
        const std::vector<TokenSegment> needle{{2, 4, true}};
        Matrix m(7, 7);
        m.at(4, 2) = -0.9F; // signed: the largest magnitude counts
        m.at(4, 1) = 0.5F;
        m.at(5, 0) = 0.8F; // looks elsewhere: 6 is not copied
        m.at(5, 3) = 0.2F;
        QCOMPARE(retrievalScore(m, ids, 5, needle), 0.5);
        m.at(5, 3) = 0.9F;
        QCOMPARE(retrievalScore(m, ids, 5, needle), 1.0);
        m.at(5, 5) = 2; // the 5 of the answer itself is no needle
        QCOMPARE(retrievalScore(m, ids, 5, needle), 0.5);
        QVERIFY(std::isnan(retrievalScore(m, ids, 5, {})));
    }

    void previousAndInductionScores()
    {
        const Matrix previous = square(3, {1, 0, 0, 1, 0, 0, 0, 1, 0});
        QCOMPARE(previousTokenScore(previous), 1.0);
        Matrix induction(4, 4); // a b c a: the last a looks at b
        induction.at(3, 1) = -0.75F;
        induction.at(3, 3) = 0.25F;
        const std::vector<int> ids{1, 2, 3, 1}, different{1, 2, 3, 4};
        QCOMPARE(inductionScore(induction, ids), 0.75);
        QCOMPARE(inductionScore(induction, different), 0.0);
    }

    void distanceIsZeroForItselfAndOneForNothingInCommon()
    {
        const Matrix a = square(2, {1, 0, 1, 0}), b = square(2, {0, 1, 0, 1});
        QCOMPARE(patternDistance(a, a), 0.0);
        QCOMPARE(patternDistance(a, b), 1.0);
        const Matrix scaled = square(2, {-4, 0, -4, 0}), opposite = square(2, {4, 0, 4, 0});
        QCOMPARE(patternDistance(scaled, opposite), 1.0); // signs count, sizes do not
        QCOMPARE(patternDistance(a, opposite), 0.0);
    }

    void onlySoftmaxRowsSumToOne()
    {
        QVERIFY(rowsSumToOne({}));
        QVERIFY(!rowsSumToOne({.shown = MatrixShown::MinusBaseline}));
        QVERIFY(!rowsSumToOne({.shown = MatrixShown::Weighted}));
        for (const MatrixKind kind : {MatrixKind::Hidden, MatrixKind::HiddenChannel, MatrixKind::Other})
            QVERIFY(!rowsSumToOne({.kind = kind}));
        QCOMPARE(describe({}), std::string("softmax attention (rows sum to 1)"));
        QCOMPARE(describe({.kind = MatrixKind::Hidden, .withDt = false, .withGate = true}),
                 std::string("hidden attention, with D, without dt, times the gate (signed, rows do not sum to 1)"));
        QCOMPARE(describe({.kind = MatrixKind::Hidden, .hasD = false}),
                 std::string("hidden attention (signed, rows do not sum to 1)"));
        QCOMPARE(describe({.kind = MatrixKind::HiddenChannel, .withD = false, .shown = MatrixShown::MinusBaseline}),
                 std::string("hidden attention of a channel, without D (signed, rows do not sum to 1), now minus "
                             "baseline"));
    }

    void sharesKeepSignsAndZeroRows()
    {
        const Matrix shares = rowShares(square(2, {0, 0, -3, 1}));
        QCOMPARE(shares.at(0, 0), 0.0F);
        QCOMPARE(shares.at(1, 0), -0.75F);
        QCOMPARE(shares.at(1, 1), 0.25F);
    }

    void sameTokensMatchThemselves()
    {
        const std::string text = "amber fox : 17";
        const auto tokens = words(text);
        const TokenMatch match({text, tokens}, {text, tokens});
        QVERIFY(match.identity());
        QCOMPARE(match.tokenOfB(3), 3);
        QCOMPARE(match.tokenOfB(4), -1);
        QCOMPARE(match.tokenOfA(-1), -1);
    }

    void finerTokensMatchTheOneThatEndsThePiece()
    {
        const std::string text = "amber 17";
        const auto coarse = words(text), fine = characters(text);
        const TokenMatch match({text, coarse}, {text, fine});
        QVERIFY(!match.identity());
        QCOMPARE(match.tokenOfB(0), 4); // the r of amber
        QCOMPARE(match.tokenOfB(1), 7);
        QCOMPARE(match.tokenOfA(0), 0);
        QCOMPARE(match.tokenOfA(6), 1);
    }

    void insertedTokensMatchEachOther()
    {
        const std::string text = "ab";
        const std::vector<TokenBytes> with{{0, 0}, {0, 1}, {1, 2}}, without{{0, 1}, {1, 2}};
        const TokenMatch match({text, with}, {text, without});
        QCOMPARE(match.tokenOfB(0), -1);
        QCOMPARE(match.tokenOfB(2), 1);
        QCOMPARE(match.tokenOfA(0), 1);
        QVERIFY(TokenMatch({text, with}, {text, with}).identity());
    }

    void textBetweenTokensBelongsToTheOneBefore()
    {
        const std::string text = "ab  cd";
        const std::vector<TokenBytes> loose{{0, 2}, {4, 6}}, tight{{0, 4}, {4, 6}};
        const TokenMatch match({text, tight}, {text, loose});
        QCOMPARE(match.tokenOfB(0), 0); // ends in the blanks, which `loose` does not cover
        QCOMPARE(match.tokenOfB(1), 1);
    }

    void differentTextsMatchAroundWhatDiffers()
    {
        const std::string a = "the fox : 17 ends here", b = "the owls : 4 ends here",
                          c = "the very old owl : 4 ends here";
        const auto tokensA = words(a), tokensB = words(b), tokensC = words(c);
        const TokenMatch equal({a, tokensA}, {b, tokensB});
        for (int t = 0; t < 6; ++t)
            QCOMPARE(equal.tokenOfB(t), t); // as many tokens between: by number
        const TokenMatch unequal({a, tokensA}, {c, tokensC});
        QCOMPARE(unequal.tokenOfB(0), 0);
        QCOMPARE(unequal.tokenOfB(1), -1);
        QCOMPARE(unequal.tokenOfB(5), 7);
        QCOMPARE(unequal.tokenOfA(7), 5);
    }

    void movedMapLosesNoMass()
    {
        const std::string text = "a 17";
        const auto coarse = words(text), fine = characters(text); // "a", " 17" against "a", " ", "1", "7"
        Matrix b(4, 4);
        b.at(0, 0) = 1;
        for (int col = 0; col < 4; ++col)
            b.at(3, col) = 0.25F;
        const Matrix moved = onTokensOfA(b, TokenMatch({text, coarse}, {text, fine}));
        QCOMPARE(moved.rows, 2);
        QCOMPARE(moved.at(0, 0), 1.0F);
        QCOMPARE(moved.at(1, 0), 0.25F);
        QCOMPARE(moved.at(1, 1), 0.75F);
        QCOMPARE(difference(moved, moved).at(1, 1), 0.0F);
    }

    void poolKeepsTheStrongestCellOfEachBlock()
    {
        PatternPool pool(5, 2);
        Matrix all(5, 5);
        all.at(3, 1) = -0.9F;
        all.at(2, 0) = 0.5F;
        all.at(4, 4) = 0.25F;
        for (int row = 0; row < 5; ++row) { // row by row, as they come from a long prompt
            Matrix one(1, 5);
            std::copy(all.row(row).begin(), all.row(row).end(), one.values.begin());
            pool.add(row, one);
        }
        QCOMPARE(pool.matrix().rows, 3);
        QCOMPARE(pool.matrix().at(1, 0), -0.9F);
        QCOMPARE(pool.matrix().at(2, 2), 0.25F);
        QCOMPARE(pool.matrix().at(0, 0), 0.0F);
        QCOMPARE(PatternPool::factorFor(16384, 2048), 8);
        QCOMPARE(PatternPool::factorFor(2049, 2048), 2);
    }

    void rowsWithoutAPartnerAreUnknown()
    {
        const std::string a = "x y", b = "x very long y";
        const auto tokensA = words(a), tokensB = words(b);
        const Matrix moved = onTokensOfA(Matrix(4, 4), TokenMatch({b, tokensB}, {a, tokensA}));
        QVERIFY(std::isnan(moved.at(1, 0)));
        QVERIFY(!std::isnan(moved.at(0, 0)));
    }
};

QTEST_GUILESS_MAIN(TestHeadScores)
#include "tst_headscores.moc"
