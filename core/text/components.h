// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Makes components from the JSON of tokenizer.json. Private to core/text. Any thread.

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

// Each fails with the name of an unknown type. Null JSON gives no component.

[[nodiscard]] Result<NormalizerPtr> readNormalizer(const nlohmann::json& json);
/// `spellsBytes`: see Model; decides in which form the last ByteLevel passes its words on.
[[nodiscard]] Result<PreTokenizerPtr> readPreTokenizer(const nlohmann::json& json, bool spellsBytes);
[[nodiscard]] Result<PostProcessor> readPostProcessor(const nlohmann::json& json);
[[nodiscard]] Result<DecoderPtr> readDecoder(const nlohmann::json& json);
[[nodiscard]] Result<ModelPtr> readModel(const nlohmann::json& json);
[[nodiscard]] Result<std::vector<AddedToken>> readAddedTokens(const nlohmann::json& json);

/// Reads an added token from tokenizer_config.json or special_tokens_map.json: an object with `content`.
[[nodiscard]] Result<AddedToken> readAddedToken(const nlohmann::json& json, const std::string& where);

/// Splits a line "left right" of merges.txt.
[[nodiscard]] Result<std::pair<std::string, std::string>> splitMerge(std::string_view line, std::size_t number);
/// Reads an object from token to id.
[[nodiscard]] Result<Vocabulary> readVocabulary(const nlohmann::json& json, const std::string& where);

} // namespace headscope::text
