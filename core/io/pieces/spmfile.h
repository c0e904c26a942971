// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// tokenizer.model: SentencePiece's own file, a protocol buffer message. Any thread.

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace headscope::io {

/// Converts the vocabulary in `bytes` to tokenizer.json; special tokens around a text are left to callers that
/// know the model. Fails for files of other kinds (tiktoken's, Mistral's tekken) and for models of words or
/// characters.
[[nodiscard]] Result<std::string> spmTokenizer(std::string_view bytes);

} // namespace headscope::io
