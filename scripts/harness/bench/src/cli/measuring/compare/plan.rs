//! `bench compare --plan`: what a comparison is going to take.

use measure::compare::ComparisonPlan;
use model::{count, escape};

use super::{Args, Outcome};
use crate::progress::OnStderr;

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let plan = measure::compare::plan(&args.request, &OnStderr)?;
    args.format.print(&plan, || text(&plan))?;
    Ok(Outcome::Fine)
}

fn text(plan: &ComparisonPlan) -> String {
    let commit: String = plan.base.commit.chars().take(12).collect();
    let against = format!(
        "against {} ({commit})",
        escape::clean(&plan.base.revision, escape::NAME)
    );
    let patches = plan.head.patches.iter();
    if plan.apps.is_empty() {
        let why = match patches.len() {
            0 => "this change touches no app",
            _ => "these apps are built from the same without the patch",
        };
        return format!("Nothing to measure {against}: {why}\n");
    }
    let patches: Vec<String> = patches.map(|patch| escape::clean(patch, escape::SENTENCE)).collect();
    let with = if patches.is_empty() {
        String::new()
    } else {
        format!(" with {}", patches.join(" and "))
    };
    format!(
        "{}{with} {against}\nabout {}: {} to build ({} to compile), {} to measure if nothing has changed\n",
        plan.apps.join(", "),
        minutes(plan.build_seconds + plan.measure_seconds),
        minutes(plan.build_seconds),
        count(plan.crates, "crate"),
        minutes(plan.measure_seconds),
    )
}

/// An estimate for people: `40 s`, `6 minutes`.
fn minutes(seconds: usize) -> String {
    match seconds {
        0..90 => format!("{} s", seconds.div_ceil(10) * 10),
        _ => count((seconds + 30) / 60, "minute"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyze::compare::outcome::Side;

    #[test]
    fn how_long_it_takes_is_said_of_building_and_of_measuring() {
        let side = Side::new("HEAD", "0123456789abcdef".into());
        let plan = ComparisonPlan {
            head: Side {
                patches: vec!["hyper=../hyper".into()],
                ..side.clone()
            },
            base: side,
            apps: vec!["axum".into(), "hyper".into()],
            variants: 2,
            crates: 93,
            build_seconds: 241,
            measure_seconds: 38,
        };
        assert_eq!(
            text(&plan),
            "axum, hyper with hyper=../hyper against HEAD (0123456789ab)\nabout 5 minutes: 4 minutes to build (93 crates to compile), 40 s to \
             measure if nothing has changed\n"
        );
    }
}
