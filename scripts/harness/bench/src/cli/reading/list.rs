//! `bench list`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use analyze::reading;
use clap::ValueEnum;
use model::Part;
use model::scenario::{LoadModel, Protocol, Scenario};
use model::store;
use report::aligned;
use report::labels::{count, request, standing, version};
use serde_json::{Value, json};

use crate::cli::{Format, Outcome, TABLES, style};
use apps::catalog::{App, Catalog};
use apps::profile::Profiles;

const EXAMPLES: &str = "\
Examples:
  bench list                   the frameworks, and how many of everything else
  bench list scenarios         all of them, with their requests and newest runs
  bench list --format json     everything";

/// Show apps, variants, scenarios and profiles
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What is shown in full [default: the apps, and how many there are of the others]
    #[arg(value_enum)]
    what: Option<What>,
    /// How the lists are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What there is to be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
enum What {
    /// Servers that work alone
    Apps,
    /// Servers with a database behind them
    Database,
    /// Servers of service features
    Services,
    /// What they are measured with, variations and older benchmarks included
    Scenarios,
    /// Sets of scenarios
    Profiles,
    /// All of these
    All,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let catalog = Catalog::find()?;
    let profiles = Profiles::built_in();
    let shows_runs = matches!(args.format, Format::Json) || matches!(args.what, Some(What::Scenarios | What::All));
    let records = shows_runs.then(|| reading::newest_of_scenarios(&catalog.root.join("bench-results")));
    let records = records.unwrap_or_default();
    let all = json(&catalog, &profiles, &records);
    let text = || text(&catalog, &profiles, &records, args.what);
    args.format.print(&all, text)?;
    Ok(Outcome::Fine)
}

/// Of each scenario, the newest published record.
type Records = BTreeMap<String, PathBuf>;

fn json(catalog: &Catalog, profiles: &Profiles, records: &Records) -> Value {
    let relative = |path: &std::path::Path| path.strip_prefix(&catalog.root).unwrap_or(path).display().to_string();
    let app = |app: &App| {
        json!({
            "id": app.id,
            "name": app.name,
            "link": app.link,
            "role": app.role,
            "tier": app.tier,
            "framework": app.framework,
            "framework_version": app.framework_version,
            "package": app.package,
            "manifest": relative(&app.manifest),
            "protocols": app.protocols,
            "stack": app.stack,
            "services": app.services,
            "variants": app.variants.iter().map(|variant| &variant.name).collect::<Vec<_>>(),
        })
    };
    let scenario = |name: &str| {
        let usual = profiles.profile("quick")?;
        let scenario = profiles.scenario(name, usual)?;
        Some(json!({
            "id": name,
            "title": scenario.title,
            "method": scenario.method,
            "path": scenario.path,
            "protocol": scenario.protocol,
            "connections": scenario.connections,
            "load": scenario.load,
            "newest_record": records.get(name).map(|path| relative(path)),
            "unrecorded": profiles.unrecorded(name),
        }))
    };
    let profile = |name: &str| {
        let profile = profiles.profile(name)?;
        Some(json!({ "id": name, "title": profile.title, "scenarios": profile.scenarios, "rounds": profile.rounds }))
    };
    json!({
        "apps": catalog.apps.iter().map(app).collect::<Vec<_>>(),
        "scenarios": profiles.scenario_names().filter_map(scenario).collect::<Vec<_>>(),
        "profiles": profiles.names().filter_map(profile).collect::<Vec<_>>(),
    })
}

/// The protocols of an app, abbreviated.
fn spoken(protocols: &[Protocol]) -> String {
    let (plain, tls): (Vec<_>, Vec<_>) = protocols.iter().partition(|protocol| !protocol.is_tls());
    let versions = |some: &[&Protocol]| {
        let version = |protocol: &&Protocol| if protocol.is_http2() { "2" } else { "1.1" };
        some.iter().map(version).collect::<Vec<_>>().join(", ")
    };
    match (plain.as_slice(), tls.as_slice()) {
        (plain, []) => format!("HTTP/{}", versions(plain)),
        (plain, tls) => format!("HTTP/{}; TLS: {}", versions(plain), versions(tls)),
    }
}

