// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The parts that readPage() is put together of, each filling its own members. Private to app/page; on the thread of
// the session.

#include "app/page/pagedata.h"
#include "app/page/pagesource.h"
#include "core/base/result.h"

#include <stdexcept>
#include <string_view>
#include <utility>

namespace headscope::page {

/// What cannot be read, on its way to readPage().
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

/// Place of a model on the page; -1: it is not shown.
[[nodiscard]] int placeOf(const Data& data, std::string_view modelHash);
/// The first `bytes` of a text and an ellipsis, never half a character.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t bytes);

void readModels(sessions::SessionStore& session, const Options& options, Data& data);
/// After readModels() and readRankings().
void readPatterns(sessions::SessionStore& session, const Options& options, Data& data);
/// After readPatterns(): states, their scores, flips and answers.
void readStates(sessions::SessionStore& session, Data& data);
void readRankings(sessions::SessionStore& session, Data& data);
/// After readStates(): what a lens says at the end of a sample is a state's answer.
void readAnalyses(sessions::SessionStore& session, Data& data);

} // namespace headscope::page
