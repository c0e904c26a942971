// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From the JSON of tokenizer.json to its components. Private to core/text. Any thread.

#include "core/base/result.h"
#include "core/text/models/tokenizermodels.h"
#include "core/text/steps/addedtokens.h"
#include "core/text/steps/decoders.h"
#include "core/text/steps/normalizers.h"
#include "core/text/steps/postprocessor.h"
#include "core/text/steps/pretokenizers.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace headscope::text {

// Each fails for a type that is not known, naming it. Null JSON gives no component.

[[nodiscard]] Result<NormalizerPtr> readNormalizer(const nlohmann::json& json);
/// `spellsBytes`: see Model; decides how the last ByteLevel hands its words on.
[[nodiscard]] Result<PreTokenizerPtr> readPreTokenizer(const nlohmann::json& json, bool spellsBytes);
[[nodiscard]] Result<PostProcessor> readPostProcessor(const nlohmann::json& json);
[[nodiscard]] Result<DecoderPtr> readDecoder(const nlohmann::json& json);
[[nodiscard]] Result<ModelPtr> readModel(const nlohmann::json& json);
[[nodiscard]] Result<std::vector<AddedToken>> readAddedTokens(const nlohmann::json& json);

/// An added token as tokenizer_config.json and special_tokens_map.json write it: an object with `content`.
[[nodiscard]] Result<AddedToken> readAddedToken(const nlohmann::json& json, const std::string& where);

/// Lines "left right", as in merges.txt.
[[nodiscard]] Result<std::pair<std::string, std::string>> splitMerge(std::string_view line, std::size_t number);
/// An object from token to id.
[[nodiscard]] Result<Vocabulary> readVocabulary(const nlohmann::json& json, const std::string& where);

} // namespace headscope::text
