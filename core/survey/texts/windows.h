// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Texts as windows of tokens, in a seeded order that is the same on every machine. One thread at a time.

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
    std::uint32_t number = 0; ///< of the piece
    WindowFacts facts;        ///< the start token in front where there is one
    std::int64_t leftOut = 0; ///< of the first window of a piece: its words that the vocabulary cannot spell
};

struct WindowOptions {
    int length = 128;                ///< tokens of a window, the start token included
    std::int64_t tokens = 1'000'000; ///< at most this many; 0: all texts
    std::uint64_t seed = 0;          ///< of the order of pieces
    std::optional<int> start{};      ///< put in front of each window
    std::optional<int> unknown{};    ///< what words outside the vocabulary become
};

/// What windows were made of.
struct WindowCounts {
    std::int64_t windows = 0;
    std::int64_t tokens = 0;  ///< start tokens included
    std::int64_t unknown = 0; ///< of them
    std::int64_t leftOut = 0; ///< words that a vocabulary without a token for such cannot spell
    std::int64_t shorter = 0; ///< windows that the text was too short for
    /// Sums over rows of what a head that reads all tokens alike scores, and how many rows have such a score.
    BlockSum gatherChance, aggregateChance;
    std::int64_t gathers = 0, aggregates = 0;

    void add(const Window& window, const WindowOptions& options);
    /// Ends a block of texts.
    void close();
    /// Takes in the next block, counted by itself.
    void take(const WindowCounts& block);
    bool operator==(const WindowCounts&) const = default;
};

/// Text behind its last window that is not as long as this is left out.
inline constexpr int kFewestTokens = 4;

class Windows
{
public:
    /// Where a reader stands: pieces begun, and windows given of the last of them.
    struct Position {
        std::uint64_t piece = 0;
        std::uint64_t window = 0;
        WindowCounts counts;
        bool operator==(const Position&) const = default;
    };

    Windows(std::shared_ptr<const TextSource> source, std::shared_ptr<const text::Tokenizer> tokenizer,
            WindowOptions options);

    /// The next one; nothing at the end. Fails for what cannot be read or spelled.
    [[nodiscard]] Result<std::optional<Window>> next();
    [[nodiscard]] const Position& position() const { return m_position; }
    /// Resumes from where another reader of the same texts and options stood.
    [[nodiscard]] Result<void> goTo(const Position& position);

    /// One window again, by its piece and number.
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
    std::vector<std::uint32_t> m_order; ///< of pieces
    std::vector<Window> m_current;      ///< of the piece that is being read
    Position m_position;
    mutable std::unordered_map<std::string, bool> m_spelled; ///< words that were asked for, whether they can be spelled
};

/// The id that a tokenizer gives to words that it lacks, by the names that such tokens have; nothing for one that can
/// spell every text.
[[nodiscard]] std::optional<int> unknownToken(const text::Tokenizer& tokenizer);

} // namespace headscope::survey
