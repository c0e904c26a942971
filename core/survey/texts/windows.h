// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Splits texts into windows of tokens, in a seeded order that is the same on every machine. One thread at a time.

#include "core/survey/rowvalues.h"
#include "core/survey/texts/textpacking.h"
#include "core/survey/texts/textsource.h"
#include "core/text/tokenizer.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace headscope::survey {

struct Window {
    std::uint32_t piece = 0;
    std::uint32_t number = 0; ///< index in the piece
    WindowFacts facts;        ///< including the start token, if any
    std::int64_t leftOut = 0; ///< for a piece's first window: number of its words that the vocabulary cannot represent
};

struct WindowOptions {
    int length = 128;                ///< tokens per window, including the start token
    std::int64_t tokens = 1'000'000; ///< maximum number of tokens; 0: all texts
    std::uint64_t seed = 0;          ///< seed of the order of pieces
    std::optional<int> start{};      ///< token in front of each window
    std::optional<int> unknown{};    ///< token for words outside the vocabulary
};

/// Counts of the windows' contents.
struct WindowCounts {
    std::int64_t windows = 0;
    std::int64_t tokens = 0;  ///< including start tokens
    std::int64_t unknown = 0; ///< unknown tokens among these
    std::int64_t leftOut = 0; ///< words that a vocabulary without an unknown token cannot represent
    std::int64_t shorter = 0; ///< windows whose text was shorter than the requested length
    /// Sums over rows of the scores of a head that attends uniformly, and the number of rows with such a score.
    BlockSum gatherChance, aggregateChance;
    std::int64_t gathers = 0, aggregates = 0;

    void add(const Window& window, const WindowOptions& options);
    /// Ends a block of texts.
    void close();
    /// Appends the next block, counted separately.
    void take(const WindowCounts& block);
    bool operator==(const WindowCounts&) const = default;
};

/// A remainder after the last full window is dropped if it is shorter than this.
inline constexpr int kFewestTokens = 4;

class Windows
{
public:
    /// A reader's position: pieces begun, and windows returned of the last of them.
    struct Position {
        std::uint64_t piece = 0;
        std::uint64_t window = 0;
        WindowCounts counts;
        bool operator==(const Position&) const = default;
    };

    Windows(std::shared_ptr<const TextSource> source, std::shared_ptr<const text::Tokenizer> tokenizer,
            WindowOptions options);

    /// Returns the next window; nothing at the end. Fails for text that cannot be read or represented.
    [[nodiscard]] Result<std::optional<Window>> next();
    [[nodiscard]] const Position& position() const { return m_position; }
    /// Resumes from the position of another reader of the same texts and options.
    [[nodiscard]] Result<void> goTo(const Position& position);

    /// Reads one window again, by its piece and number.
    [[nodiscard]] Result<Window> again(std::uint32_t piece, std::uint32_t number) const;
    [[nodiscard]] Result<std::string> nameOf(std::uint32_t piece) const;
    [[nodiscard]] const WindowOptions& options() const { return m_options; }

private:
    [[nodiscard]] Result<std::vector<Window>> windowsOf(std::uint32_t piece) const;
    [[nodiscard]] Result<std::pair<PieceText, text::Encoding>> encoded(std::uint32_t piece,
                                                                       std::int64_t& leftOut) const;
    [[nodiscard]] bool canSpell(const std::string& word) const;
    [[nodiscard]] bool enough() const { return m_options.tokens > 0 && m_position.counts.tokens >= m_options.tokens; }
    std::shared_ptr<const TextSource> m_source;
    std::shared_ptr<const text::Tokenizer> m_tokenizer;
    WindowOptions m_options;
    std::vector<std::uint32_t> m_order; ///< order of pieces
    std::vector<Window> m_current;      ///< windows of the current piece
    Position m_position;
    mutable std::unordered_map<std::string, bool> m_spelled; ///< cache of words, whether they can be represented
};

/// Returns a tokenizer's id for unknown words, by the usual names of such tokens; nothing for a tokenizer that can
/// represent every text.
[[nodiscard]] std::optional<int> unknownToken(const text::Tokenizer& tokenizer);

} // namespace headscope::survey
