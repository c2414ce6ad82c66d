//! The error for a name that nothing has, with the names that are close to it.

use anyhow::anyhow;

/// Least similarity of a name to be suggested.
const SIMILAR: f64 = 0.7;

/// The error for a name that is not known, with the names that are close to it.
pub fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> anyhow::Error {
    unknown_in("bench list", kind, name, known)
}

/// The same for names that another `command` lists.
pub fn unknown_in<'a>(command: &str, kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> anyhow::Error {
    let mut near: Vec<(f64, &str)> = known
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(similarity, _)| *similarity >= SIMILAR)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup_by_key(|(_, known)| *known);
    let near: Vec<&str> = near.into_iter().take(3).map(|(_, known)| known).collect();
    let hint = match near.as_slice() {
        [] => String::new(),
        near => format!("did you mean `{}`? ", near.join("` or `")),
    };
    let name: String = name.chars().take(60).flat_map(char::escape_debug).collect();
    anyhow!("there is no {kind} `{name}`; {hint}`{command}` shows all")
}
