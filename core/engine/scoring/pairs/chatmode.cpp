// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/pairs/chatmode.h"

#include "core/base/hash.h"

#include <string_view>

namespace headscope::engine {

namespace {

constexpr std::string_view kLetterTask = "arc_challenge_chat";
constexpr std::string_view kLetterPrefix = "The best answer is"; // the harness's gen_prefix, after one space of its own

Result<std::string> conversation(const text::ChatTemplate& chat, const std::string& description,
                                 std::string_view question)
{
    std::vector<text::ChatMessage> messages;
    if (!description.empty() && question.starts_with(description)) {
        messages.push_back({"system", description});
        question.remove_prefix(description.size());
    }
    messages.push_back({"user", std::string(question)});
    return chat.render(messages);
}

Result<void> convert(tasks::Example& example, const tasks::LeafTask& leaf, const text::ChatTemplate& chat)
{
    std::string_view question = example.context;
    std::string_view begun;
    if (leaf.name.starts_with(kLetterTask) && question.ends_with(kLetterPrefix)) {
        begun = kLetterPrefix;
        question.remove_suffix(kLetterPrefix.size() + 1);
    }
    auto text = conversation(chat, leaf.description, question);
    if (!text.has_value())
        return text.error();
    example.context = *text + std::string(begun);
    example.segments.clear();
    if (example.scoring == tasks::Scoring::MultipleChoice)
        for (std::string& continuation : example.continuations)
            if (continuation.starts_with(leaf.delimiter))
                continuation.erase(0, leaf.delimiter.size());
    return {};
}

} // namespace

Result<void> applyChatTemplate(tasks::TaskSet& set, const text::ChatTemplate& chat)
{
    for (const tasks::LeafTask& leaf : set.leaves) {
        if (leaf.pairing == tasks::PairEncoding::KvRetrieval)
            return inputError("Task '" + leaf.name
                              + "' is tokenized by rules of its own and cannot be used with a chat template.");
        for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
            if (!set.examples[i].contexts.empty())
                return inputError(
                    "Task '" + leaf.name
                    + "' scores one text after several contexts and cannot be used with a chat template.");
            if (const auto done = convert(set.examples[i], leaf, chat); !done.has_value())
                return done;
        }
    }
    for (tasks::LeafTask& leaf : set.leaves) {
        leaf.pairing = tasks::PairEncoding::Harness; // the template writes the start
        leaf.rowSource = sha256Hex(leaf.rowSource + " asked through the chat template " + chat.hash());
    }
    set.notes.push_back("Asked through the model's chat template (SHA-256 " + chat.hash() + ").");
    return {};
}

} // namespace headscope::engine
