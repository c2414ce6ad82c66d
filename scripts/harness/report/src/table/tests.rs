use super::notes::who;
use super::*;

fn labels(rows: &[Row]) -> Vec<String> {
    rows.iter().map(|row| label(row.app)).collect()
}

#[test]
fn what_the_machine_failed_is_reported_once_for_all_and_last() {
    let mut record = samples::record();
    let cells = record.summary.iter_mut().filter(|cell| cell.scenario == "plaintext");
    for (cell, share) in cells.zip(10..) {
        cell.verdict = Verdict::EnvironmentFailed;
        cell.reasons = vec![format!("the hypervisor took {share} % of the time"), "and more".into()];
        cell.metrics.clear();
    }
    let failures = failures(&record, &tables(&record));
    let of_machine = failures.iter().filter(|one| one.verdict == Verdict::EnvironmentFailed);
    let of_machine: Vec<_> = of_machine.collect();
    assert_eq!(of_machine.len(), 1, "{failures:?}");
    assert!(of_machine[0].label.contains(", "), "{failures:?}");
    let reason = of_machine[0].reasons.join("; ");
    assert!(reason.ends_with(" % of the time; similarly for the others"), "{reason}");
    assert_eq!(failures.last().unwrap().verdict, Verdict::EnvironmentFailed);
}

#[test]
fn what_an_app_failed_in_several_scenarios_is_reported_once() {
    let reported = |reasons: &dyn Fn(&str) -> Vec<String>| {
        let mut record = samples::record();
        for cell in record.summary.iter_mut().filter(|cell| cell.app == "actix-web") {
            cell.verdict = Verdict::ContractFailed;
            cell.reasons = reasons(&cell.scenario);
        }
        let failures = failures(&record, &tables(&record));
        let failed: Vec<_> = failures.iter().filter(|one| one.label == "actix-web").collect();
        assert_eq!(failed.len(), 1, "{failures:?}");
        assert_eq!(failed[0].scenarios, [""; 0], "all of them");
        failed[0].reasons.clone()
    };
    let scenarios: Vec<String> = samples::record().scenarios.into_iter().map(|one| one.id).collect();
    let often = || "so in 4 of 6 trials".to_owned();
    let own = reported(&|scenario| vec![format!("{scenario} got no answer"), often()]);
    let each = (scenarios.iter()).map(|scenario| format!("{scenario} ({}): {scenario} got no answer", often()));
    assert_eq!(own, each.collect::<Vec<_>>());
    let same = vec!["no answer".to_owned(), often()];
    assert_eq!(reported(&|_| same.clone()), same);
    // What differs stands with its scenario.
    let counted = reported(&|scenario| {
        let often = (scenario == scenarios[0]).then(often);
        [Some("no answer".into()), often].into_iter().flatten().collect()
    });
    let rest = scenarios[1..].iter().map(String::as_str);
    let first = format!("{} ({})", scenarios[0], often());
    let places: Vec<&str> = std::iter::once(first.as_str()).chain(rest).collect();
    assert_eq!(counted, [format!("{}: no answer", labels::list(&places))]);
}

#[test]
fn no_row_stands_above_one_that_is_better() {
    // By the ratio, which is what ranks are made of, even where the median says otherwise; untrusted ones last.
    let mut record = samples::record();
    for cell in record.summary.iter_mut().filter(|cell| cell.scenario == "json") {
        if let Some(cpu) = cell.metrics.get_mut(&Metric::ServerCpuUsPerRequest) {
            cpu.median = 100.0 - cpu.median;
        }
    }
    let tables = tables(&record);
    assert_eq!(
        labels(&tables[1].ranked),
        ["actix-web", "axum", "axum (tuned)", "rocket", "hyper"]
    );
    assert!(tables[1].ranked[3].rank(Metric::ServerCpuUsPerRequest).is_none());
}

#[test]
fn missing_rounds_are_counted() {
    let mut record = samples::record();
    let rounds = |record: &Record| tables(record)[0].rows().map(Row::rounds).collect::<Vec<_>>();
    assert!(rounds(&record).iter().all(Option::is_none));
    let cpu = record.summary[0].metrics.get_mut(&Metric::ServerCpuUsPerRequest);
    cpu.unwrap().trials = 2;
    let shown: Vec<_> = rounds(&record).into_iter().flatten().collect();
    assert_eq!(shown, ["2 of 3 rounds"]);
}

#[test]
fn many_names_are_a_number() {
    let names = |range: std::ops::Range<u32>| range.map(|number| number.to_string()).collect::<Vec<_>>();
    let of = |some: Vec<String>| who(&some, &names(0..9));
    assert_eq!(of(names(0..9)), "all 9");
    assert_eq!(of(names(0..2)), "0, 1");
    assert_eq!(of(names(2..9)), "7 of 9, all but 0 and 1");
    assert_eq!(of(names(4..8)), "4 of 9");
    assert_eq!(who(&names(0..1), &names(0..1)), "0");
}

#[test]
fn no_app_is_lost() {
    let mut record = samples::record();
    let is_lost = |cell: &Cell| cell.app == "axum" && cell.scenario == "json";
    record.summary.retain(|cell| !is_lost(cell));
    let tables = tables(&record);
    for table in &tables {
        assert_eq!(table.rows().count() + table.missing.len(), record.apps.len());
    }
    let axum = tables[1].missing.iter().find(|missing| missing.app.id == "axum");
    assert_eq!(axum.expect("it has no figures").word(), "not measured");
}

#[test]
fn many_reasons_become_few() {
    let many: Vec<String> = (0..9).map(|number| format!("reason {number}")).collect();
    assert_eq!(
        shown_reasons(&many),
        ["reason 0", "reason 1", "reason 2", "and 6 more reasons in the record"]
    );
}

#[test]
fn means_that_overlap_share_a_place() {
    let mean = |low: f64, high: f64| Ratio {
        estimate: f64::midpoint(low, high),
        interval: Some(Interval { low, high }),
        sessions: None,
        days: None,
    };
    let all = [mean(0.90, 0.92), mean(0.95, 0.99), mean(0.98, 1.02), mean(1.01, 1.10)];
    let places: Vec<String> = all.iter().map(|own| place_of(own, &all).unwrap().to_string()).collect();
    assert_eq!(places, ["1", "2–3", "2–4", "3–4"]);
    let unknown = Ratio {
        interval: None,
        ..all[0].clone()
    };
    assert_eq!(place_of(&unknown, &all), None);
}
