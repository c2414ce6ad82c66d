//! What clients notice: what the guide's own server of each framework did where the sources leave a choice, and what differs between two.

use std::collections::BTreeMap;

use jiff::Timestamp;
use model::probe::{Level, ProbeCase};
use model::{PLAIN, Record, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the document that this program writes and reads.
pub const CLIENTS_VERSION: u32 = 1;

/// A setting of a framework.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// What it is called.
    pub name: String,
    /// Where it is documented.
    pub address: String,
}

/// The newest answers of the guide's own servers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clients {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// Id of the probes.
    pub id: String,
    /// When the first case began, UTC.
    pub started_at: Timestamp,
    /// The cases, in the order of the file.
    pub cases: Vec<ProbeCase>,
    /// The servers.
    pub servers: Vec<ClientServer>,
}

/// What one server did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientServer {
    /// Id of the app.
    pub app: String,
    /// For people.
    pub name: String,
    /// How well it is maintained.
    pub tier: Tier,
    /// Version of the framework.
    pub version: String,
    /// What it did, by the id of the case: `405, allow GET,HEAD, kept`; where fresh servers did not agree, all of it, with `; or ` between.
    pub got: BTreeMap<String, String>,
    /// The first final status of its answers, where the case is about a request.
    pub statuses: BTreeMap<String, u16>,
    /// The setting of the framework that changes what a case finds, by the case.
    pub settings: BTreeMap<String, Setting>,
}

/// What a difference means for a client, what hurts most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Notice {
    /// The request succeeds with the first and not with the second.
    Fails,
    /// It has another status.
    Status,
    /// It succeeds with the second only.
    Works,
    /// A limit, a time or the end is another one.
    Limit,
    /// The status is the same; fields, a body, or what becomes of the connection are not.
    Rest,
}

/// A case in which two servers differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moved<'a> {
    /// What it means.
    pub notice: Notice,
    /// The case.
    pub case: &'a ProbeCase,
    /// What the first and the second did.
    pub got: [&'a str; 2],
    /// What of the second is to be set for another answer, where its documentation says so.
    pub setting: Option<&'a Setting>,
}

/// What a record says of these cases; `None` where it has none.
pub fn clients(probes: &Record) -> Option<Clients> {
    let observed = probes.cases.iter().filter(|case| case.level == Level::Observed);
    let cases: Vec<ProbeCase> = observed.cloned().collect();
    let settings = settings();
    let servers = probes.apps.iter().filter(|app| app.variant == PLAIN).map(|app| {
        let own = probes
            .probed
            .iter()
            .filter(|one| one.app == app.id && one.variant == PLAIN)
            .filter(|one| cases.iter().any(|case| case.id == one.case));
        ClientServer {
            app: app.id.clone(),
            name: app.name.clone(),
            tier: app.tier,
            version: app.framework_version.clone(),
            statuses: own
                .clone()
                .filter(|one| is_request(probes.case(&one.case), &one.got))
                .filter_map(|one| Some((one.case.clone(), status(&one.got)?)))
                .collect(),
            settings: settings
                .iter()
                .filter_map(|(case, apps)| Some((case.clone(), apps.get(&app.id)?.clone())))
                .collect(),
            got: own.map(|one| (one.case.clone(), one.got.clone())).collect(),
        }
    });
    let servers: Vec<ClientServer> = servers.filter(|server| !server.got.is_empty()).collect();
    (!servers.is_empty()).then(|| Clients {
        schema_version: CLIENTS_VERSION,
        id: probes.id.clone(),
        started_at: probes.started_at,
        cases,
        servers,
    })
}

/// By the case and the app.
///
/// # Panics
/// Never in a program that passed its tests: the file is compiled in.
fn settings() -> BTreeMap<String, BTreeMap<String, Setting>> {
    toml::from_str(include_str!("../../../probes/settings.toml")).expect("the settings are checked by a test")
}

impl Clients {
    /// The server of this app, by its id or name.
    pub fn server(&self, name: &str) -> Option<&ClientServer> {
        let is_it = |server: &&ClientServer| server.app == name || server.name.eq_ignore_ascii_case(name);
        self.servers.iter().find(is_it)
    }

