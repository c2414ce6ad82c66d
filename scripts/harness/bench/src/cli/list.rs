//! `bench list`.

use model::scenario::{LoadModel, Protocol, Scenario};
use model::{Part, Role, Tier};
use report::aligned;
use report::labels::count;
use serde_json::{Value, json};

use super::{Format, Outcome, print, print_json};
use apps::catalog::{App, Catalog};
use apps::profile::Profiles;

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
    let apps = |part: Part, last: &dyn Fn(&App) -> Vec<String>| -> Vec<Vec<String>> {
        let apps = catalog.apps.iter().filter(|app| app.part() == part);
        apps.map(|app| {
            [
                vec![app.id.clone(), format!("{} {}", app.framework, app.framework_version)],
                last(app),
            ]
            .concat()
        })
        .collect()
    };
    let plain = apps(Part::Plain, &|app| {
        let variants: Vec<&str> = app.variants.iter().map(|variant| variant.name.as_str()).collect();
        vec![
            standing(app.role, app.tier),
            spoken(&app.protocols),
            variants.join(", "),
        ]
    });
    let backed = apps(Part::Database, &|app| vec![app.stack.clone().unwrap_or_default()]);
    let serving = apps(Part::Services, &|app| {
        let offers = app.services.iter().flat_map(|services| &services.offers);
        vec![offers.map(|service| service.id()).collect::<Vec<_>>().join(", ")]
    });
    let usual = profiles.profile("quick");
    let scenarios = profiles
        .scenario_names()
        .filter_map(|name| profiles.scenario(name, usual?));
    // In the order in which they are shown: the scenarios themselves, what varies one of them, and those of older benchmarks.
    let mut kinds: [Vec<Vec<String>>; 3] = Default::default();
    for scenario in scenarios {
        let kind = if scenario.id.starts_with("classic-") {
            2
        } else {
            usize::from(scenario.varies.is_some())
        };
        let request = format!("{} {}", scenario.method.as_str(), scenario.path);
        let load = asked(&scenario);
        kinds[kind].push(vec![scenario.id, request, load, scenario.title]);
    }
    let named = profiles.names().filter_map(|name| {
        let profile = profiles.profile(name)?;
        let (rounds, scenarios) = (
            count(profile.rounds as usize, "round"),
            count(profile.scenarios.len(), "scenario"),
        );
        Some(vec![name.to_owned(), rounds, scenarios, profile.title.clone()])
    });
    let [ours, varied, older] = kinds;
    let left_out = format!(
        "  … and {} that differ from one of these in connections, protocol or rate, and {} of older benchmarks: bench list --all",
        varied.len(),
        older.len()
    );
    let header = ["scenario", "request", "load", "what it is"];
    let mut tables = vec![
        (&["app", "framework", "tier", "protocols", "variants"][..], plain),
        (&["with a database", "framework", "driver and pool"], backed),
        (&["of services", "framework", "kinds of work"], serving),
        (&header, ours),
    ];
    if all {
        tables.extend([(&header[..], varied), (&header, older)]);
    }
    let mut texts: Vec<String> = tables
        .into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(header, rows)| aligned(header, &rows).trim_end().to_owned())
        .collect();
    if !all && let Some(last) = texts.last_mut() {
        *last = format!("{last}\n{left_out}");
    }
    texts.push(
        aligned(
            &["profile", "rounds", "scenarios", "what it is"],
            &named.collect::<Vec<_>>(),
        )
        .trim_end()
        .to_owned(),
    );
    format!("{}\n", texts.join("\n\n"))
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
