//! What each release of a crate changed for a server, and what the last year brought.

use analyze::releases::{Counts, CrateReleases, InTurns, Releases, STEP, Span, Upgrade};
use model::{Record, Release};

use super::document::{Block, Cell, Mark, NONE, Rows, Text, joined, markdown, name, own, sentence, some_of, text};
use super::figure::signed;
use super::{figure, labels};

/// Most releases that a row of the first table names.
const MOST: usize = 4;
const IN_TURNS: &str = "CPU time in turns";
const HOW_TO_READ: &str = "Instructions of a request in user space, one request after the other over one kept connection, and their \
    change against the version before; ▲ and ▼ mark more than 1 %, and at a single \
    release more than starts of one program differ. What the \
    kernel does for a request is not counted, so that its CPU time changes less: where both releases were driven in turns, that change stands \
    beside it with its 95 % interval. All else is as it is locked when they are measured, so a release \
    stands on newer crates than it had in its day; what these have brought since was counted of some, by the newest of that day. The first table begins with the release that was the newest a year before, and again with \
    the oldest that was counted.";

/// A page of releases, and of the records that say so.
pub fn releases_page(found: &Releases, records: &[Record]) -> String {
    let mut blocks = vec![Block::Heading(1, "What each release costs a request".into())];
    blocks.extend(self::blocks(found));
    let run = |record: &Record| {
        let (id, time) = (name(&record.id).code(), own(labels::time(record)));
        let machine = labels::machine(&record.environment);
        let rustc = labels::cpu(&record.environment.rustc);
        text![id, ", ", time, ": ", machine, "; ", rustc]
    };
    blocks.extend(Block::section(2, "Runs", Block::list(records.iter().map(run))));
    markdown(&blocks)
}

/// Nothing where nothing was measured.
pub fn blocks(found: &Releases) -> Vec<Block> {
    let mut blocks = Block::section(2, "What the last year brought", brought(found).into_iter().collect());
    for one in &found.crates {
        let beneath = (!one.is_framework).then(|| text![" with ", name(&one.of)]);
        let title = text!["Releases: ", name(&one.name), beneath];
        blocks.extend([Block::Heading(2, title), each(one)]);
    }
    blocks.extend((!found.crates.is_empty()).then(|| Block::paragraph(HOW_TO_READ)));
    blocks
}

fn brought(found: &Releases) -> Option<Block> {
    let crates = found.crates.iter();
    let rows = crates.flat_map(|one| one.spans.iter().map(move |span| (one, span)));
    let rows: Vec<(&CrateReleases, &Span)> = rows.collect();
    if rows.is_empty() {
        return None;
    }
    let scenarios = labels::distinct(rows.iter().flat_map(|(one, _)| &one.scenarios));
    let mut table = Rows::of(rows)
        .words("Server", |(one, _)| name(&one.name))
        .words("Crate", |(one, _)| name(&one.of))
        .words(Cell::new("From", "published"), |(one, span)| {
            dated(&one.releases[span.from].release)
        })
        .words(Cell::new("To", "published"), |(one, span)| {
            dated(&one.releases[span.to].release)
        });
    for scenario in scenarios {
        table = table.figures(name(scenario), |(one, span)| {
            let place = one.scenarios.iter().position(|known| known == scenario)?;
            Some(span.changes[place].map_or(NONE.into(), |share| change(share, share.abs() > STEP)))
        });
    }
    let table = table
        .words(IN_TURNS, |(one, span)| {
            let is_within = |found: &&InTurns| span.from <= found.from && found.to <= span.to;
            let each = one.in_turns.iter().filter(is_within).map(|found| {
                let [from, to] = [found.from, found.to].map(|place| name(&one.releases[place].release.version));
                text![from, " → ", to, ": ", of_turns(one, found)]
            });
            some_of(MOST, each)
        })
        .words(Cell::new("Other crates", "since that day"), |(one, span)| {
            of_others(one, &one.releases[span.from])
        })
        .words("Steps", |(one, span)| {
            some_of(MOST, one.since(span).filter_map(|release| steps(one, release)))
        })
        .words("Remarks", |(one, span)| {
            let remarks = one.since(span).filter_map(|release| {
                let refused = release.refused.as_ref().map(|_| " is not counted");
                let yanked = release.release.yanked.then_some(" is yanked");
                Some(text![name(&release.release.version), refused.or(yanked)?])
            });
            some_of(MOST, remarks)
        });
    Some(table.table())
}