    /// The cases in which two servers differ, what hurts most first.
    pub fn moving<'a>(&'a self, from: &'a ClientServer, to: &'a ClientServer) -> Vec<Moved<'a>> {
        let mut moved: Vec<Moved<'a>> = self
            .cases
            .iter()
            .filter_map(|case| {
                let got = [from, to].map(|server| server.got.get(&case.id).map(String::as_str));
                let [Some(first), Some(second)] = got else { return None };
                (first != second).then(|| Moved {
                    notice: notice(case, [from, to], [first, second]),
                    case,
                    got: [first, second],
                    setting: to.settings.get(&case.id),
                })
            })
            .collect();
        moved.sort_by_key(|one| one.notice);
        moved
    }
}

/// Whether a case is about one request: what is code has nothing to send, and what waits is told with its seconds.
fn is_request(case: Option<&ProbeCase>, got: &str) -> bool {
    case.is_some_and(|case| !case.sent.is_empty()) && !got.ends_with(" s")
}

fn notice(case: &ProbeCase, servers: [&ClientServer; 2], got: [&str; 2]) -> Notice {
    if got.iter().any(|got| !is_request(Some(case), got)) {
        return Notice::Limit;
    }
    let [first, second] = servers.map(|server| server.statuses.get(&case.id).copied());
    let succeeds = |status: Option<u16>| status.is_some_and(|status| status < 400);
    match (succeeds(first), succeeds(second)) {
        (true, false) => Notice::Fails,
        (false, true) => Notice::Works,
        _ if first != second => Notice::Status,
        _ => Notice::Rest,
    }
}

/// The first final status of what a server did: 200 of `100 200, kept`.
fn status(got: &str) -> Option<u16> {
    let mut statuses = got
        .split(',')
        .next()?
        .split(' ')
        .filter_map(|word| word.parse::<u16>().ok());
    statuses.find(|status| *status >= 200)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn what_differs_is_in_the_order_of_its_harm() {
        let probes = samples::client_probes();
        let clients = clients(&probes).unwrap();
        let [axum, rocket] = ["axum", "Rocket"].map(|name| clients.server(name).unwrap());
        let seen = |from, to| {
            clients
                .moving(from, to)
                .into_iter()
                .map(|one| (one.notice, one.case.id.as_str()))
                .collect::<Vec<_>>()
        };
        let limit = (Notice::Limit, "largest-json");
        assert_eq!(
            seen(axum, rocket),
            [
                (Notice::Fails, "asked-post"),
                (Notice::Status, "not-found"),
                (Notice::Works, "slash-behind"),
                limit,
                (Notice::Rest, "asked-head")
            ]
        );
        assert_eq!(seen(rocket, axum)[0], (Notice::Fails, "slash-behind"));
        assert!(seen(axum, axum).is_empty());
        assert!(super::clients(&samples::probes()).is_none());
    }

    #[test]
    fn a_setting_is_of_a_case_and_is_documented() {
        let cases = include_str!("../../../probes/clients.toml");
        let apps_folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../apps"));
        for (case, apps) in settings() {
            assert!(cases.contains(&format!("id = \"{case}\"\n")), "no case {case}");
            for (app, Setting { name, address }) in apps {
                let is_sound = !name.is_empty() && address.starts_with("https://docs.rs/");
                assert!(is_sound, "{case}, {app}: {name}, {address}");
                assert!(apps_folder.join(&app).is_dir(), "no app {app}");
            }
        }
        let probes = clients(&samples::client_probes()).unwrap();
        let axum = &probes.server("axum").unwrap().settings["largest-json"];
        assert_eq!(axum.name, "DefaultBodyLimit");
    }

    #[test]
    fn an_interim_answer_is_no_status() {
        assert_eq!(
            ["100 200, kept", "413, closed", "16 answers, kept", "closed"].map(status),
            [Some(200), Some(413), None, None]
        );
    }
}
