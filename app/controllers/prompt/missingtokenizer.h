// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Models whose folder has no tokenizer: a person names one, which is remembered for that folder. Any thread.

#include "core/base/result.h"

#include <QString>

namespace headscope::gui {

/// Whether this model (a folder or a name) is there and has no tokenizer.
[[nodiscard]] bool lacksTokenizer(const QString& model);
/// `file`: tokenizer.json, vocab.json or another file.
[[nodiscard]] Result<void> rememberTokenizerOf(const QString& model, const QString& file);

} // namespace headscope::gui
