//! `bench list`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Format, Outcome, print};
use measure::catalog::{App, Catalog};
use measure::profile::Profiles;

const EXAMPLES: &str = "\
Examples:
  bench list
  bench list --format json";

/// Show apps, variants, scenarios and profiles.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// How the lists are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let catalog = Catalog::find()?;
    let profiles = Profiles::built_in();
    match args.format {
        Format::Json => print(&format!(
            "{}\n",
            serde_json::to_string_pretty(&json(&catalog, &profiles))?
        ))?,
        Format::Text => print(&text(&catalog, &profiles))?,
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
            "connections": scenario.connections,
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

fn text(catalog: &Catalog, profiles: &Profiles) -> String {
    let mut text = String::from("apps\n");
    let tell = |text: &mut String, columns: &[(&str, usize)]| {
        let line: Vec<String> = columns.iter().map(|(value, width)| format!("{value:width$}")).collect();
        let _ = writeln!(text, "  {}", line.join("  ").trim_end()); // a String takes everything
    };
    let id_width = catalog.apps.iter().map(|app| app.id.len()).max().unwrap_or(0);
    for app in &catalog.apps {
        let version = format!("{} {}", app.framework, app.framework_version);
        let kind = match app.role {
            record::Role::Framework => format!("{:?}", app.tier).to_lowercase(),
            other => format!("{other:?}").to_lowercase(),
        };
        let variants: Vec<&str> = app.variants.iter().map(|variant| variant.name.as_str()).collect();
        tell(
            &mut text,
            &[
                (&app.id, id_width),
                (&version, 18),
                (&kind, 10),
                (&variants.join(", "), 0),
            ],
        );
    }
    text.push_str("\nscenarios\n");
    for name in profiles.scenario_names() {
        let scenario = profiles
            .profile("quick")
            .and_then(|usual| profiles.scenario(name, usual));
        let title = scenario.map(|scenario| format!("{} connections  {}", scenario.connections, scenario.title));
        tell(&mut text, &[(name, 14), (&title.unwrap_or_default(), 0)]);
    }
    text.push_str("\nprofiles\n");
    for (name, profile) in profiles
        .names()
        .filter_map(|name| Some((name, profiles.profile(name)?)))
    {
        tell(&mut text, &[(name, 14), (&profile.title, 0)]);
        tell(
            &mut text,
            &[
                ("", 14),
                (
                    &format!("{} rounds: {}", profile.rounds, profile.scenarios.join(", ")),
                    0,
                ),
            ],
        );
    }
    text
}
