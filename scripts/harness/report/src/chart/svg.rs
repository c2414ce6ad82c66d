//! The few elements that the charts are made of, and the style that they share.
//!
//! All text goes through [`Canvas::text`] and [`Canvas::finish`], which escape it.

use model::escape::clean;
use model::{AppRecord, Rank, escape};

use crate::table;

/// Width of a chart: what GitHub's text column shows without scaling.
pub const WIDTH: f64 = 860.0;

/// Space around the drawing.
pub const MARGIN: f64 = 16.0;

/// Space between two columns, or between a name or panel and the next.
pub const GUTTER: f64 = 14.0;

/// Heights: of the title, of the heading and of the axis of a band or panel.
pub const TITLE: f64 = 56.0;
pub const HEADING: f64 = 26.0;
pub const AXIS: f64 = 34.0;

/// Room between the margins.
pub const ROOM: f64 = WIDTH - 2.0 * MARGIN;

/// Text in a picture, for those who cannot see it, is cut here.
const DESCRIPTION: usize = 4000;

/// Classes begin with `b-`, because a style in an SVG that is embedded in a page applies to the whole page.
const STYLE: &str = "\
.b-back{fill:#ffffff}.b-text,.b-note,.b-title{font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:#1f2328}
.b-text{font-size:12px}.b-note{font-size:11px;fill:#59636e}.b-title{font-size:15px;font-weight:600}
.b-halo{paint-order:stroke;stroke:#ffffff;stroke-width:4px;stroke-linejoin:round}
.b-end{text-anchor:end}.b-middle{text-anchor:middle}
.b-grid{stroke:#d1d9e0;stroke-width:1}.b-one{stroke:#59636e;stroke-width:1;stroke-dasharray:3 3}
.b-whisker{stroke:#1f2328;stroke-width:1.3}
.b-framework{fill:#0072b2}.b-behind{fill:#818b98}
.b-s0{stroke:#0072b2;fill:#0072b2;stroke-width:2}.b-s1{stroke:#e69f00;fill:#e69f00;stroke-width:2}
.b-s2{stroke:#009e73;fill:#009e73;stroke-width:2}.b-s3{stroke:#cc79a7;fill:#cc79a7;stroke-width:2}
.b-hollow{fill:none;stroke:#818b98;stroke-width:1.5}.b-stripe{fill:#818b98;fill-opacity:0.09}
@media (prefers-color-scheme:dark){
.b-back{fill:#0d1117}.b-halo{stroke:#0d1117}.b-text,.b-title{fill:#e6edf3}.b-note{fill:#9198a1}
.b-grid{stroke:#30363d}.b-one{stroke:#9198a1}.b-whisker{stroke:#e6edf3}.b-framework{fill:#56b4e9}
}";

/// A drawing in the making.
#[derive(Debug)]
pub struct Canvas {
    pub width: f64,
    elements: Vec<String>,
}

impl Canvas {
    /// An empty one of this width.
    pub fn of(width: f64) -> Self {
        Self {
            width,
            elements: Vec::new(),
        }
    }

    /// An element without content.
    fn element(&mut self, name: &str, class: &str, attributes: &str) {
        self.elements.push(format!(r#"<{name} class="{class}" {attributes}/>"#));
    }

    /// A line between two points.
    pub fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let ends = format!(r#"x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}""#);
        self.element("line", class, &ends);
    }

    /// A line through points.
    pub fn curve(&mut self, class: &str, points: &[(f64, f64)]) {
        let points: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let points = format!(r#"style="fill:none" points="{}""#, points.join(" "));
        self.element("polyline", class, &points);
    }

    /// A dot.
    pub fn dot(&mut self, class: &str, (x, y): (f64, f64)) {
        self.element("circle", class, &format!(r#"cx="{x:.1}" cy="{y:.1}" r="4.0""#));
    }

    /// A rectangle without border, in the colour of the class, which says `tooltip` under a pointer.
    pub fn area(&mut self, class: &str, opacity: f64, (x, y): (f64, f64), (width, height): (f64, f64), tooltip: &str) {
        let width = width.max(0.1);
        let place = format!(r#"x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}""#);
        let style = format!(r#"style="stroke:none;fill-opacity:{opacity:.2}""#);
        let tooltip = escape::xml(&clean(tooltip, DESCRIPTION));
        let area = format!(r#"<rect class="{class}" {style} {place}><title>{tooltip}</title></rect>"#);
        self.elements.push(area);
    }

    /// A horizontal whisker with its two ends.
    pub fn whisker(&mut self, (from, to): (f64, f64), y: f64) {
        self.line("b-whisker", (from, y), (to, y));
        for x in [from, to] {
            self.line("b-whisker", (x, y - 3.5), (x, y + 3.5));
        }
    }

    /// Text with its baseline at `y`; it begins at the point unless a class says otherwise.
    pub fn text(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let text = escape::xml(&clean(text, DESCRIPTION));
        let text = format!(r#"<text class="{class}" x="{x:.1}" y="{y:.1}">{text}</text>"#);
        self.elements.push(text);
    }

    /// The title, as far as there is room, and the subtitle.
    pub fn heading(&mut self, title: &str, subtitle: &str) {
        // It is set in a font a quarter larger and bold.
        let title = fit(title, (self.width - 2.0 * MARGIN) / 1.4);
        self.text("b-title", (MARGIN, 28.0), &title);
        self.text("b-note", (MARGIN, 46.0), subtitle);
    }

    /// Names that end at `right`, each in a row of its own, with a line between groups.
    pub fn names<G: PartialEq>(&mut self, names: &[(String, G)], (right, top): (f64, f64), row: f64) {
        for (at, (name, group)) in names.iter().enumerate() {
            let y = top + row * at as f64;
            if at % 2 == 1 {
                let width = self.width;
                let row = format!(r#"x="0.0" y="{y:.1}" width="{width:.1}" height="{row:.1}""#);
                self.element("rect", "b-stripe", &row);
            }
            if at > 0 && names[at - 1].1 != *group {
                self.line("b-grid", (MARGIN, y), (self.width - MARGIN, y));
            }
            let baseline = y + row / 2.0 + 4.0;
            self.text("b-text b-end", (right, baseline), &fit(name, right - MARGIN));
        }
    }

    /// What each dot means, and the whisker, from the baseline `y` on; gives the last baseline.
    pub fn legend(&mut self, entries: &[(&str, &str)], mut y: f64) -> f64 {
        let mut x = MARGIN;
        for (class, text) in entries {
            if x + 19.0 + width(text) > self.width {
                (x, y) = (MARGIN, y + 16.0);
            }
            self.dot(class, (x + 5.0, y - 4.0));
            self.text("b-note", (x + 19.0, y), text);
            x += 19.0 + width(text) + 16.0;
        }
        self.whisker((x, x + 16.0), y - 4.0);
        self.text("b-note", (x + 22.0, y), "95 % interval");
        y
    }

    /// The whole document. `description` says in words what the picture shows.
    pub fn finish(self, height: f64, title: &str, description: &str) -> String {
        let (title, description) = (clean(title, DESCRIPTION), clean(description, DESCRIPTION));
        let width = self.width;
        let lines = [
            format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" height=\"{height:.0}\" \
                 viewBox=\"0 0 {width} {height:.0}\" style=\"max-width:100%;height:auto\">"
            ),
            format!("<title>{}</title>", escape::xml(&title)),
            format!("<desc>{}</desc>", escape::xml(&description)),
            format!("<style>{STYLE}</style>"),
            format!("<rect class=\"b-back\" width=\"{width}\" height=\"{height:.0}\" rx=\"6\"/>"),
            self.elements.join("\n"),
            "</svg>\n".to_owned(),
        ];
        lines.join("\n")
    }
}

/// The dot of an app with this rank.
pub fn dot_of(rank: Option<Rank>) -> &'static str {
    match rank {
        Some(rank) if rank.best == 1 => "b-framework",
        Some(_) => "b-behind",
        None => "b-hollow",
    }
}

/// What is said of each app, cell by cell, for those who cannot see the picture.
pub fn described(apps: &[&AppRecord], cells: impl Fn(&AppRecord) -> Vec<String>) -> String {
    let said = apps
        .iter()
        .map(|app| format!("{}: {}", table::label(app), cells(app).join(", ")));
    said.collect::<Vec<_>>().join("; ")
}

/// The beginning of a text that certainly fits into `room` at a font size of 12; a cut text ends with `…`.
///
/// The font is not known here, so a wide one is assumed.
pub fn fit(text: &str, room: f64) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for character in text.chars() {
        if width(&kept) + character_width(character) + character_width('…') > room {
            break;
        }
        kept.push(character);
    }
    format!("{}…", kept.trim_end())
}

/// Width of a text at a font size of 12, overestimated rather than underestimated.
pub fn width(text: &str) -> f64 {
    text.chars().map(character_width).sum()
}

fn character_width(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | 'I' | '|' | '.' | ',' | ':' | ';' | '\'' | '!' | ' ' | '(' | ')' | '[' | ']' => 4.4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '—' | '…' => 11.5,
        'A'..='Z' | '<' | '>' | '=' | '+' | '&' | '#' | '~' | '÷' => 9.0,
        _ if character.is_ascii() || ('\u{a0}'..'\u{500}').contains(&character) => 7.4,
        // Chinese, Japanese, Korean and pictures are as wide as they are high.
        _ => 13.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_to_its_room() {
        assert_eq!(fit("axum", 100.0), "axum");
        for text in [
            "wwwwwwwwwwwwwwwwwwwwwwwwww",
            "a rather long name of a framework",
            "漢字漢字漢字漢字漢字漢字漢字漢字",
        ] {
            let cut = fit(text, 100.0);
            assert!(cut.ends_with('…') && width(&cut) <= 100.0, "{cut}");
        }
    }

    #[test]
    fn text_is_escaped() {
        let mut canvas = Canvas::of(WIDTH);
        canvas.text("b-text b-end", (1.0, 2.0), "</text><script>\u{1}");
        let svg = canvas.finish(10.0, "<t>", "\"d\"");
        assert!(svg.contains("&lt;/text&gt;&lt;script&gt;</text>"));
        assert!(svg.contains("<title>&lt;t&gt;</title>\n<desc>&quot;d&quot;</desc>"));
    }
}
