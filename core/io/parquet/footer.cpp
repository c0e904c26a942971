// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/parquet/footer.h"

#include "core/io/parquet/thrift.h"

#include <algorithm>
#include <cstring>

namespace headscope::io {

namespace {

using Type = ThriftReader::Type;

constexpr std::size_t kMostColumns = 10'000, kMostChunks = 1'000'000; // a byte of the file can name one of each

struct Node {
    std::string name;
    std::int64_t type = -1, width = 0, repetition = 0, children = 0;
};

Node readNode(ThriftReader& in)
{
    Node node;
    in.structure([&](int id, Type type) {
        if (id == 4 && type == Type::Binary)
            node.name = in.text();
        else if (id == 1 && type == Type::I32)
            node.type = in.integer();
        else if (id == 2 && type == Type::I32)
            node.width = in.integer();
        else if (id == 3 && type == Type::I32)
            node.repetition = in.integer();
        else if (id == 5 && type == Type::I32)
            node.children = in.integer();
        else
            return false;
        return true;
    });
    return node;
}

// What a chunk says of itself; begin and size as they stand there.
struct RawChunk {
    std::int64_t codec = 0, values = 0, size = 0, data = 0, dictionary = 0;
    bool elsewhere = false, encrypted = false, described = false;
};

RawChunk readChunk(ThriftReader& in)
{
    RawChunk chunk;
    const auto meta = [&](int id, Type type) {
        std::int64_t* const place = id == 4    ? &chunk.codec
                                    : id == 5  ? &chunk.values
                                    : id == 7  ? &chunk.size
                                    : id == 9  ? &chunk.data
                                    : id == 11 ? &chunk.dictionary
                                               : nullptr;
        if (!place || (type != Type::I32 && type != Type::I64))
            return false;
        *place = in.integer();
        return true;
    };
    in.structure([&](int id, Type type) {
        chunk.elsewhere = chunk.elsewhere || id == 1;
        chunk.encrypted = chunk.encrypted || id == 8;
        if (id != 3 || type != Type::Struct)
            return false;
        chunk.described = true;
        in.structure(meta);
        return true;
    });
    return chunk;
}

struct RawGroup {
    std::vector<RawChunk> chunks;
    std::int64_t rows = 0;
};

RawGroup readGroup(ThriftReader& in, std::size_t mostChunks)
{
    RawGroup group;
    in.structure([&](int id, Type type) {
        if (id == 1 && type == Type::List)
            in.list([&](Type element) {
                if (element != Type::Struct)
                    return;
                if (const RawChunk chunk = readChunk(in); group.chunks.size() < mostChunks)
                    group.chunks.push_back(chunk);
            });
        else if (id == 3 && type == Type::I64)
            group.rows = in.integer();
        else
            return false;
        return true;
    });
    return group;
}

// Walks the tree, which lies flat, children behind their parents.
class Schema
{
public:
    explicit Schema(const std::vector<Node>& nodes) : m_nodes(nodes) {}

    Result<std::vector<ParquetLeaf>> leaves()
    {
        if (m_nodes.empty())
            return inputError("has no columns");
        m_next = 1;
        for (std::int64_t i = 0; i < m_nodes.front().children; ++i)
            if (const auto walked = walk({}, false, 1); !walked.has_value())
                return walked.error();
        if (m_next != m_nodes.size() || m_leaves.empty())
            return inputError("has a table of columns that is damaged");
        return std::move(m_leaves);
    }

private:
    // `above`: the place of the node, its path without its own name. `unnamed`: it is the element of a list.
    Result<void> walk(ParquetLeaf above, bool unnamed, int depth)
    {
        constexpr int kDeepestSchema = 16;
        if (m_next >= m_nodes.size() || depth > kDeepestSchema)
            return inputError("has a table of columns that is damaged");
        const Node& node = m_nodes[m_next++];
        const bool group = node.children > 0, list = node.repetition == 2;
        above.present += node.repetition == 1 || list;
        if (list) {
            if (++above.repeated > 1)
                return inputError("has lists of lists, which are not supported");
            above.element = above.present;
        }
        if (!unnamed && !(list && group)) // the repeated group of a list only says "list"
            above.path.push_back(node.name);
        if (!group) {
            if (node.type < 0 || node.type > 7 || node.width < 0 || node.width > 1'000'000)
                return inputError("has a column of a type that is not known");
            above.type = static_cast<ParquetType>(node.type);
            above.width = static_cast<std::size_t>(node.width);
            m_leaves.push_back(std::move(above));
            return {};
        }
        for (std::int64_t i = 0; i < node.children; ++i)
            if (const auto walked = walk(above, list && node.children == 1, depth + 1); !walked.has_value())
                return walked;
        return {};
    }

