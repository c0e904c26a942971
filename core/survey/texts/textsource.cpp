// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/survey/texts/textsource.h"

#include "core/base/hash.h"
#include "core/io/openfile.h"
#include "core/text/unicode/utf8.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace headscope::survey {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPiece = 16 * 1024;              // bytes; then the next line's or word's end
constexpr std::size_t kLongestPiece = 2 * kPiece;      // where no white space comes
constexpr std::size_t kLongestLine = 16 * 1000 * 1000; // of JSON
constexpr std::size_t kChunk = 1024 * 1024;
constexpr std::size_t kMostPieces = 4'000'000;
constexpr int kMostJsonDepth = 64;

bool isJsonLines(const fs::path& path)
{
    return path.extension() == ".jsonl";
}

Result<std::vector<fs::path>> textsIn(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code failed;
    fs::recursive_directory_iterator entry(folder, failed), end;
    for (; !failed && entry != end; entry.increment(failed))
        if (std::error_code other;
            entry->is_regular_file(other) && (entry->path().extension() == ".txt" || isJsonLines(entry->path())))
            files.push_back(entry->path());
    if (failed)
        return ioError("The folder '" + folder.string() + "' cannot be read: " + failed.message() + ".");
    if (files.empty())
        return inputError("The folder '" + folder.string() + "' has no .txt and no .jsonl file.");
    std::sort(files.begin(), files.end());
    return files;
}

// The text of a line of JSON: a string, or the first of these keys that an object has.
Result<std::string> textOf(const std::string& line, const std::string& where)
{
    int deepest = 0;
    const auto shallow = [&deepest](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
        deepest = std::max(deepest, depth);
        return depth <= kMostJsonDepth;
    };
    const nlohmann::json value = nlohmann::json::parse(line, shallow, false);
    if (value.is_discarded() || deepest > kMostJsonDepth)
        return inputError("The " + where + " is not JSON; expected an object with a \"text\".");
    if (value.is_string())
        return value.get<std::string>();
    for (const char* key : {"text", "content", "prompt"})
        if (value.is_object() && value.contains(key) && value[key].is_string())
            return value[key].get<std::string>();
    return inputError("The " + where + " has no \"text\"; expected {\"text\": \"...\"}.");
}

Result<void> checkText(std::string_view text, std::uint64_t begin, const fs::path& path)
{
    const auto where = [&](std::size_t at) { return "byte " + std::to_string(begin + at); };
    if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
        return inputError("The file '" + path.string() + "' is not text: " + where(zero) + " is 0.");
    if (const auto bad = text::firstInvalidUtf8(text))
        return inputError("The file '" + path.string() + "' is not UTF-8 at " + where(*bad) + ".");
    return {};
}

/// Where a piece may end in text that goes on: behind the first line's end past `kPiece`, or the first blank, or else
/// before a character. 0: more of the text must be seen.
std::size_t pieceEnd(std::string_view text, bool whole)
{
    if (text.size() <= kPiece)
        return whole ? text.size() : 0;
    if (text.size() < kLongestPiece && !whole)
        return 0;
    const std::string_view part = text.substr(0, std::min(text.size(), kLongestPiece));
    for (const char* const stop : {"\n", " \t\r"})
        if (const std::size_t at = part.find_first_of(stop, kPiece); at != std::string_view::npos)
            return at + 1;
    std::size_t end = part.size();
    while (end < text.size() && end > 0 && text::isUtf8Continuation(text[end]))
        --end;
    return end;
}

} // namespace

/// Goes through files and notes pieces.
class TextSource::Indexer
{
public:
    Indexer(TextSource& source, const Control& control) : m_source(source), m_control(control) {}

