// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/fontsubset.h"

#include <QRawFont>
#include <QtEndian>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace headscope::widgets {

namespace {

constexpr quint16 kRestricted = 0x0002;
constexpr int kMostParts = 64; ///< of a composite glyph; more is a broken font

quint16 u16(const QByteArray& bytes, qsizetype at)
{
    return at >= 0 && at + 2 <= bytes.size() ? qFromBigEndian<quint16>(bytes.constData() + at) : 0;
}
quint32 u32(const QByteArray& bytes, qsizetype at)
{
    return at >= 0 && at + 4 <= bytes.size() ? qFromBigEndian<quint32>(bytes.constData() + at) : 0;
}

void put16(QByteArray& bytes, quint32 value)
{
    char raw[2];
    qToBigEndian(static_cast<quint16>(value), raw);
    bytes.append(raw, 2);
}

void put32(QByteArray& bytes, quint32 value)
{
    char raw[4];
    qToBigEndian(value, raw);
    bytes.append(raw, 4);
}

void set(QByteArray& bytes, qsizetype at, quint32 value, bool wide)
{
    QByteArray raw;
    wide ? put32(raw, value) : put16(raw, value);
    if (at + raw.size() <= bytes.size())
        bytes.replace(at, raw.size(), raw);
}

/// The outlines of a font: where each glyph lies.
struct Outlines {
    QByteArray glyf, loca;
    bool wide = false;

    [[nodiscard]] QByteArray glyph(quint32 index) const
    {
        const auto at = [&](quint32 i) {
            return wide ? u32(loca, 4 * static_cast<qsizetype>(i)) : 2U * u16(loca, 2 * static_cast<qsizetype>(i));
        };
        const quint32 from = at(index), to = at(index + 1);
        return to > from && to <= static_cast<quint32>(glyf.size()) ? glyf.mid(from, to - from) : QByteArray();
    }
};

// Glyphs that a composite glyph is made of.
std::vector<quint32> partsOf(const QByteArray& glyph)
{
    std::vector<quint32> parts;
    if (glyph.size() < 12 || static_cast<qint16>(u16(glyph, 0)) >= 0)
        return parts;
    for (qsizetype at = 10; at + 4 <= glyph.size() && static_cast<int>(parts.size()) < kMostParts;) {
        const quint16 flags = u16(glyph, at);
        parts.push_back(u16(glyph, at + 2));
        at += 4 + (flags & 0x0001 ? 4 : 2) + (flags & 0x0008 ? 2 : flags & 0x0040 ? 4 : flags & 0x0080 ? 8 : 0);
        if (!(flags & 0x0020))
            break;
    }
    return parts;
}

std::set<quint32> closure(const Outlines& outlines, std::set<quint32> glyphs)
{
    std::vector<quint32> open(glyphs.begin(), glyphs.end());
    while (!open.empty()) {
        const quint32 glyph = open.back();
        open.pop_back();
        for (const quint32 part : partsOf(outlines.glyph(glyph)))
            if (glyphs.insert(part).second)
                open.push_back(part);
    }
    return glyphs;
}

// Format 12: a group a letter.
QByteArray characterMap(const std::map<quint32, quint32>& letters)
{
    QByteArray table;
    put16(table, 0);
    put16(table, 1);
    put16(table, 3);
    put16(table, 10);
    put32(table, 12);
    put16(table, 12);
    put16(table, 0);
    put32(table, 16 + 12 * static_cast<quint32>(letters.size()));
    put32(table, 0);
    put32(table, static_cast<quint32>(letters.size()));
    for (const auto& [letter, glyph] : letters) {
        put32(table, letter);
        put32(table, letter);
        put32(table, glyph);
    }
    return table;
}

quint32 checksum(const QByteArray& padded)
{
    quint32 sum = 0;
    for (qsizetype at = 0; at < padded.size(); at += 4)
        sum += u32(padded, at);
    return sum;
}

QByteArray assembled(std::map<QByteArray, QByteArray> tables)
{
    int power = 1, shift = 0;
    while (power * 2 <= static_cast<int>(tables.size())) {
        power *= 2;
        ++shift;
    }
    QByteArray file, bodies;
    put32(file, 0x00010000);
    put16(file, static_cast<quint32>(tables.size()));
    put16(file, static_cast<quint32>(power * 16));
    put16(file, static_cast<quint32>(shift));
    put16(file, static_cast<quint32>((static_cast<int>(tables.size()) - power) * 16));
    const auto start = 12 + 16 * static_cast<qsizetype>(tables.size());
    qsizetype head = 0;
    for (auto& [tag, table] : tables) {
        const qsizetype length = table.size();
        if (tag == "head") {
            set(table, 8, 0, true);
            head = start + bodies.size();
        }
        table.append(QByteArray((4 - length % 4) % 4, '\0'));
        file += tag;
        put32(file, checksum(table));
        put32(file, static_cast<quint32>(start + bodies.size()));
        put32(file, static_cast<quint32>(length));
        bodies += table;
    }
    file += bodies;
    set(file, head + 8, 0xB1B0AFBA - checksum(file), true);
    return file;
}

} // namespace

QByteArray fontSubset(const QFont& font, const QString& letters)
{
    const QRawFont raw = QRawFont::fromFont(font);
    const Outlines outlines{raw.fontTable("glyf"), raw.fontTable("loca"), u16(raw.fontTable("head"), 50) == 1};
    if (outlines.glyf.isEmpty() || outlines.loca.isEmpty() || (u16(raw.fontTable("OS/2"), 8) & kRestricted))
        return {};
    std::map<quint32, quint32> map;
    std::set<quint32> glyphs{0};
    for (const char32_t letter : letters.toUcs4())
        if (raw.supportsCharacter(letter)) {
            const QList<quint32> found = raw.glyphIndexesForString(QString::fromUcs4(&letter, 1));
            if (!found.isEmpty()) {
                map[letter] = found.front();
                glyphs.insert(found.front());
            }
        }
    glyphs = closure(outlines, glyphs);
    const quint32 count = *glyphs.rbegin() + 1;

    std::map<QByteArray, QByteArray> tables;
    for (const char* tag : {"head", "hhea", "hmtx", "maxp", "name", "OS/2", "cvt ", "fpgm", "prep"})
        if (const QByteArray table = raw.fontTable(tag); !table.isEmpty())
            tables[tag] = table;
    QByteArray glyf, loca;
    for (quint32 glyph = 0; glyph < count; ++glyph) {
        put32(loca, static_cast<quint32>(glyf.size()));
        if (glyphs.contains(glyph))
            glyf += outlines.glyph(glyph);
        glyf.append(QByteArray((4 - glyf.size() % 4) % 4, '\0'));
    }
    put32(loca, static_cast<quint32>(glyf.size()));
    tables["glyf"] = glyf;
    tables["loca"] = loca;
    tables["cmap"] = characterMap(map);
    QByteArray post = raw.fontTable("post").left(32);
    set(post, 0, 0x00030000, true); // no names of glyphs
    tables["post"] = post;
    // Metrics of the glyphs that are left; the last width holds for those behind it.
    const quint32 metrics = std::min<quint32>(u16(tables["hhea"], 34), count);
    tables["hmtx"] =
        tables["hmtx"].left(4 * static_cast<qsizetype>(metrics) + 2 * static_cast<qsizetype>(count - metrics));
    set(tables["hhea"], 34, metrics, false);
    set(tables["maxp"], 4, count, false);
    set(tables["head"], 50, 1, false);
    return assembled(std::move(tables));
}

} // namespace headscope::widgets
