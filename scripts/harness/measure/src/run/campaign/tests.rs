use super::*;
use crate::profile::Profiles;

fn made(verdict: Verdict, loaded: bool) -> TrialOutcome {
    let profiles = Profiles::built_in();
    let scenario = profiles.scenario("plaintext", profiles.profile("quick").unwrap());
    let trial = trial::skipped(TrialPlace::FIRST, &scenario.unwrap(), verdict, "no luck".into());
    TrialOutcome { trial, loaded }
}

#[test]
fn a_crash_under_one_load_forbids_no_other() {
    for verdict in [Verdict::Crashed, Verdict::ContractFailed] {
        assert_eq!(refuted(&made(verdict, true)), None);
        assert_eq!(refuted(&made(verdict, false)), Some((verdict, "no luck".into())));
    }
    assert_eq!(refuted(&made(Verdict::Valid, true)), None);
}
