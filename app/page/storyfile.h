// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tours and exercises as steps of a page's guided story. Any thread.

#include "app/page/pagedata.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::page {

/// A tour or exercises by the name of its file in `resources`, or a file of the user's own. `german`: its translation,
/// where there is one beside it ("NAME.de.json"); else nothing.
[[nodiscard]] Result<Story> readStory(const std::filesystem::path& file);
/// Where a story by this name or path is. Fails where there is none, naming those that there are.
[[nodiscard]] Result<std::filesystem::path> findStory(const std::filesystem::path& resources, const std::string& name);
/// The translation beside a story; empty where there is none.
[[nodiscard]] std::filesystem::path germanOf(const std::filesystem::path& file);

/// Sources of the prompts that steps show, each once: "toy_kv:pairs=8, sample 5".
[[nodiscard]] std::vector<std::string> sourcesOf(const Story& story);
/// Ablations that steps show, reveal or are solved by on a side, each once, without names such as "{aggregate}" that a
/// ranking finds.
[[nodiscard]] std::vector<std::string> ablationsOf(const Story& story, int side);

/// Puts the heads that the page's rankings found in the place of "{gather}", "{aggregate}" and, of B, "{gatherB}",
/// "{aggregateB}". A name that was not found stays.
void nameHeads(const Data& data, Story& story);

} // namespace headscope::page
