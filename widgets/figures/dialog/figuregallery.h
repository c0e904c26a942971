// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The figures that can be drawn, as small pictures in groups; those of a composed figure are ticked. GUI thread.

#include <QImage>
#include <QListWidget>

#include <optional>

namespace headscope::widgets {

/// Something that can be drawn, or why it cannot be.
struct FigureChoice {
    QString id;
    QString title;
    QString missing; ///< one sentence; empty: it can be drawn
    bool stored = false;
    bool listed = true;    ///< the parts of a stored composition are not
    QStringList parts;     ///< of a stored composition, by id
    QString group;         ///< what it shows; choices of one group follow each other under its name
    bool onScreen = false; ///< a part of a composed figure until a person chooses others
};

class FigureGallery : public QListWidget
{
    Q_OBJECT

public:
    explicit FigureGallery(QWidget* parent = nullptr);

    /// The current one stays current, where it is among them.
    void setChoices(const QList<FigureChoice>& choices);
    /// Null for one that is not there.
    [[nodiscard]] const FigureChoice* choice(const QString& id) const;
    [[nodiscard]] QString currentId() const;
    void setCurrentId(const QString& id);
    [[nodiscard]] QStringList onScreen() const;
    /// In twice the size of the list's icons.
    void setPreview(const QString& id, const QImage& preview);
    [[nodiscard]] QPixmap preview(const QString& id) const { return m_previews.value(id); }
    /// Size of previews, in pixels of the screen.
    [[nodiscard]] QSize previewSize() const;
    /// Boxes before all that can be drawn, ticked for these; nothing: no boxes.
    void setTicked(const std::optional<QStringList>& ids);

Q_SIGNALS:
    /// A click, or Space.
    void picked(const QString& id);

private:
    [[nodiscard]] QListWidgetItem* itemOf(const QString& id) const;

    QList<FigureChoice> m_choices;
    QHash<QString, QPixmap> m_previews;
};

} // namespace headscope::widgets