/// How a scenario sends its request: protocol, connections, rate.
fn traffic(scenario: &Scenario) -> String {
    let load = match scenario.load {
        LoadModel::Closed => String::new(),
        LoadModel::Open { rate_rps } => format!(", {rate_rps} requests/s"),
        LoadModel::Capacity { .. } => ", rising rates".to_owned(),
    };
    let protocol = match scenario.protocol {
        Protocol::Http1 => String::new(),
        other => format!(", {}", other.id()),
    };
    let kept = if scenario.keep_alive {
        ""
    } else {
        ", a new one for each request"
    };
    format!(
        "{}{protocol}{load}{kept}",
        count(scenario.connections as usize, "connection")
    )
}

/// A heading and its rows.
type Listed = (What, &'static [&'static str], Vec<Vec<String>>);

fn text(catalog: &Catalog, profiles: &Profiles, records: &Records, what: Option<What>) -> String {
    let (mut shown, mut counted) = (Vec::new(), Vec::new());
    for (kind, header, rows) in lists(catalog, profiles, records) {
        let is_shown = what == Some(kind) || what == Some(What::All) || what.is_none() && kind == What::Apps;
        if is_shown {
            shown.push(aligned(style(TABLES).width, header, &rows));
        } else if what.is_none() {
            let (name, about): (&str, _) = (kind.into(), kind.to_possible_value());
            let about = about.and_then(|value| value.get_help().cloned()).unwrap_or_default();
            counted.push(format!("  {:4} bench list {name:10} {about}\n", rows.len()));
        }
    }
    shown.extend((!counted.is_empty()).then(|| counted.concat()));
    shown.join("\n")
}

/// With the newest run that has each, or why no record has it.
fn scenarios(profiles: &Profiles, records: &Records) -> Vec<Vec<String>> {
    let usual = profiles.profile("quick");
    let all = profiles.scenario_names();
    let all = all.filter_map(|name| profiles.scenario(name, usual?));
    let row = |scenario: Scenario| {
        let run = records.get(&scenario.id).and_then(|path| store::id_of(path));
        let run = run.or(profiles.unrecorded(&scenario.id)).unwrap_or_default();
        let (request, load) = (request(&scenario), traffic(&scenario));
        vec![scenario.id, request, load, scenario.title, run.to_owned()]
    };
    all.map(row).collect()
}

fn lists(catalog: &Catalog, profiles: &Profiles, records: &Records) -> [Listed; 5] {
    let apps = |part: Part, last: &dyn Fn(&App) -> Vec<String>| -> Vec<Vec<String>> {
        let apps = catalog.apps.iter().filter(|app| app.part() == part);
        let first = |app: &App| {
            let framework = format!("{} {}", app.framework, version(&app.framework_version));
            vec![app.id.clone(), framework]
        };
        apps.map(|app| [first(app), last(app)].concat()).collect()
    };
    let plain = apps(Part::Plain, &|app| {
        let variants: Vec<&str> = app.variants.iter().map(|variant| variant.name.as_str()).collect();
        vec![
            standing(app.role, app.tier).unwrap_or("maintained").to_owned(),
            spoken(&app.protocols),
            variants.join(", "),
        ]
    });
    let backed = apps(Part::Database, &|app| vec![app.stack.clone().unwrap_or_default()]);
    let serving = apps(Part::Services, &|app| {
        let offers = app.services.iter().flat_map(|services| &services.offers);
        vec![offers.map(|service| service.id()).collect::<Vec<_>>().join(", ")]
    });
    let named = profiles.names().filter_map(|name| {
        let profile = profiles.profile(name)?;
        let rounds = count(profile.rounds as usize, "round");
        let scenarios = count(profile.scenarios.len(), "scenario");
        Some(vec![name.to_owned(), rounds, scenarios, profile.title.clone()])
    });
    [
        (
            What::Apps,
            &["app", "framework", "tier", "protocols", "variants"],
            plain,
        ),
        (
            What::Database,
            &["with a database", "framework", "driver and pool"],
            backed,
        ),
        (What::Services, &["of services", "framework", "kinds of work"], serving),
        (
            What::Scenarios,
            &["scenario", "request", "load", "what it is", "newest run"],
            scenarios(profiles, records),
        ),
        (
            What::Profiles,
            &["profile", "rounds", "scenarios", "what it is"],
            named.collect(),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_has_its_newest_run_or_why_there_is_none() {
        let (profiles, id) = (Profiles::built_in(), "20261129T190000Z-1a");
        let path = PathBuf::from(format!("bench-results/local/older/{id}.json.gz"));
        for row in scenarios(&profiles, &[("hello".to_owned(), path)].into()) {
            let why = profiles.unrecorded(&row[0]).unwrap_or_default();
            assert_eq!(row[4], if row[0] == "hello" { id } else { why });
        }
    }
}
