// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Models whose folder has no tokenizer: the user names one, which is remembered for that folder. Any thread.

#include "core/base/result.h"

#include <QString>

namespace headscope::gui {

/// Returns whether this model (a folder or a name) exists and has no tokenizer.
[[nodiscard]] bool lacksTokenizer(const QString& model);
/// Remembers a tokenizer. `file`: tokenizer.json, vocab.json or another file.
[[nodiscard]] Result<void> rememberTokenizerOf(const QString& model, const QString& file);

} // namespace headscope::gui
