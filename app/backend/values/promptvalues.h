// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A prompt, its tokens and how a model continues with it. Plain values; any thread.

#include "core/base/role.h"
#include "core/base/side.h"
#include "core/interventions/intervention.h"
#include "core/text/chatmessage.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;

/// A piece of the prompt for brackets: bytes of the text, or tokens.
struct Span {
    Role role = Role::Key;
    std::size_t begin = 0;
    std::size_t end = 0;
    bool target = false;
    bool operator==(const Span&) const = default;
};

/// A prompt and where it comes from.
struct Prompt {
    std::string text;
    std::vector<Span> spans; ///< byte ranges of text
    std::string task;        ///< empty: free text
    int sample = 0;
    int samples = 0; ///< of the task
    std::string answer;
    std::vector<text::ChatMessage> turns{}; ///< of a conversation, which `text` is as a chat template writes it
    std::optional<std::string> textOfB{};   ///< the same for model B where its template writes something else
    bool operator==(const Prompt&) const = default;
};

struct TokenizedPrompt {
    std::vector<int> ids;
    std::vector<std::string> tokens;    ///< what each writes of the text
    std::vector<std::string> spellings; ///< the same as the vocabulary spells them; none in a stored prompt
    std::vector<std::pair<std::size_t, std::size_t>> offsets; ///< bytes
};

/// A conversation up to where each open model writes on.
struct WrittenConversation {
    struct OfSide {
        std::optional<std::string> text; ///< none: there is no template, or it refuses the conversation
        bool hasTemplate = false;
        std::string problem; ///< a sentence
    };
    std::array<OfSide, 2> sides;
};

struct ContinueRequest {
    int tokens = 32;        ///< the most new tokens; fewer where the model's longest prompt ends
    double temperature = 0; ///< 0: always the likeliest
    std::uint64_t seed = 0;
};

/// A token that a model added, and what else it thought of.
struct ContinuedToken {
    std::string text; ///< empty while a character is incomplete
    double probability = 0;
    std::vector<std::pair<std::string, double>> candidates; ///< most likely first
};

/// What came since the last part.
struct ContinuationPart {
    enum class Ending { None, EnoughTokens, StopToken, LongestPrompt };
    std::vector<ContinuedToken> tokens;
    Ending ending = Ending::None; ///< anything else: this is the last part
};

struct NextTokenReply {
    std::vector<std::pair<std::string, double>> tokens; ///< most likely first
    /// The likeliest token and what the model writes after it: while that begins the prompt's answer, or to the end of
    /// the word where no answer is known.
    std::string written;
};

/// A sample of a task.
struct SampleRequest {
    using Reply = Prompt;
    std::string task;
    int index = 0; ///< wraps around
};
[[nodiscard]] Job<Prompt> jobOf(const SampleRequest& request);

/// What a model reads of a prompt; fails for one that is too long.
struct TokensRequest {
    using Reply = TokenizedPrompt;
    Side side = Side::A;
    Prompt prompt;
};
[[nodiscard]] Job<TokenizedPrompt> jobOf(const TokensRequest& request);

/// What comes behind a prompt, most likely first.
struct NextTokensRequest {
    using Reply = NextTokenReply;
    Side side = Side::A;
    Prompt prompt;
    interventions::InterventionSet ablation;
};
[[nodiscard]] Job<NextTokenReply> jobOf(const NextTokensRequest& request);

/// Continues a prompt; reported with each new token. Others are served between two of them.
struct ContinuationRequest {
    using Reply = ContinuationPart;
    Side side = Side::A;
    Prompt prompt;
    interventions::InterventionSet ablation;
    ContinueRequest how;
};
[[nodiscard]] Job<ContinuationPart> jobOf(const ContinuationRequest& request);

/// The same for the next turn of a conversation.
struct TurnRequest : ContinuationRequest {
};

/// What the chat templates of the open models make of a conversation.
struct ConversationRequest {
    using Reply = WrittenConversation;
    std::vector<text::ChatMessage> turns;
};
[[nodiscard]] Job<WrittenConversation> jobOf(const ConversationRequest& request);

} // namespace headscope::app
