//! `bench list`.

use std::fmt::Write as _;

use record::scenario::{LoadModel, Protocol, Scenario};
use record::{Part, Role, Tier};
use serde_json::{Value, json};
use tell::report::aligned;
use tell::report::words::count;

use super::{Format, Outcome, print, print_json};
use measure::catalog::{App, Catalog};
use measure::profile::Profiles;

const EXAMPLES: &str = "\
Examples:
  bench list
  bench list --all             every scenario
  bench list --format json";

/// Show apps, variants, scenarios and profiles
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Every scenario, including variations and those of older benchmarks
    #[arg(long)]
    all: bool,
    /// How the lists are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let catalog = Catalog::find()?;
    let profiles = Profiles::built_in();
    match args.format {
        Format::Json => print_json(&json(&catalog, &profiles))?,
        Format::Text => print(&text(&catalog, &profiles, args.all))?,
    }
    Ok(Outcome::Fine)
}

fn json(catalog: &Catalog, profiles: &Profiles) -> Value {
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
fn asked(scenario: &Scenario) -> String {
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

/// As the files write it: the tier of a framework, otherwise the role.
fn standing(role: Role, tier: Tier) -> String {
    let standing = match role {
        Role::Framework => json!(tier),
        other => json!(other),
    };
    standing.as_str().unwrap_or_default().to_owned()
}

fn text(catalog: &Catalog, profiles: &Profiles, all: bool) -> String {
    let app = |app: &App| {
        let variants: Vec<&str> = app.variants.iter().map(|variant| variant.name.as_str()).collect();
        vec![
            app.id.clone(),
            format!("{} {}", app.framework, app.framework_version),
            standing(app.role, app.tier),
            spoken(&app.protocols),
            variants.join(", "),
        ]
    };
    let of_part = |part| catalog.apps.iter().filter(move |app| app.part() == part);
    let plain: Vec<Vec<String>> = of_part(Part::Plain).map(app).collect();
    let with_stack = |app: &App| {
        let stack = app.stack.clone().unwrap_or_default();
        vec![
            app.id.clone(),
            format!("{} {}", app.framework, app.framework_version),
            stack,
        ]
    };
    let backed: Vec<Vec<String>> = of_part(Part::Database).map(with_stack).collect();
    let with_services = |app: &App| {
        let offers = app.services.iter().flat_map(|services| &services.offers);
        vec![
            app.id.clone(),
            format!("{} {}", app.framework, app.framework_version),
            offers.map(|service| service.id()).collect::<Vec<_>>().join(", "),
        ]
    };
    let serving: Vec<Vec<String>> = of_part(Part::Services).map(with_services).collect();
    let usual = profiles.profile("quick");
    let scenarios: Vec<Scenario> = profiles
        .scenario_names()
        .filter_map(|name| profiles.scenario(name, usual?))
        .collect();
    let is_older = |scenario: &&Scenario| scenario.id.starts_with("classic-");
    let (older, ours): (Vec<&Scenario>, Vec<&Scenario>) = scenarios.iter().partition(is_older);
    let (varied, usual_ones): (Vec<&Scenario>, Vec<&Scenario>) =
        ours.into_iter().partition(|scenario| scenario.varies.is_some());
    let row = |scenario: &&Scenario| {
        let request = format!("{} {}", scenario.method.as_str(), scenario.path);
        vec![scenario.id.clone(), request, asked(scenario), scenario.title.clone()]
    };
    let rows = |some: &[&Scenario]| some.iter().map(row).collect::<Vec<_>>();
    let header = ["scenario", "request", "load", "what it is"];
    let profile = |name: &str| {
        let profile = profiles.profile(name)?;
        let rounds = count(profile.rounds as usize, "round");
        Some(vec![
            name.to_owned(),
            rounds,
            count(profile.scenarios.len(), "scenario"),
            profile.title.clone(),
        ])
    };
    let named: Vec<Vec<String>> = profiles.names().filter_map(profile).collect();
    let mut text = aligned(&["app", "framework", "tier", "protocols", "variants"], &plain);
    if !backed.is_empty() {
        let header = ["with a database", "framework", "driver and pool"];
        let _ = writeln!(text, "\n{}", aligned(&header, &backed).trim_end());
    }
    if !serving.is_empty() {
        let header = ["of services", "framework", "kinds of work"];
        let _ = writeln!(text, "\n{}", aligned(&header, &serving).trim_end());
    }
    let _ = writeln!(text, "\n{}", aligned(&header, &rows(&usual_ones)).trim_end()); // a String takes everything
    if all {
        let _ = writeln!(text, "\n{}", aligned(&header, &rows(&varied)).trim_end());
        let _ = writeln!(text, "\n{}", aligned(&header, &rows(&older)).trim_end());
    } else {
        let (varied, older) = (varied.len(), older.len());
        let _ = writeln!(
            text,
            "  … and {varied} that differ from one of these in connections, protocol or rate, and {older} of older benchmarks: bench list --all"
        );
    }
    let _ = writeln!(
        text,
        "\n{}",
        aligned(&["profile", "rounds", "scenarios", "what it is"], &named).trim_end()
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tier_is_written_as_in_the_files() {
        assert_eq!(standing(Role::Framework, Tier::OwnStack), "own_stack");
        assert_eq!(standing(Role::Reference, Tier::Engine), "reference");
    }
}
