//! What is coming: the newest commit of each framework's main branch against its release, as a page, and each as the text of an issue.

use analyze::compare::gates::title;
use analyze::compare::outcome::{Comparison, Decision, Series, Status};
use analyze::compare::probing::Effect;
use model::{count, label};

use super::comparison::{blocks, judged, status_line};
use super::document::{Block, Mark, NONE, Rows, Text, joined, markdown, name, own, some_of, start_of, text};
use super::figure::signed;
use super::labels;

/// The least change of a series that is worth an issue, as a share.
const NEWS: f64 = 0.02;
/// Most series that a row of the page names.
const MOST: usize = 5;
/// Digits of a commit that are shown.
const SHORT: usize = 8;
const ABOUT: &str = "The newest commit of each framework's main branch against the release that is measured here: instructions per \
    request of every endpoint, by the rules of `bench compare`, which name a change of 0.5 % or more, and the quick cases of `bench probe`. \
    A framework's name leads to all that was found.";

/// A framework's main branch, compared with its release.
#[derive(Debug)]
pub struct Coming<'a> {
    /// The app's id.
    pub app: &'a str,
    /// The framework's name for people.
    pub name: &'a str,
    /// Its release.
    pub version: &'a str,
    /// Its repository.
    pub link: &'a str,
    /// Base is the release, head the newest commit.
    pub comparison: Comparison,
}

impl Coming<'_> {
    /// Whether main could be built and measured.
    pub fn is_compared(&self) -> bool {
        let mut apps = self.comparison.apps.iter();
        !apps.any(|app| matches!(app.status, Status::NotMeasured | Status::BuildFailed))
    }

    /// The title of an issue, if main fails, breaks a case that must pass, or changes a series by more than 2 %.
    pub fn news(&self) -> Option<String> {
        if !self.is_compared() {
            return None;
        }
        let failed = self.comparison.apps.iter().find(|app| app.status.is_failure());
        let broken = self.comparison.broken();
        let largest = self.moved().into_iter().next();
        let what = if let Some(failed) = failed {
            let crashes = failed.status == Status::Crashed;
            if crashes { "crashes" } else { "answers wrongly" }.to_owned()
        } else if broken > 0 {
            format!("fails {} that must pass", count(broken, "case"))
        } else {
            let largest = largest.filter(|series| change(series).abs() > NEWS)?;
            let (change, of) = (signed(change(largest)), title(largest.metric));
            format!("takes {change} {of} in {}", series_name(largest))
        };
        Some(format!("{}'s main branch {what}", self.name))
    }

    /// The text of the issue, which can be sent to the framework as it is. `url` is this repository's.
    pub fn text(&self, url: &str) -> String {
        let release = text![name(self.name), " ", name(self.version)];
        let lead = text![
            "What ",
            self.main(),
            " of main changes for a small server, against ",
            release,
            ": both sides were built alike and measured in turns by ",
            own("this benchmark").link(url),
            "."
        ];
        markdown(&blocks(&self.comparison, Some(lead), true))
    }

    /// The commit, if it is known.
    fn main(&self) -> Text {
        let patch = self.comparison.head.patches.first();
        let Some((_, commit)) = patch.and_then(|patch| patch.rsplit_once('#')) else {
            return NONE.into();
        };
        start_of(commit, SHORT).link(&format!("{}/commit/{commit}", self.link))
    }

    /// Series that are named, the most changed first.
    fn moved(&self) -> Vec<&Series> {
        let named = [Decision::Regression, Decision::Improvement];
        let mut moved: Vec<&Series> = named.into_iter().flat_map(|of| judged(&self.comparison, of)).collect();
        moved.sort_by(|one, other| change(other).abs().total_cmp(&change(one).abs()));
        moved
    }

    fn instructions(&self) -> Text {
        let states = joined(self.comparison.apps.iter().map(status_line), "; ");
        if !states.is_empty() {
            return states;
        }
        let moved = self.moved();
        if moved.is_empty() {
            let open = judged(&self.comparison, Decision::Inconclusive).count();
            let open = (open > 0).then(|| format!(", {open} undecided"));
            return text!["nothing moved", open];
        }
        let line = |series: &&Series| {
            let line = text![name(&series_name(series)), " ", own(signed(change(series)))];
            line.marked_if(change(series).abs() > NEWS, Mark::Bold)
        };
        some_of(MOST, moved.iter().map(line))
    }

    fn cases(&self) -> Text {
        let Some(probes) = &self.comparison.probes else {
            return NONE.into();
        };
        let [begin, cease, differ] =
            [Effect::Breaks, Effect::Repairs, Effect::Differs].map(|effect| probes.with(effect).count());
        let begin = (begin > 0).then(|| own(format!("{begin} begin to fail")).bold());
        let cease = (cease > 0).then(|| own(format!("{cease} begin to pass")));
        let differ = (differ > 0).then(|| own(format!("clients may notice {differ}")));
        let all = joined([begin, cease, differ], ", ");
        if all.is_empty() { "as before".into() } else { all }
    }
}