fn dated(release: &Release) -> Cell {
    Cell::new(name(&release.version), release.published.map(labels::day))
}

/// `1.12.0: simple −10.3 %`; `None` if it is no step.
pub(super) fn steps(one: &CrateReleases, release: &Upgrade) -> Option<Text> {
    let steps = release.steps();
    let steps: Vec<Text> = steps
        .map(|(scenario, share)| text![name(&one.scenarios[scenario]), " ", own(signed(share))])
        .collect();
    (!steps.is_empty()).then(|| text![name(&release.release.version), ": ", joined(steps, " and ")])
}

/// Every release, the newest first.
fn each(one: &CrateReleases) -> Block {
    let mut table = Rows::of((0..one.releases.len()).rev())
        .words("Release", |place| name(&one.releases[*place].release.version))
        .words("Published", |place| {
            one.releases[*place].release.published.map(labels::day)
        });
    for (scenario, title) in one.scenarios.iter().enumerate() {
        table = table.figures(Cell::new(name(title), "change"), |place| {
            let counts = one.releases[*place].counts[scenario].as_ref();
            let count = counts.map_or(NONE.to_owned(), |counts| figure::significant(counts.instructions));
            Cell::new(
                own(count),
                counts.and_then(|counts| Some(change(counts.change?, counts.is_step))),
            )
        });
    }
    let table = table.words(IN_TURNS, |place| {
        let own = one.in_turns.iter().filter(|found| found.to == *place);
        let each = own.map(|found| {
            let against = name(&one.releases[found.from].release.version);
            text![of_turns(one, found), " against ", against]
        });
        some_of(MOST, each)
    });
    let table = table.words("Remarks", |place| {
        let release = &one.releases[*place];
        let yanked = release.release.yanked.then(|| own("yanked"));
        let refused = release.refused.as_ref().map(|reason| sentence(reason).bad());
        let with = &release.release.together_with;
        let named = joined(with.iter().map(|one| name(one)), ", ");
        let with = (!with.is_empty()).then(|| text!["with ", named, " of its version"]);
        let moved = one.scenarios.iter().enumerate().flat_map(|(scenario, title)| {
            let of = |release: &Upgrade| release.counts[scenario].clone();
            let before = one.releases[..*place].iter().rev().find_map(of);
            let both = before.zip(of(release)).into_iter();
            both.flat_map(|(before, now)| others(title, &before, &now))
        });
        let mut earlier = one.releases[..*place].iter().rev();
        let before = earlier.find_map(|before| before.binary_bytes);
        let sizes = before.zip(release.binary_bytes);
        let size = sizes.filter(|(before, now)| (*now as f64 / *before as f64 - 1.0).abs() > STEP);
        let size = size.map(|(before, now)| {
            let [before, now] = [before, now].map(|bytes| own(figure::mebibytes(bytes)));
            text!["size of the program: ", before, " → ", now]
        });
        let brought = of_others(one, release).map(|found| text!["other crates since its day: ", found]);
        let before_moved = [yanked, refused, with].into_iter();
        joined(before_moved.chain(moved).chain([size, brought]), "; ")
    });
    table.table()
}

/// `plaintext −0.3 % (−1.3 % to +0.9 %)`
fn of_turns(one: &CrateReleases, found: &InTurns) -> Text {
    let [change, low, high] = [found.change, found.interval.low, found.interval.high].map(signed);
    let change = own(format!("{change} ({low} to {high})"));
    text![name(&one.scenarios[found.scenario]), " ", change]
}

/// What all other crates have brought since the day of a release, if that was counted: `plaintext −3.1 %, hello −2.0 %`
fn of_others(one: &CrateReleases, release: &Upgrade) -> Option<Text> {
    let changes = one.scenarios.iter().zip(&release.others);
    let changes = changes.filter_map(|(scenario, change)| Some(text![name(scenario), " ", own(signed((*change)?))]));
    let changes: Vec<Text> = changes.collect();
    (!changes.is_empty()).then(|| joined(changes, ", "))
}

