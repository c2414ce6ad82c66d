//! How well comparisons work on one machine, as Markdown and as a chart.

use super::chart::power_chart;
use super::table;
use super::words::count;
use judge::compare::gates::{Gate, Gates};
use judge::compare::rehearsal::{EFFECTS, Power, Rehearsal};
use record::Metric;
use record::escape::{markdown as text, markdown_target};

/// Text alternative of the chart.
const ALT: &str = "Share of comparisons that find a change, over the size of the change";

/// The rehearsal as Markdown.
pub fn rehearsal_markdown(rehearsal: &Rehearsal) -> String {
    let gates = Gates::built_in();
    let environment = &rehearsal.environment;
    let mut lines = vec![format!(
        "{} against itself on {} with {} cpus: {}, {} pairs.\n",
        text(&rehearsal.app),
        text(&environment.cpu_model),
        environment.logical_cpus,
        count(rehearsal.live.comparisons as usize, "comparison"),
        rehearsal.pairs,
    )];
    if rehearsal.breaks_the_promise(&gates) {
        lines.push(format!(
            "⚠ **More than promised:** at most {:.0} in 100 comparisons without a change may name one. Something on this machine \
             favours base or head: do not trust comparisons here before the cause is found.\n",
            gates.false_alarms * 100.0
        ));
    }
    lines.push(format!(
        "**False alarms: {} of {} live comparisons** named a change. They are of {} of builds, and what the layout of a build \
         costs is in all its comparisons, so these count once: with 95 % confidence fewer than {:.0} in 100 pairs of builds give a \
         false alarm; so few cannot prove more. {} of {} named one when their pairs were drawn again, each with its measured \
         sign; that cannot show anything that the live ones did not encounter.\n",
        rehearsal.live.named,
        rehearsal.live.comparisons,
        count(rehearsal.live.builds as usize, "pair"),
        (rehearsal.live.at_most * 100.0).ceil(),
        rehearsal.drawn.named,
        rehearsal.drawn.comparisons,
    ));
    lines.push(
        "Share of comparisons that find a change for the worse of this size, and the smallest change that is found nine times \
         out of ten:\n"
            .to_owned(),
    );
    let effects = EFFECTS.iter().map(|effect| format!("{:.0} %", effect * 100.0));
    let header: Vec<String> = ["Scenario", "Metric", "Spread of a pair", "Without a change"]
        .map(str::to_owned)
        .into_iter()
        .chain(effects)
        .chain(["Found 9 of 10".to_owned()])
        .collect();
    let rows = rehearsal.power.iter().map(|power| row(power, gates.gate(power.metric)));
    lines.push(table::markdown(&header, &[0, 1], rows));
    if rehearsal.power.iter().any(|power| !power.judged) {
        lines.push(
            "\n¹ As if the server had been the limit. On this machine the load generator is, and comparisons do not judge it."
                .to_owned(),
        );
    }
    lines.push(String::new());
    lines.join("\n")
}

/// The same for README.md, with the picture; paths are as they are to appear in links.
pub fn rehearsal_block(rehearsal: &Rehearsal, chart_path: &str, path: &str) -> String {
    format!(
        "{}\n![{ALT}]({})\n\n<sub>From [these figures]({}), which `bench compare --self-test` wrote.</sub>\n",
        rehearsal_markdown(rehearsal),
        markdown_target(chart_path),
        markdown_target(path)
    )
}

/// The same as a picture.
pub fn rehearsal_chart(rehearsal: &Rehearsal) -> String {
    let gates = Gates::built_in();
    let curves: Vec<_> = rehearsal
        .power
        .iter()
        .map(|power| {
            let points = power
                .found
                .iter()
                .map(|(effect, found)| (f64::from(*effect), *found))
                .collect();
            (gates.gate(power.metric).title.clone(), power.scenario.clone(), points)
        })
        .collect();
    power_chart(&rehearsal.app, &curves)
}

fn row(power: &Power, gate: &Gate) -> Vec<String> {
    let smallest = power
        .smallest
        .map_or_else(|| "above 50 %".into(), |effect| format!("**{:.1} %**", effect * 100.0));
    let apart = if power.judged { "" } else { " ¹" };
    let mut cells = vec![
        text(&power.scenario),
        format!("{}{apart}", text(&gate.title)),
        format!("{:.2} %", power.spread * 100.0),
        shift(power),
    ];
    cells.extend(power.found.values().map(|share| format!("{:.0} %", share * 100.0)));
    cells.push(smallest);
    cells
}

/// By how much the same program seems to differ between the sides: `+0.02 % [−0.10, +0.14]`.
fn shift(power: &Power) -> String {
    // Instructions repeat so well that two digits would all be zeros.
    let digits = if power.metric == Metric::InstructionsPerRequest {
        3
    } else {
        2
    };
    let signed = |share: f64| format!("{:+.digits$}", share * 100.0).replace('-', "−");
    let interval = power
        .shift_interval
        .map(|interval| format!(" [{}, {}]", signed(interval.low), signed(interval.high)));
    format!("{} %{}", signed(power.shift), interval.unwrap_or_default())
}
