//! What a run found of its controls, in a sentence.

use analyze::analysis::controls::found;
use model::Record;

use crate::figure;

/// `Controls: the reference in another order of sections differed by 0.2 ±0.6 %; 2.1 % of added work was measured as 1.9 ±0.6 %.`; `None`
/// without controls.
pub fn sentence(record: &Record) -> Option<String> {
    let parts: Vec<String> = found(record)
        .into_iter()
        .map(|found| {
            let percent = |share: f64| format!("{:.1}", (share - 1.0) * 100.0);
            let measured = format!(
                "{} {}",
                percent(found.estimate),
                figure::spread(found.estimate, Some(found.interval))
            );
            if found.truth > 1.0 {
                format!("{} % of added work was measured as {measured}", percent(found.truth))
            } else {
                format!("the reference in another order of sections differed by {measured}")
            }
        })
        .collect();
    (!parts.is_empty()).then(|| format!("Controls: {}.", parts.join("; ")))
}
