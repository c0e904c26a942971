// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The functions that readPage() consists of, each filling its own members. Private to app/page; on the thread of the
// session.

#include "app/page/pagedata.h"
#include "app/page/pagesource.h"
#include "core/base/result.h"

#include <stdexcept>
#include <string_view>
#include <utility>

namespace headscope::page {

/// Thrown to readPage() for data that cannot be read.
struct Unreadable : std::runtime_error {
    explicit Unreadable(Error e) : std::runtime_error(e.message), error(std::move(e)) {}
    Error error;
};

template <typename T> T need(Result<T> result)
{
    if (!result.has_value())
        throw Unreadable(result.error());
    return std::move(*result);
}

/// Returns the index of a model on the page; -1: not shown.
[[nodiscard]] int placeOf(const Data& data, std::string_view modelHash);
/// Returns the first `bytes` of a text and an ellipsis, without splitting a character.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t bytes);

void readModels(sessions::SessionStore& session, const Options& options, Data& data);
/// Call after readModels() and readRankings().
void readPatterns(sessions::SessionStore& session, const Options& options, Data& data);
/// Reads states, their scores, flips and answers. Call after readPatterns().
void readStates(sessions::SessionStore& session, Data& data);
void readRankings(sessions::SessionStore& session, Data& data);
/// Call after readStates(): the final output of a lens on a sample is a state's answer.
void readAnalyses(sessions::SessionStore& session, Data& data);

} // namespace headscope::page
