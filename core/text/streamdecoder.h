// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Decodes ids one by one as a model makes them, and never gives out half a character. One thread at a time.

#include "core/text/tokenizer.h"

#include <memory>
#include <string>
#include <vector>

namespace headscope::text {

/// What push and finish return, joined, is what Tokenizer::decode gives for all the ids, as long as the ids spell valid
/// UTF-8. Of invalid bytes no more is promised than that each return is valid UTF-8.
class StreamDecoder
{
public:
    StreamDecoder(std::shared_ptr<const Tokenizer> tokenizer, bool skipSpecial)
        : m_tokenizer(std::move(tokenizer)), m_skipSpecial(skipSpecial)
    {
    }

    /// The text that has become certain; empty while a character is incomplete. Fails as Tokenizer::decode does.
    [[nodiscard]] Result<std::string> push(int id);
    /// What is held back still, incomplete characters as U+FFFD. The decoder is then as new.
    [[nodiscard]] Result<std::string> finish();

private:
    [[nodiscard]] Result<std::string> advance(bool last);

    std::shared_ptr<const Tokenizer> m_tokenizer;
    bool m_skipSpecial;
    std::vector<int> m_ids;    ///< a window: ids given out last, then those that came since
    std::size_t m_settled = 0; ///< how many of m_ids were given out when no character was open
    std::string m_shown;       ///< the text of m_ids that was given out
};

} // namespace headscope::text
