// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The tokenizer that the loader assembles from its components. Private to core/text. Immutable: any thread.

#include "core/text/models/tokenizermodels.h"
#include "core/text/steps/addedtokens.h"
#include "core/text/steps/decoders.h"
#include "core/text/steps/normalizers.h"
#include "core/text/steps/postprocessor.h"
#include "core/text/steps/pretokenizers.h"
#include "core/text/tokenizer.h"

#include <atomic>
#include <string>
#include <vector>

namespace headscope::text {

struct PipelineParts {
    NormalizerPtr normalizer;     ///< may be null
    PreTokenizerPtr preTokenizer; ///< may be null: a text is one word
    ModelPtr model;
    PostProcessor postProcessor;
    DecoderPtr decoder; ///< may be null: tokens joined by spaces
    AddedTokens added;
    std::optional<int> bos;
    std::optional<int> eos;
    bool wantsCleanUp = false;
    bool splitSpecial = false;     ///< special tokens spelled out in a text are plain text
    bool hasPostProcessor = false; ///< the files define the tokens around a text; false: two flags do
    std::string contentHash;
    std::vector<std::string> warnings;
};

class Pipeline final : public Tokenizer
{
public:
    explicit Pipeline(PipelineParts parts) : m_parts(std::move(parts)) {}
    ~Pipeline() override { delete m_cache.load(); }
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    Result<Encoding> encode(std::string_view text, bool addSpecial) const override;
    Result<Encoding> encodePlain(std::string_view text, bool addSpecial) const override;
    Result<std::string> decode(std::span<const int> ids, bool skipSpecial) const override;
    int vocabularySize() const override;
    std::optional<int> idOf(std::string_view token) const override;
    std::optional<std::string> tokenOf(int id) const override;
    std::optional<int> bosId() const override { return m_parts.bos; }
    std::optional<int> eosId() const override { return m_parts.eos; }
    std::vector<int> startIds() const override { return m_parts.postProcessor.idsBeforeText(); }
    bool wantsCleanUp() const override { return m_parts.wantsCleanUp; }
    std::string contentHash() const override { return m_parts.contentHash; }
    std::vector<std::string> warnings() const override { return m_parts.warnings; }

private:
    class CacheLease;
    Result<Encoding> guarded(std::string_view text, bool addSpecial, bool splitSpecial) const;
    Result<Encoding> run(std::string_view text, bool addSpecial, bool splitSpecial) const;
    const std::string& spellingOf(int id) const;

    PipelineParts m_parts;
    mutable std::atomic<WordCache*> m_cache{nullptr}; ///< owned; null while a call uses it
};

} // namespace headscope::text
