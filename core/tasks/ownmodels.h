// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which tokenizers belong to models of our own training, and how prompts of generated tasks start for each model.
// Values; any thread.

#include "core/tasks/task.h"
#include "core/text/tokenizer.h"

#include <vector>

namespace headscope::tasks {

/// The models that this program trains, in the box or by a recipe, and students distilled from them.
enum class OwnModel { None, Tiny, English };

/// Recognizes them by their vocabulary, whatever the folder is called: the toy words in their places, or the start
/// token, the 256 bytes and every two-digit number as one token in a vocabulary of the recipes' size.
[[nodiscard]] OwnModel ownModelOf(const text::Tokenizer& tokenizer);

/// Returns the ids in front of a generated prompt: those that the tokenizer itself puts in front of every text. The
/// tokenizers of our own models add nothing, but all their training texts began with the start token, so they get it.
[[nodiscard]] std::vector<int> startOf(const text::Tokenizer& tokenizer);

/// Prepares the generated leaves of a set for a model. Our own models read the rows of version 1, in which the start
/// token is written out, so that what is stored of them stays valid; the others read the text alone, after their own
/// start. May be applied again.
void fitTo(TaskSet& set, const text::Tokenizer& tokenizer);

/// Returns the text without a written start token of our own models.
[[nodiscard]] std::string_view withoutStart(std::string_view text);

} // namespace headscope::tasks