fn change(series: &Series) -> f64 {
    series.change.unwrap_or_default()
}

fn series_name(series: &Series) -> String {
    label(&series.scenario, &series.variant)
}

/// The page about all of them: news first, what could not be compared last. A row leads to the file `<app>.md`.
pub fn upstream_markdown(all: &[Coming<'_>]) -> String {
    let mut rows: Vec<&Coming<'_>> = all.iter().collect();
    rows.sort_by_key(|one| (!one.is_compared(), one.news().is_none()));
    let framework = |one: &&Coming<'_>| {
        let page = one.is_compared().then(|| format!("{}.md", one.app));
        text![name(one.name), " ", name(one.version)].link(&page.unwrap_or_default())
    };
    let table = Rows::of(rows)
        .words("Framework", framework)
        .words("main", |one| one.main())
        .words("Instructions per request", |one| one.instructions())
        .words("Cases that must pass", |one| one.cases());
    let days = all.iter().map(|one| one.comparison.started_at);
    let day = days.min().map(|day| own(format!(" ({})", labels::date(day))));
    markdown(&[
        Block::Heading(1, text!["What is coming", day]),
        Block::paragraph(ABOUT),
        table.table(),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::sample;
    use analyze::compare::outcome::{App, Side};

    const PATCH: &str = "axum=git+https://github.com/tokio-rs/axum#3d78036d00000000000000000000000000000000";

    /// axum, with these decisions, cases that break, and states.
    fn coming(change: f64, breaks: bool, state: Status) -> Coming<'static> {
        let mut comparison = sample::comparison();
        comparison.head = Side {
            patches: vec![PATCH.into()],
            ..Side::new("the benchmark", comparison.base.commit.clone())
        };
        comparison.apps.truncate(1);
        comparison.apps[0] = App {
            status: state,
            reason: (state != Status::Measured).then(|| "cargo does not use <it>".into()),
            ..comparison.apps[0].clone()
        };
        comparison.series.truncate(1);
        comparison.series[0].change = Some(change);
        comparison.series[0].decision = match change {
            ..-0.005 => Decision::Improvement,
            0.005.. => Decision::Regression,
            _ => Decision::NoChange,
        };
        if !breaks {
            comparison.probes = None;
        }
        Coming {
            app: "axum",
            name: "Axum",
            version: "0.8.9",
            link: "https://github.com/tokio-rs/axum",
            comparison,
        }
    }

    #[test]
    fn an_issue_is_for_what_moves_by_more_than_two_percent_or_fails() {
        use Status::{BuildFailed, ContractFailed, Crashed, Measured, NotMeasured};
        let scenario = &coming(0.0, false, Measured).comparison.series[0].scenario;
        let takes = |change| Some(format!("takes {change} instructions in {scenario}"));
        for (change, breaks, state, news) in [
            (0.0, false, Measured, None),
            (0.019, false, Measured, None),
            (-0.021, false, Measured, takes("−2.1 %")),
            (0.029, false, Measured, takes("+2.9 %")),
            (0.0, true, Measured, Some("fails 1 case that must pass".into())),
            (0.0, false, Crashed, Some("crashes".into())),
            (0.0, false, ContractFailed, Some("answers wrongly".into())),
            (0.029, true, BuildFailed, None),
            (0.029, true, NotMeasured, None),
        ] {
            let title = coming(change, breaks, state).news();
            assert_eq!(
                title,
                news.map(|what| format!("Axum's main branch {what}")),
                "{change} {breaks} {state:?}"
            );
        }
    }

    #[test]
    fn the_page_has_the_news_first_and_what_could_not_be_compared_last() {
        use Status::{Measured, NotMeasured};
        let page = upstream_markdown(&[
            coming(0.0, false, NotMeasured),
            coming(0.012, false, Measured),
            coming(0.0, false, Measured),
            coming(0.029, true, Measured),
        ]);
        insta::assert_snapshot!(format!(
            "{page}\n{}",
            coming(0.029, true, Measured).text("https://github.com/owner/name")
        ));
    }
}
