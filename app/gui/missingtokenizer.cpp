// SPDX-License-Identifier: GPL-3.0-or-later
// Models whose folder has no tokenizer: a person names one, which is remembered for that folder.
#include "app/gui/explorer.h"
#include "app/notebook/tokenizerchoice.h"
#include "core/io/modelfolder.h"
#include "core/io/resources.h"

#include <QFileInfo>

namespace headscope::gui {

std::filesystem::path Explorer::folderWithoutTokenizer(Side side) const
{
    const std::string model = m_asked[indexOf(side)].toStdString();
    const auto folder = io::resolveModel(model, io::ModelPlaces::fromEnvironment(io::resourcesFolder() / "models"));
    return folder.has_value() && !app::hasTokenizer(folder->path) ? folder->path : std::filesystem::path();
}

void Explorer::openWithTokenizer(Side side, const QString& file)
{
    const QFileInfo chosen(file);
    // The folder holds more: how special tokens are added, and the merges of vocab.json.
    const bool usual =
        chosen.fileName() == QLatin1String("tokenizer.json") || chosen.fileName() == QLatin1String("vocab.json");
    const QString tokenizer = usual ? chosen.absolutePath() : chosen.absoluteFilePath();
    if (const auto kept = app::rememberTokenizer(folderWithoutTokenizer(side), tokenizer.toStdString());
        !kept.has_value())
        return report(kept.error());
    openModel(side, m_asked[indexOf(side)]);
}

} // namespace headscope::gui
