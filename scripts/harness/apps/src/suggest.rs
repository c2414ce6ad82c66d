//! The error for a name that nothing has, with the one that was probably meant.

use anyhow::anyhow;

/// Least similarity of a name to be suggested.
const SIMILAR: f64 = 0.7;
/// Most names that are listed where none is similar.
const MOST: usize = 6;
/// What people say, and what is meant by it here.
const MEANT: [(&str, &str); 1] = [("json", "hello")];
/// The names that are usual where there are many.
const USUAL: [&str; 3] = ["first-look", "quick", "weekly"];

/// The name that is most similar to `name`; `None` if none is.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    if let Some((_, meant)) = MEANT
        .iter()
        .find(|(said, meant)| *said == name && known.contains(meant))
    {
        return Some(meant);
    }
    // Two letters that were swapped, or a wrong one, are more in a short name than Jaro and Winkler's measure says.
    let likeness = |known: &str| {
        let is_slip = name.len() > 2 && strsim::osa_distance(name, known) == 1;
        let least = if is_slip { SIMILAR } else { 0.0 };
        strsim::jaro_winkler(name, known).max(least)
    };
    let similar = (known.iter())
        .map(|known| (likeness(known), *known))
        .filter(|(likeness, _)| *likeness >= SIMILAR);
    let nearest = similar.max_by(|(one, a), (other, b)| one.total_cmp(other).then(b.cmp(a)));
    nearest.map(|(_, known)| known)
}

/// The error for a name that is not known.
pub fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> anyhow::Error {
    unknown_in("bench list", kind, name, known)
}

/// The same for names that another `command` lists.
pub fn unknown_in<'a>(command: &str, kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> anyhow::Error {
    let shown: String = name.chars().take(60).flat_map(char::escape_debug).collect();
    let mut all: Vec<&str> = known.collect();
    all.sort_unstable();
    all.dedup();
    let hint = match nearest(name, &all) {
        Some(near) => format!("did you mean `{near}`? `{command}` shows all"),
        None if (1..=MOST).contains(&all.len()) => format!("there are {}", all.join(", ")),
        None => {
            let usual: Vec<&str> = USUAL.into_iter().filter(|name| all.contains(name)).collect();
            match usual.as_slice() {
                [] => format!("`{command}` shows all"),
                some => format!("{} are usual, and `{command}` shows all", some.join(", ")),
            }
        }
    };
    anyhow!("there is no {kind} `{shown}`; {hint}")
}