/// A change of the instructions, with a mark if it is a step.
fn change(share: f64, is_step: bool) -> Text {
    let mark = if share > 0.0 { "▲ " } else { "▼ " };
    let mark = if is_step { mark } else { "" };
    own(format!("{mark}{}", signed(share))).marked_if(is_step, Mark::Bold)
}

/// What else is another of a request.
fn others(scenario: &str, before: &Counts, now: &Counts) -> [Option<Text>; 2] {
    let calls = [before, now].map(|one| one.syscalls.map(|calls| figure::significant(calls.round())));
    let heads = [before, now].map(|one| one.head_bytes.map(|bytes| bytes.to_string()));
    let changed = |what: &'static str, pair: [Option<String>; 2]| match pair {
        [Some(from), Some(to)] if from != to => Some(text![what, " of ", name(scenario), ": ", from, " → ", to]),
        _ => None,
    };
    [changed("system calls", calls), changed("bytes of the head", heads)]
}

#[cfg(test)]
mod tests {
    use analyze::releases;
    use model::Interval;

    use super::*;

    fn records() -> [Record; 2] {
        let axum = [
            ("0.8.10", "2026-05-01", Some(10_090.0)),
            ("0.8.9", "2026-04-01", Some(10_000.0)),
            ("0.8.8", "2026-03-01", None),
            ("0.8.7", "2026-02-01", Some(10_200.0)),
            ("0.8.6", "2025-02-01", Some(10_099.0)),
            ("0.8.5", "2025-01-01", Some(10_099.0)),
            ("0.8.5 then", "2025-01-01", Some(11_099.0)),
        ];
        let tokio = [
            ("1.49.0", "2025-03-01", Some(10_000.0)),
            ("1.48.0", "2024-03-01", Some(9_999.0)),
        ];
        [
            samples::releases("2026-11-21", "axum", &axum),
            samples::releases("2026-11-20", "tokio", &tokio),
        ]
    }

    #[test]
    fn the_page_begins_with_the_last_year_and_has_every_release() {
        insta::assert_snapshot!(releases_page(&releases::releases(&records()), &records()));
    }

    #[test]
    fn what_was_driven_in_turns_stands_beside_the_counts() {
        let mut found = releases::releases(&records());
        let in_turns = |from, interval| InTurns {
            from,
            to: 5,
            scenario: 0,
            change: -0.003,
            interval,
        };
        let [wide, narrow] = [[-0.013, 0.009], [-0.004, -0.002]].map(|[low, high]| Interval { low, high });
        found.crates[0].in_turns = vec![in_turns(0, wide), in_turns(4, narrow)];
        // One per cent of it is not worth a word.
        for (release, bytes) in
            found.crates[0]
                .releases
                .iter_mut()
                .zip([3 << 20, 3 << 20, 3_170_000, 3_170_000, 3_170_000, 4 << 20])
        {
            release.binary_bytes = Some(bytes);
        }
        found.crates[0].releases[1].release.together_with = vec!["axum-core".to_owned()];
        let text = markdown(&blocks(&found));
        // In the two spans of the first table, and once with the release; of the last year, only what is within.
        for (part, times) in [
            ("0.8.5 → 0.8.10: plaintext −0.3 % (−1.3 % to +0.9 %)", 1),
            ("0.8.9 → 0.8.10: plaintext −0.3 % (−0.4 % to −0.2 %)", 2),
            ("plaintext −0.3 % (−1.3 % to +0.9 %) against 0.8.5", 1),
            ("with axum-core of its version", 1),
            ("size of the program", 1),
            ("3.02 MiB → 4.00 MiB", 1),
        ] {
            assert_eq!(text.matches(part).count(), times, "{part}: {text}");
        }
    }

    #[test]
    fn a_record_shows_its_own() {
        let [record, _] = records();
        insta::assert_snapshot!(crate::full_terminal(&record, crate::Style::PLAIN));
    }
}
