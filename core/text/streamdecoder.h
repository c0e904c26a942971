// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Decodes ids one by one as a model generates them, and never returns part of a character. One thread at a time.

#include "core/text/tokenizer.h"

#include <memory>
#include <string>
#include <vector>

namespace headscope::text {

/// The outputs of push and finish, joined, equal Tokenizer::decode for all the ids, as long as the ids spell valid
/// UTF-8. For invalid bytes only the validity of each output as UTF-8 is guaranteed.
class StreamDecoder
{
public:
    StreamDecoder(std::shared_ptr<const Tokenizer> tokenizer, bool skipSpecial)
        : m_tokenizer(std::move(tokenizer)), m_skipSpecial(skipSpecial)
    {
    }

    /// Returns the text that has become certain; empty while a character is incomplete. Fails like Tokenizer::decode.
    [[nodiscard]] Result<std::string> push(int id);
    /// Returns the remaining text, incomplete characters as U+FFFD, and resets the decoder.
    [[nodiscard]] Result<std::string> finish();

private:
    [[nodiscard]] Result<std::string> advance(bool last);

    std::shared_ptr<const Tokenizer> m_tokenizer;
    bool m_skipSpecial;
    std::vector<int> m_ids;    ///< a window: ids returned last, then those that came since
    std::size_t m_settled = 0; ///< how many of m_ids were returned when no character was open
    std::string m_shown;       ///< returned text of m_ids
};

} // namespace headscope::text
