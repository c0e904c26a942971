// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From an example's text to token sequences and the scored positions, exactly as in the reference harness and the
// paper's KV retrieval; core/tasks/README.md gives both rules. Any thread.

#include "core/base/result.h"
#include "core/tasks/task.h"
#include "core/text/tokenizer.h"

#include <string>
#include <vector>

namespace headscope::engine {

enum class BosPolicy { Never, TokenizerDefault, Always };

/// "never", "default", "always"
[[nodiscard]] const char* name(BosPolicy policy);

/// Encodes a prompt by its task's rule; a start token that is not in the text has offsets {0, 0}.
[[nodiscard]] Result<text::Encoding> encodeText(const std::string& text, tasks::PairEncoding pairing,
                                                const text::Tokenizer& tokenizer, BosPolicy bos);

/// One forward pass: the input ids, and where each continuation token is read.
struct Sequence {
    struct Target {
        int choice = 0;
        int position = 0; ///< index into ids: logits there predict `token`
        int token = 0;
    };
    std::vector<int> ids;
    std::vector<Target> targets;
};

/// An example as sequences: one for all single-token choices, otherwise one per choice.
struct EncodedExample {
    int choices = 0;
    std::vector<Sequence> sequences;
    std::vector<int> prompt; ///< Generation: the ids to continue
    bool truncated = false;
    std::string rejected; ///< why it cannot be scored; empty: it can be
};

/// Encodes an example. maxLength: maximum input tokens of the model. A row that cannot be scored (empty or too long
/// continuation, a word outside the vocabulary) does not fail the call: `rejected` gives the reason.
[[nodiscard]] EncodedExample encode(const tasks::Example& example, tasks::PairEncoding pairing,
                                    const text::Tokenizer& tokenizer, BosPolicy bos, int maxLength);

} // namespace headscope::engine
