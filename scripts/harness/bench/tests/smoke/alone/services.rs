//! Servers of services.

use model::{Service, Verdict};

use crate::common::{Bench, planned};

#[test]
fn services_are_measured_and_counted_and_what_is_not_offered_is_shown() {
    let bench = Bench::on_fixtures();
    let line = "--verbose --profile services --app good-services --scenario routes-1,middleware-5,websocket-64";
    let short = "--rounds 1 --duration 200ms --connections 8";
    let output = bench.run(&format!("{line} {short}")).fine();
    assert!(output.stdout.contains("good-services (not offered)"), "{output:#?}");
    let record = bench.record();
    let good = record.apps.iter().find(|app| app.id == "good-services").unwrap();
    let services = good.services.as_ref().unwrap();
    assert_eq!(services.not_offered[&Service::Middleware], "none is written down");

    let trials = |app: &'static str| planned(&record).filter(move |trial| trial.app == app);
    let driven = |app| trials(app).count();
    assert_eq!((driven("good-services"), driven("reference-services")), (2, 3));
    for trial in trials("good-services").chain(trials("reference-services")) {
        assert!(trial.verdict < Verdict::ContractFailed, "{trial:?}");
        assert!(
            trial.instructions_per_request.is_some_and(|count| count > 0.0),
            "{trial:?}"
        );
    }
}
