// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tours and exercises as steps of a page's guided story. Any thread.

#include "app/page/pagedata.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::page {

/// Reads a tour or exercises from a file in `resources`, or a file of the user's own. `german`: its translation, if
/// there is one beside it ("NAME.de.json"); otherwise nothing.
[[nodiscard]] Result<Story> readStory(const std::filesystem::path& file);
/// Finds a story by name or path. Fails if there is none, naming the available ones.
[[nodiscard]] Result<std::filesystem::path> findStory(const std::filesystem::path& resources, const std::string& name);
/// Returns the path of the translation beside a story; empty if there is none.
[[nodiscard]] std::filesystem::path germanOf(const std::filesystem::path& file);

/// Returns the sources of the prompts in its steps, each once: "toy_kv:pairs=8, sample 5".
[[nodiscard]] std::vector<std::string> sourcesOf(const Story& story);
/// Returns the ablations that steps show, reveal or are solved by on a side, each once, without names such as
/// "{aggregate}", which depend on a ranking.
[[nodiscard]] std::vector<std::string> ablationsOf(const Story& story, int side);

/// Replaces "{gather}", "{aggregate}" and, for B, "{gatherB}", "{aggregateB}" by the heads found in the page's
/// rankings. Names without such heads stay.
void nameHeads(const Data& data, Story& story);

} // namespace headscope::page
