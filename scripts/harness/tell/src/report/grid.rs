//! A Markdown table whose columns are as wide as what stands in them, so that it reads well in a terminal too.

/// The table; every row has as many cells as the header.
pub fn grid(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    let header: Vec<String> = header.iter().map(|&name| name.to_owned()).collect();
    let width = |column: usize| {
        let lengths = rows.iter().chain([&header]).map(|row| row[column].chars().count());
        lengths.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |fields: &Vec<String>| {
        let cells = fields.iter().zip(&widths).map(|(text, width)| format!("{text:width$}"));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let rule = widths.iter().map(|width| "-".repeat(*width)).collect();
    [&header, &rule].into_iter().chain(&rows).map(line).collect()
}
