//! How well comparisons work on one machine, as Markdown and as a chart.

use analyze::compare::gates::{Gates, title};
use analyze::compare::self_test::{EFFECTS, Power, SelfTest};
use model::Metric;

use super::chart::power_chart;
use super::document::{Block, Rows, markdown, own, text};
use super::figure::percent;
use super::labels::count;

/// Text alternative of the chart.
const ALT: &str = "Share of comparisons that find a change, over the size of the change";

/// The self-test as Markdown.
pub fn self_test_markdown(self_test: &SelfTest) -> String {
    markdown(&blocks(self_test))
}

/// The same for README.md, with the picture; paths are as they are to appear in links.
pub fn self_test_block(self_test: &SelfTest, chart_path: &str, path: &str) -> String {
    let mut blocks = blocks(self_test);
    blocks.push(Block::Image(chart_path.to_owned(), ALT.into()));
    let figures = own("these figures").link(path);
    blocks.push(Block::Paragraph(
        text!["From ", figures, ", which `bench compare --self-test` wrote."].small(),
    ));
    markdown(&blocks)
}

fn blocks(self_test: &SelfTest) -> Vec<Block> {
    let gates = Gates::built_in();
    let (machine, live, drawn) = (&self_test.environment, &self_test.live, &self_test.drawn);
    let (cpus, pairs) = (machine.logical_cpus, self_test.pairs);
    let compared = count(live.comparisons as usize, "comparison");
    let measured = format!(" with {cpus} cpus: {compared}, {pairs} pairs.");
    let (app, cpu) = (self_test.app.clone(), machine.cpu_model.clone());
    let measured = text![app, " against itself on ", cpu, own(measured)];
    let mut blocks = vec![Block::Paragraph(measured)];
    if self_test.breaks_the_promise(&gates) {
        blocks.push(Block::Paragraph(own(format!(
            "⚠ **More than promised:** at most {:.0} in 100 comparisons without a change may name one. Something on this machine \
             favours base or head: do not trust comparisons here before the cause is found.",
            gates.false_alarms * 100.0
        ))));
    }
    let of_builds = if live.builds == live.comparisons {
        ", each of another pair of builds".to_owned()
    } else {
        format!(
            ". They share {} of builds, and what the layout of a build costs is in all its comparisons, so these count once",
            count(live.builds as usize, "pair")
        )
    };
    let [alarms, again] = [(live.named, live.comparisons), (drawn.named, drawn.comparisons)]
        .map(|(named, comparisons)| format!("{named} of {comparisons}"));
    let at_most = (live.at_most * 100.0).ceil();
    blocks.push(Block::Paragraph(own(format!(
        "**False alarms: {alarms} live comparisons** named a change{of_builds}: with 95 % confidence fewer than {at_most:.0} in 100 pairs \
         of builds give a false alarm; so few cannot prove more. {again} named one when their pairs were drawn again, each with its \
         measured sign; that cannot show anything that the live ones did not encounter."
    ))));
    blocks.push(Block::paragraph(
        "Share of comparisons that find a change for the worse of this size, and the smallest change that is found nine times \
         out of ten:",
    ));
    blocks.push(table(self_test));
    if self_test.power.iter().any(|power| !power.judged) {
        blocks.push(Block::paragraph(
            "¹ As if the server had been the limit. On this machine the load generator is, and comparisons do not judge it.",
        ));
    }
    blocks
}

fn table(self_test: &SelfTest) -> Block {
    let metric = |power: &Power| {
        let note = (!power.judged).then_some(" ¹");
        text![title(power.metric), note]
    };
    let smallest = |power: &Power| {
        let found = power.smallest.map(|effect| own(percent(effect, 1)).bold());
        found.unwrap_or("above 50 %".into())
    };
    let mut rows = Rows::of(&self_test.power)
        .words("Scenario", |power| power.scenario.clone())
        .words("Metric", |power| metric(power))
        .figures("Spread of a pair", |power| percent(power.spread, 2))
        .figures("Without a change", |power| own(shift(power)));
    for (place, effect) in EFFECTS.iter().enumerate() {
        let found = |power: &&Power| Some(percent(*power.found.values().nth(place)?, 0));
        rows = rows.figures(percent(*effect, 0), found);
    }
    rows.figures("Found 9 of 10", |power| smallest(power)).table()
}

/// The same as a picture.
pub fn self_test_chart(self_test: &SelfTest) -> String {
    let curves = self_test.power.iter().map(|power| {
        let found = power.found.iter();
        let points = found.map(|(effect, found)| (f64::from(*effect), *found));
        (title(power.metric).to_owned(), power.scenario.clone(), points.collect())
    });
    power_chart(&self_test.app, &curves.collect::<Vec<_>>())
}

/// By how much the same program seems to differ between the sides: `+0.02 % [−0.10, +0.14]`.
fn shift(power: &Power) -> String {
    // Instructions repeat so well that two digits would all be zeros.
    let digits = 2 + usize::from(power.metric == Metric::InstructionsPerRequest);
    let signed = |share: f64| format!("{:+.digits$}", share * 100.0).replace('-', "−");
    let interval = power
        .shift_interval
        .map(|interval| format!(" [{}, {}]", signed(interval.low), signed(interval.high)));
    format!("{} %{}", signed(power.shift), interval.unwrap_or_default())
}