    const std::vector<Node>& m_nodes;
    std::size_t m_next = 0;
    std::vector<ParquetLeaf> m_leaves;
};

Result<ParquetChunk> checked(const RawChunk& raw, std::uint64_t end)
{
    if (raw.elsewhere)
        return inputError("keeps columns in other files, which are not supported");
    if (raw.encrypted || !raw.described)
        return inputError("is encrypted");
    const std::int64_t begin = raw.dictionary > 0 ? std::min(raw.dictionary, raw.data) : raw.data;
    if (begin < 4 || raw.size < 0 || raw.values < 0 || static_cast<std::uint64_t>(begin) > end
        || static_cast<std::uint64_t>(raw.size) > end - static_cast<std::uint64_t>(begin))
        return inputError("has a column outside the file");
    return ParquetChunk{static_cast<int>(std::clamp<std::int64_t>(raw.codec, -1, 1000)), raw.values,
                        static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(raw.size)};
}

} // namespace

Result<ParquetFooter> parseParquetFooter(std::span<const std::byte> file)
{
    const auto ends = [&](const char* mark) {
        return file.size() >= 12 && std::memcmp(file.data() + file.size() - 4, mark, 4) == 0;
    };
    if (ends("PARE"))
        return inputError("is encrypted");
    if (!ends("PAR1") || std::memcmp(file.data(), "PAR1", 4) != 0)
        return inputError("is not a Parquet file, or is truncated");
    std::uint32_t size = 0;
    std::memcpy(&size, file.data() + file.size() - 8, 4);
    if (size > file.size() - 12)
        return inputError("has a table of contents outside the file");
    const std::uint64_t end = file.size() - 8 - size;

    ParquetFooter footer;
    std::vector<Node> nodes;
    std::vector<RawGroup> groups;
    std::size_t chunks = 0;
    ThriftReader in(file.subspan(static_cast<std::size_t>(end), size));
    in.structure([&](int id, Type type) {
        if (id == 2 && type == Type::List)
            in.list([&](Type) {
                if (Node node = readNode(in); nodes.size() <= kMostColumns)
                    nodes.push_back(std::move(node));
            });
        else if (id == 3 && type == Type::I64)
            footer.rows = in.integer();
        else if (id == 4 && type == Type::List)
            in.list([&](Type) {
                RawGroup group = readGroup(in, kMostChunks);
                chunks += group.chunks.size() + 1;
                if (chunks < kMostChunks)
                    groups.push_back(std::move(group));
            });
        else
            return false;
        return true;
    });
    if (in.broken() || nodes.size() > kMostColumns || chunks >= kMostChunks)
        return inputError("has a table of contents that is damaged");
    auto leaves = Schema(nodes).leaves();
    if (!leaves.has_value())
        return leaves.error();
    footer.leaves = std::move(*leaves);
    std::int64_t rows = 0;
    for (const RawGroup& raw : groups) {
        ParquetGroup& group = footer.groups.emplace_back(ParquetGroup{raw.rows, {}});
        if (raw.rows < 0 || raw.rows > footer.rows - rows || raw.chunks.size() != footer.leaves.size())
            return inputError("has a table of contents that is damaged");
        rows += raw.rows;
        for (const RawChunk& one : raw.chunks) {
            const auto chunk = checked(one, end);
            if (!chunk.has_value())
                return chunk.error();
            group.chunks.push_back(*chunk);
        }
    }
    if (rows != footer.rows)
        return inputError("has a table of contents that is damaged");
    return footer;
}

} // namespace headscope::io
