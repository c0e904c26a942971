// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A prompt, its tokens and the model's continuation. Plain values; any thread.

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

/// A marked part of the prompt, shown with brackets: a range of bytes of the text, or of tokens.
struct Span {
    Role role = Role::Key;
    std::size_t begin = 0;
    std::size_t end = 0;
    bool target = false;
    bool operator==(const Span&) const = default;
};

/// A prompt and its origin.
struct Prompt {
    std::string text;
    std::vector<Span> spans; ///< byte ranges of text
    std::string task;        ///< empty: free text
    int sample = 0;
    int samples = 0; ///< number of samples of the task
    std::string answer;
    std::vector<text::ChatMessage> turns{}; ///< of a conversation; `text` is what the chat template makes of them
    std::optional<std::string> textOfB{};   ///< text for model B if its chat template formats the turns differently
    bool operator==(const Prompt&) const = default;
};

struct TokenizedPrompt {
    std::vector<int> ids;
    std::vector<std::string> tokens;    ///< the part of the text that each token covers
    std::vector<std::string> spellings; ///< the tokens as spelled in the vocabulary; empty in a stored prompt
    std::vector<std::pair<std::size_t, std::size_t>> offsets; ///< bytes
};

/// A conversation formatted for each open model, up to the point where the model continues it.
struct WrittenConversation {
    struct OfSide {
        std::optional<std::string> text; ///< none: there is no template, or it rejects the conversation
        bool hasTemplate = false;
        std::string problem; ///< one sentence
    };
    std::array<OfSide, 2> sides;
};

struct ContinueRequest {
    int tokens = 32;        ///< upper limit of new tokens; fewer at the model's longest prompt
    double temperature = 0; ///< 0: always the most probable token
    std::uint64_t seed = 0;
};

/// A generated token and the alternatives considered.
struct ContinuedToken {
    std::string text; ///< empty while a character is incomplete
    double probability = 0;
    std::vector<std::pair<std::string, double>> candidates; ///< most probable first
};

/// The tokens generated since the previous part.
struct ContinuationPart {
    enum class Ending { None, EnoughTokens, StopToken, LongestPrompt };
    std::vector<ContinuedToken> tokens;
    Ending ending = Ending::None; ///< anything but None: this is the last part
};

struct NextTokenReply {
    std::vector<std::pair<std::string, double>> tokens; ///< most probable first
    /// The most probable token and the greedy continuation after it: as long as that is a prefix of the prompt's
    /// answer, or up to the end of the word if no answer is known.
    std::string written;
};

/// Requests a sample of a task.
struct SampleRequest {
    using Reply = Prompt;
    std::string task;
    int index = 0; ///< wraps around
};
[[nodiscard]] Job<Prompt> jobOf(const SampleRequest& request);

/// Requests the tokens of a prompt. Fails for a prompt that is too long.
struct TokensRequest {
    using Reply = TokenizedPrompt;
    Side side = Side::A;
    Prompt prompt;
};
[[nodiscard]] Job<TokenizedPrompt> jobOf(const TokensRequest& request);

/// Requests the next tokens after a prompt, most probable first.
struct NextTokensRequest {
    using Reply = NextTokenReply;
    Side side = Side::A;
    Prompt prompt;
    interventions::InterventionSet ablation;
};
[[nodiscard]] Job<NextTokenReply> jobOf(const NextTokensRequest& request);

/// Continues a prompt and reports each new token. Other requests run between two tokens.
struct ContinuationRequest {
    using Reply = ContinuationPart;
    Side side = Side::A;
    Prompt prompt;
    interventions::InterventionSet ablation;
    ContinueRequest how;
};
[[nodiscard]] Job<ContinuationPart> jobOf(const ContinuationRequest& request);

/// The same request for the next turn of a conversation.
struct TurnRequest : ContinuationRequest {
};

/// Formats a conversation with the chat templates of the open models.
struct ConversationRequest {
    using Reply = WrittenConversation;
    std::vector<text::ChatMessage> turns;
};
[[nodiscard]] Job<WrittenConversation> jobOf(const ConversationRequest& request);

} // namespace headscope::app
