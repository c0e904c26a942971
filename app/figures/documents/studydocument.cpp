// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/documents/studydocument.h"

#include "app/figures/documents/studypdf.h"
#include "app/figures/experimentfigures.h"
#include "core/base/writefile.h"
#include "core/experiments/study.h"
#include "widgets/figures/figurerenderer.h"

#include <filesystem>
#include <map>
#include <vector>

namespace headscope::figures {

namespace {

constexpr double kPageMm = 175; // as wide as the text of an A4 page

struct Picture {
    std::string name; ///< "kv-curve", "kv-curve-2"
    widgets::Figure figure;
};

/// A picture for each report that has numbers, in their order; empty names for the others. Question and verdict stand
/// in the text around it.
std::vector<Picture> picturesOf(std::span<const experiments::Report> reports, sessions::SessionStore* session)
{
    std::vector<Picture> pictures;
    std::map<std::string, int> count;
    for (const experiments::Report& report : reports) {
        Picture picture;
        if (const auto recipe = experimentRecipe(report); recipe.has_value()) {
            const int nth = ++count[report.experiment->id];
            picture.name = report.experiment->id + (nth > 1 ? "-" + std::to_string(nth) : std::string());
            picture.figure = session ? experimentFigure(report, *session) : experimentFigure(report);
        }
        pictures.push_back(std::move(picture));
    }
    return pictures;
}

widgets::FigureStyle style()
{
    return {.widthMm = kPageMm, .fontPt = 8, .printProvenance = false};
}

Result<void> writeMarkdown(std::span<const experiments::Report> reports, const std::vector<Picture>& pictures,
                           const std::filesystem::path& path)
{
    const std::filesystem::path folder = path.stem().string() + "-pictures", there = path.parent_path() / folder;
    std::vector<std::string> places;
    for (const Picture& picture : pictures) {
        if (picture.name.empty()) {
            places.emplace_back();
            continue;
        }
        std::error_code problem;
        std::filesystem::create_directories(there, problem);
        if (problem)
            return ioError("The folder '" + there.string() + "' could not be created: " + problem.message() + ".");
        const std::string name = picture.name + ".svg";
        const auto svg = widgets::renderFigure(picture.figure, style(), widgets::FigureFormat::Svg);
        if (!svg.has_value())
            return svg.error();
        if (const auto written = writeFile(there / name, svg->toStdString()); !written.has_value())
            return written;
        places.push_back((folder / name).generic_string());
    }
    return writeFile(path, experiments::studyMarkdown(reports, places));
}

} // namespace

Result<void> checkStudyPath(const std::string& path)
{
    const std::string suffix = std::filesystem::path(path).extension().string();
    if (suffix == ".md" || suffix == ".pdf")
        return {};
    return inputError("A report is written as .md or .pdf; got '" + path + "'.");
}

Result<void> writeStudy(std::span<const experiments::Report> reports, sessions::SessionStore* session,
                        const std::string& path)
{
    if (const auto known = checkStudyPath(path); !known.has_value())
        return known;
    const std::vector<Picture> pictures = picturesOf(reports, session);
    if (path.ends_with(".md"))
        return writeMarkdown(reports, pictures, path);
    std::vector<std::string> names;
    std::vector<StudyPicture> placed;
    for (const Picture& picture : pictures) {
        names.push_back(picture.name);
        if (!picture.name.empty())
            placed.push_back({picture.name, picture.figure, style()});
    }
    return writeFile(path, studyPdf(experiments::studyMarkdown(reports, names), placed).toStdString());
}

} // namespace headscope::figures
