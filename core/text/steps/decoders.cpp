// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/steps/decoders.h"

#include "core/text/models/bytealphabet.h"
#include "core/text/tokenizer.h"
#include "core/text/unicode/utf8.h"

#include <optional>
#include <utility>

namespace headscope::text {

namespace {

// A tokenizer from anywhere can ask for texts without end: each of a chain of replacements doubles what the one before
// made. None that is meant to be used makes more out of its tokens than this.
constexpr std::size_t kGrowth = 16, kAlways = std::size_t{64} << 10;

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

std::size_t bytesOf(const std::vector<std::string>& tokens)
{
    std::size_t bytes = 0;
    for (const std::string& token : tokens)
        bytes += token.size();
    return bytes;
}

Error tooLong()
{
    return inputError("The tokenizer's decoder makes a text of more than " + std::to_string(kGrowth)
                      + " times its length out of it; this file is damaged or made to fill the memory.");
}

class SequenceDecoder final : public Decoder
{
public:
    explicit SequenceDecoder(std::vector<DecoderPtr> steps) : m_steps(std::move(steps)) {}
    Result<void> decode(std::vector<std::string>& tokens) const override
    {
        const std::size_t most = kGrowth * bytesOf(tokens) + kAlways;
        for (const DecoderPtr& step : m_steps) {
            if (Result<void> done = step->decode(tokens); !done.has_value())
                return done;
            if (bytesOf(tokens) > most)
                return tooLong();
        }
        return {};
    }

private:
    std::vector<DecoderPtr> m_steps;
};

class ByteLevelDecoder final : public Decoder
{
public:
    Result<void> decode(std::vector<std::string>& tokens) const override
    {
        std::string bytes;
        for (const std::string& token : tokens) {
            const std::size_t before = bytes.size();
            for (std::size_t i = 0; i < token.size();) {
                const auto byte = byteOf(nextCharacter(token, i));
                if (!byte) { // not in the alphabet: the token is taken as it stands
                    bytes.resize(before);
                    bytes += token;
                    break;
                }
                bytes.push_back(static_cast<char>(*byte));
            }
        }
        tokens = {replaceInvalidUtf8(bytes)};
        return {};
    }
};

class ReplaceDecoder final : public Decoder
{
public:
    ReplaceDecoder(Pattern pattern, std::string content) : m_pattern(std::move(pattern)), m_content(std::move(content))
    {
    }
    Result<void> decode(std::vector<std::string>& tokens) const override
    {
        std::vector<Stretch> stretches;
        std::string out;
        const std::size_t most = kGrowth * bytesOf(tokens) + kAlways;
        std::size_t written = 0;
        for (std::string& token : tokens) {
            stretches.clear();
            if (Result<void> found = m_pattern.find(token, stretches); !found.has_value())
                return found;
            out.clear();
            for (const Stretch& s : stretches) {
                if (s.match)
                    out += m_content;
                else
                    out.append(token, s.begin, s.end - s.begin);
                if (written + out.size() > most)
                    return tooLong();
            }
            written += out.size();
            token = out;
        }
        return {};
    }

private:
    Pattern m_pattern;
    std::string m_content;
};

class ByteFallback final : public Decoder
{
public:
    Result<void> decode(std::vector<std::string>& tokens) const override
    {
        std::vector<std::string> out;
        std::string run;
        const auto flush = [&] {
            if (run.empty())
                return;
            if (!firstInvalidUtf8(run))
                out.push_back(run);
            else
                out.insert(out.end(), run.size(), std::string(kReplacementCharacter));
            run.clear();
        };
        for (std::string& token : tokens) {
            if (const auto byte = byteToken(token)) {
                run.push_back(static_cast<char>(*byte));
            } else {
                flush();
                out.push_back(std::move(token));
            }
        }
        flush();
        tokens = std::move(out);
        return {};
    }

private:
    static std::optional<unsigned char> byteToken(std::string_view token)
    {
        if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>')
            return std::nullopt;
        const int high = digit(token[3]);
        const int low = digit(token[4]);
        // Rust's integer parser, which the reference uses, takes a leading plus sign.
        if (token[3] == '+' && low >= 0)
            return static_cast<unsigned char>(low);
        if (high < 0 || low < 0)
            return std::nullopt;
        return static_cast<unsigned char>(16 * high + low);
    }
    static int digit(char c)
    {
        if (c >= '0' && c <= '9')
            return c - '0';
        if (c >= 'A' && c <= 'F')
            return c - 'A' + 10;
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    }
};

class Fuse final : public Decoder
{
public:
    Result<void> decode(std::vector<std::string>& tokens) const override
    {
        std::string all;
        for (const std::string& token : tokens)
            all += token;
        tokens = {std::move(all)};
        return {};
    }
};

class StripDecoder final : public Decoder
{
public:
    StripDecoder(char32_t character, std::size_t start, std::size_t stop) : m_start(start), m_stop(stop)
    {
        appendUtf8(m_character, character);
    }
    Result<void> decode(std::vector<std::string>& tokens) const override
    {
        for (std::string& token : tokens) {
            std::string_view rest = token;
            for (std::size_t i = 0; i < m_start && rest.starts_with(m_character); ++i)
                rest.remove_prefix(m_character.size());
            for (std::size_t i = 0; i < m_stop && rest.ends_with(m_character); ++i)
                rest.remove_suffix(m_character.size());
            token = std::string(rest);
        }
        return {};
    }

private:
    std::string m_character;
    std::size_t m_start;
    std::size_t m_stop;
};

class MetaspaceDecoder final : public Decoder
{
public:
    MetaspaceDecoder(std::string replacement, PrependScheme scheme)
        : m_replacement(std::move(replacement)), m_scheme(scheme)
    {
    }
    Result<void> decode(std::vector<std::string>& tokens) const override
    {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const std::string_view space = i == 0 && m_scheme != PrependScheme::Never ? "" : " ";
            std::string& token = tokens[i];
            for (std::size_t at = token.find(m_replacement); at != token.npos;
                 at = token.find(m_replacement, at + space.size()))
                token.replace(at, m_replacement.size(), space);
        }
        return {};
    }

private:
    std::string m_replacement;
    PrependScheme m_scheme;
};

} // namespace

