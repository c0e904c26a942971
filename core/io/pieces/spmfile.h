// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// tokenizer.model: SentencePiece's own file, a message of Google's protocol buffers. Any thread.

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace headscope::io {

/// What tokenizer.json would say of the vocabulary that `bytes` hold; special tokens around a text are left to those
/// who know the model. Fails for files of other kinds (tiktoken's, Mistral's tekken) and for models of words or
/// characters.
[[nodiscard]] Result<std::string> spmTokenizer(std::string_view bytes);

} // namespace headscope::io
