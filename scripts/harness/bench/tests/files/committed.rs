//! What is committed can be read by today's program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use analyze::analysis::Sessions;
use analyze::pair::Direct;
use analyze::reading;
use apps::profile::Profiles;
use model::scenario::LoadModel;
use model::{Metric, Record, store};
use report::publish::{Fact, add};
use report::site::RunFigures;

fn results() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../bench-results")
}

/// What the site is given of every pair of a record is what `bench report --pair` says.
fn same_verdicts(record: &Record, sessions: &Sessions) -> usize {
    let direct = Direct::new(record, sessions);
    let label = |key: &str| {
        key.split_once(':')
            .map_or(key.to_owned(), |(id, variant)| model::label(id, variant))
    };
    let mut compared = 0;
    let mut of_pair = BTreeMap::new();
    for figures in RunFigures::among(record, sessions).figures {
        let is_by_cost = record.scenario(&figures.scenario).unwrap().load == LoadModel::Closed;
        let Some(matrix) = figures
            .metrics
            .get(&Metric::ServerCpuUsPerRequest)
            .filter(|_| is_by_cost)
        else {
            continue;
        };
        for (at, marks) in matrix.pair_verdicts.iter().enumerate() {
            assert_eq!(marks.len(), at);
            for (before, mark) in marks.chars().enumerate() {
                let pair = [before, at].map(|place| label(&figures.subjects[place]));
                let said = of_pair
                    .entry(pair.clone())
                    .or_insert_with(|| direct.pair(&pair[0], &pair[1]).unwrap());
                let said = said.iter().find(|finding| finding.scenario == figures.scenario);
                let expected = said.map_or('.', |finding| match finding.told_apart {
                    false => '=',
                    true if finding.ratio.estimate < 1.0 => '<',
                    true => '>',
                });
                assert_eq!(
                    mark,
                    expected,
                    "{}: {} in {}",
                    record.id,
                    pair.join(", "),
                    figures.scenario
                );
                compared += usize::from(mark != '.');
            }
        }
    }
    compared
}

/// Whatever is committed can be read, and published.
#[test]
fn the_committed_records_are_records() {
    let folder = tempfile::tempdir().unwrap();
    let (mut read, mut compared) = (0, 0);
    for path in store::all(&results()) {
        let (among, sessions) = reading::among_sessions(&results(), &path).unwrap();
        compared += same_verdicts(&among, &sessions);
        let record = reading::read(&path).unwrap();
        let fact = Fact::of_record(folder.path(), record.clone());
        add(folder.path(), std::slice::from_ref(&fact)).unwrap();
        let published = reading::read(&fact.path).unwrap();
        assert!(
            published.summary == record.summary,
            "{}: its trials say something else",
            path.display()
        );
        read += 1;
    }
    assert!(read > 0 && compared > 1000, "{read} records, {compared} pairs");
}

/// What nobody has measured is only a promise.
#[test]
fn every_scenario_has_a_record_or_says_why_not() {
    let (profiles, records) = (Profiles::built_in(), reading::newest_of_scenarios(&results()));
    let wrong = profiles.scenario_names();
    let wrong = wrong.filter(|name| records.contains_key(*name) == profiles.unrecorded(name).is_some());
    let (both, neither): (Vec<&str>, Vec<&str>) = wrong.partition(|name| records.contains_key(*name));
    let both = both.join(", ");
    assert!(
        both.is_empty(),
        "in a record, so `unrecorded` must go from profiles.toml: {both}"
    );
    let neither = neither.join(", ");
    assert!(
        neither.is_empty(),
        "in no record below bench-results, and `unrecorded` in profiles.toml does not say why: {neither}"
    );
}
