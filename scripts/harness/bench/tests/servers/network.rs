//! Load over a network of the run's own.

use machine::network::as_root;
use model::Verdict;

use crate::common::{Bench, planned, words};

const SHORT: &str = "--app good --rounds 1 --duration 300ms --connections 8 --scenario";

fn ip(line: &str) -> bool {
    as_root("ip").args(words(line)).output().unwrap().status.success()
}

fn no_network_is_left() -> bool {
    !ip("-n bench-network link show") && !ip("link show bench-net0")
}

/// What a run left that was killed is in nobody's way.
#[test]
fn load_goes_over_a_network_that_is_gone_afterwards() {
    let bench = Bench::on_fixtures();
    assert!(ip("netns add bench-network"));
    bench.run(&format!("{SHORT} network-kept")).fine();
    let record = bench.record();
    let environment = &record.environment;
    let [there] = environment.load_machines.as_slice() else {
        panic!("{environment:?}")
    };
    assert!(there.is_this_one && there.mtu == Some(1500), "{there:?}");
    assert!(
        environment
            .warnings
            .iter()
            .any(|warning| warning.contains("the network is this machine's own")),
        "{environment:?}"
    );
    assert_eq!(record.scenarios[0].round_trip_us, Some(0));
    for trial in planned(&record).filter(|trial| trial.verdict != Verdict::EnvironmentFailed) {
        assert!(trial.verdict < Verdict::EnvironmentFailed, "{trial:?}");
        assert!(
            trial.requests.keys().eq(["200"]) && trial.errors.is_empty(),
            "{trial:?}"
        );
        assert!(trial.link_share.is_some_and(|share| share > 0.0), "{trial:?}");
    }
    assert!(no_network_is_left());
    assert!(bench.children().is_empty());
}

#[test]
fn a_kernel_delays_packets_or_one_line_says_what_it_lacks() {
    let bench = Bench::on_fixtures();
    let can = || {
        let made = ip("netns add bench-try") && ip("-n bench-try link set lo up");
        let mut tc = as_root("tc");
        tc.args(words("-n bench-try qdisc add dev lo root netem delay 1ms"));
        let can = made && tc.output().unwrap().status.success();
        assert!(ip("netns del bench-try"));
        can
    };
    let output = bench.run(&format!("{SHORT} network-kept,network-kept-2ms"));
    if can() {
        output.fine();
        let record = bench.record();
        let mut slow = planned(&record).filter(|trial| trial.scenario == "network-kept-2ms");
        assert!(slow.all(|trial| trial.latency_ms.is_none_or(|latency| latency.p50 >= 2.0)));
    } else {
        output.refused("error: this kernel cannot delay packets: ");
        assert!(!output.error().contains(".;"), "{output:#?}");
        assert_eq!(output.stderr.lines().count(), 1, "{output:#?}");
        assert!(bench.files().is_empty(), "nothing was begun");
    }
    assert!(no_network_is_left());
}