std::string cleanUpSpaces(std::string text)
{
    using namespace std::string_view_literals;
    static constexpr std::pair<std::string_view, std::string_view> kReplacements[] = {
        {" ."sv, "."sv},     {" ?"sv, "?"sv},   {" !"sv, "!"sv},   {" ,"sv, ","sv},     {" ' "sv, "'"sv},
        {" n't"sv, "n't"sv}, {" 'm"sv, "'m"sv}, {" 's"sv, "'s"sv}, {" 've"sv, "'ve"sv}, {" 're"sv, "'re"sv}};
    for (const auto& [from, to] : kReplacements) {
        std::string replaced;
        std::size_t last = 0;
        for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, last)) {
            replaced.append(text, last, at - last).append(to);
            last = at + from.size();
        }
        text = std::move(replaced.append(text, last));
    }
    return text;
}

DecoderPtr makeSequenceDecoder(std::vector<DecoderPtr> steps)
{
    return std::make_unique<SequenceDecoder>(std::move(steps));
}
DecoderPtr makeByteLevelDecoder()
{
    return std::make_unique<ByteLevelDecoder>();
}
DecoderPtr makeReplaceDecoder(Pattern pattern, std::string content)
{
    return std::make_unique<ReplaceDecoder>(std::move(pattern), std::move(content));
}
DecoderPtr makeByteFallbackDecoder()
{
    return std::make_unique<ByteFallback>();
}
DecoderPtr makeFuseDecoder()
{
    return std::make_unique<Fuse>();
}
DecoderPtr makeStripDecoder(char32_t character, std::size_t start, std::size_t stop)
{
    return std::make_unique<StripDecoder>(character, start, stop);
}
DecoderPtr makeMetaspaceDecoder(std::string replacement, PrependScheme scheme)
{
    return std::make_unique<MetaspaceDecoder>(std::move(replacement), scheme);
}

} // namespace headscope::text
