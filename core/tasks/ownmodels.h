// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Recognizes models trained by Headscope, and determines how prompts of generated tasks start for each model. Values;
// any thread.

#include "core/tasks/task.h"
#include "core/text/tokenizer.h"

#include <vector>

namespace headscope::tasks {

/// The models that this program trains, included or by a recipe, and students distilled from them.
enum class OwnModel { None, Tiny, English };

/// Recognizes them by their vocabulary, whatever the folder's name: the toy words at their ids, or the start token, the
/// 256 bytes and every two-digit number as one token in a vocabulary of the recipes' size.
[[nodiscard]] OwnModel ownModelOf(const text::Tokenizer& tokenizer);

/// Returns the ids in front of a generated prompt: those that the tokenizer itself adds to every text. The tokenizers
/// of Headscope's own models add none, but all their training texts began with the start token, so they get it.
[[nodiscard]] std::vector<int> startOf(const text::Tokenizer& tokenizer);

/// Prepares the generated leaves of a set for a model. Headscope's own models read the rows of version 1, in which the
/// start token is part of the text, so that their stored results stay valid; others read the text alone, after their
/// own start. May be applied repeatedly.
void fitTo(TaskSet& set, const text::Tokenizer& tokenizer);

/// Returns the text without the literal start token of Headscope's own models.
[[nodiscard]] std::string_view withoutStart(std::string_view text);

} // namespace headscope::tasks