    Result<void> add(const fs::path& path)
    {
        if (std::error_code failed; !fs::exists(path, failed))
            return ioError("There is no file of texts '" + path.string() + "'.");
        const auto file = io::OpenFile::open(path);
        if (!file.has_value())
            return file.error();
        m_source.m_files.push_back(path);
        m_hash.add(std::to_string(file->size()) + (isJsonLines(path) ? "j" : "t"));
        const std::uint64_t before = m_source.m_bytes;
        m_source.m_bytes += file->size();
        return scan(*file, path, before);
    }
    Result<void> add(const std::vector<GivenText>& given)
    {
        for (std::size_t i = 0; i < given.size(); ++i) {
            m_hash.add(std::to_string(given[i].text.size()) + "g" + given[i].text);
            m_source.m_bytes += given[i].text.size();
            if (auto room = put({.begin = i, .kind = Kind::Given}); !room.has_value())
                return room;
        }
        return {};
    }
    [[nodiscard]] std::string hash() { return m_hash.hex(); }

private:
    Result<void> put(const Piece& piece)
    {
        if (m_source.m_pieces.size() >= kMostPieces)
            return inputError("The collection has more than four million texts; expected fewer.");
        m_source.m_pieces.push_back(piece);
        return {};
    }
    Result<void> scan(const io::OpenFile& file, const fs::path& path, std::uint64_t before)
    {
        std::string rest; // read and not yet in a piece
        std::uint64_t begin = 0;
        std::uint32_t line = 0;
        for (bool whole = false; !whole;) {
            if (m_control.stopped())
                return cancelledError();
            const std::size_t had = rest.size();
            const std::uint64_t at = begin + had;
            const auto more = static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, file.size() - at));
            rest.resize(had + more);
            if (!file.readAt(at, rest.data() + had, more))
                return ioError("The file '" + path.string() + "' cannot be read.");
            whole = at + more == file.size();
            m_hash.add(std::string_view(rest).substr(had));
            m_control.progress("reading texts", static_cast<std::int64_t>(before + begin), 0);
            std::size_t taken = 0;
            const auto done = isJsonLines(path) ? lines(rest, begin, line, whole, path, taken)
                                                : pieces(rest, begin, whole, path, taken);
            if (!done.has_value())
                return done;
            rest.erase(0, taken);
            begin += taken;
        }
        return {};
    }
    Result<void> pieces(std::string_view text, std::uint64_t begin, bool whole, const fs::path& path,
                        std::size_t& taken)
    {
        while (taken < text.size()) {
            const std::string_view left = text.substr(taken);
            const std::size_t size = pieceEnd(left, whole);
            if (size == 0)
                break;
            if (auto good = checkText(left.substr(0, size), begin + taken, path); !good.has_value())
                return good;
            if (auto room = put({.begin = begin + taken,
                                 .size = static_cast<std::uint32_t>(size),
                                 .file = static_cast<std::uint32_t>(m_source.m_files.size() - 1)});
                !room.has_value())
                return room;
            taken += size;
        }
        return {};
    }
    Result<void> lines(std::string_view text, std::uint64_t begin, std::uint32_t& line, bool whole,
                       const fs::path& path, std::size_t& taken)
    {
        while (taken < text.size()) {
            const std::string_view left = text.substr(taken);
            const std::size_t newline = left.find('\n');
            const std::string where =
                "line " + std::to_string(line + 1) + " of '" + path.string() + "'"; // as a person counts
            if (std::min(newline, left.size()) > kLongestLine)
                return inputError("The " + where + " is longer than 16 MB; expected one text a line.");
            if (newline == std::string_view::npos && !whole)
                break;
            const std::size_t size = newline == std::string_view::npos ? left.size() : newline;
            ++line;
            const std::string one(left.substr(0, size));
            if (auto good = checkText(one, begin + taken, path); !good.has_value())
                return good;
            if (one.find_first_not_of(" \t\r") != std::string::npos) {
                if (const auto read = textOf(one, where); !read.has_value())
                    return read.error();
                if (auto room = put({begin + taken, static_cast<std::uint32_t>(size),
                                     static_cast<std::uint32_t>(m_source.m_files.size() - 1), line, Kind::JsonLine});
                    !room.has_value())
                    return room;
            }
            taken += std::min(size + 1, left.size());
        }
        return {};
    }

    TextSource& m_source;
    const Control& m_control;
    Sha256 m_hash;
};

Result<TextSource> TextSource::open(std::span<const fs::path> paths, std::vector<GivenText> given,
                                    const Control& control)
{
    TextSource source;
    Indexer indexer(source, control);
    for (const fs::path& path : paths) {
        std::vector<fs::path> files{path};
        std::error_code failed;
        if (fs::is_directory(path, failed)) {
            auto found = textsIn(path);
            if (!found.has_value())
                return found.error();
            files = std::move(*found);
        }
        for (const fs::path& file : files)
            if (const auto added = indexer.add(file); !added.has_value())
                return added.error();
    }
    if (const auto added = indexer.add(given); !added.has_value())
        return added.error();
    if (source.m_pieces.empty())
        return inputError("The collection has no text; expected files that are not empty.");
    source.m_given = std::move(given);
    source.m_hash = indexer.hash();
    return source;
}

Result<PieceText> TextSource::read(std::size_t index) const
{
    const Piece& piece = m_pieces[index];
    if (piece.kind == Kind::Given) {
        const GivenText& given = m_given[piece.begin];
        return PieceText{given.text, given.name, given.segments};
    }
    const fs::path& path = m_files[piece.file];
    const auto file = io::OpenFile::open(path);
    if (!file.has_value())
        return file.error();
    PieceText read;
    read.text.resize(piece.size);
    if (!file->readAt(piece.begin, read.text.data(), piece.size))
        return ioError("The file '" + path.string() + "' cannot be read any more.");
    if (auto good = checkText(read.text, piece.begin, path); !good.has_value())
        return good.error();
    const std::string name = path.filename().string();
    if (piece.kind == Kind::Plain) {
        read.name = name + ", byte " + std::to_string(piece.begin);
        return read;
    }
    const std::string where = "line " + std::to_string(piece.line) + " of '" + path.string() + "'";
    auto text = textOf(read.text, where);
    if (!text.has_value())
        return text.error();
    return PieceText{std::move(*text), name + ", line " + std::to_string(piece.line), {}};
}

} // namespace headscope::survey
