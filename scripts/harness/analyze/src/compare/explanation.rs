//! Where the instructions of a request went: the functions whose own count differs most between base and head.
//!
//! Own counts of all functions add up to the request's, so those that are named explain their share of the difference. What a
//! function calls is added from whole stacks, in which a function that calls itself counts once.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::inlining::Caller;
use super::outcome::Pair;

/// Most functions of an explanation.
pub const MOST_FUNCTIONS: usize = 10;
/// Smallest change of a function's own instructions that is named, as a share of the request's: two starts of one program differ by less.
const LEAST: f64 = 0.001;

/// The instructions of one request by stack.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// Stacks of functions, the outermost first, with the own instructions of the innermost.
    pub stacks: BTreeMap<Vec<String>, f64>,
    /// Allocations: calls of the C library's `malloc`, `realloc` and the like.
    pub allocations: f64,
}

/// Where the instructions of one scenario's requests differ between base and head.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    /// Name of the app's folder.
    pub app: String,
    /// `default` or the variant's name.
    pub variant: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Instructions for one request.
    pub instructions: Pair,
    /// Allocations for one request; none where the allocator is not the C library's.
    pub allocations: Pair,
    /// At most ten functions, by the change of their own instructions.
    pub functions: Vec<Function>,
    /// While it is made: the profiles of base and head.
    #[serde(skip)]
    pub profiles: [Profile; 2],
}

/// A function, all its generic instances together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// Its path, without generic arguments.
    pub name: String,
    /// Its own instructions for one request, including functions that were inlined into it.
    pub own: Pair,
    /// The same with all that it calls.
    pub inclusive: Pair,
    /// If only one side has it, the one function that calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<Caller>,
}

impl Explanation {
    /// How the profiles of base and head differ.
    pub fn new(app: &str, variant: &str, scenario: &str, profiles: [Profile; 2]) -> Self {
        let both = |figure: fn(&Profile) -> f64| Pair::from(profiles.each_ref().map(figure));
        let instructions = both(|profile| profile.stacks.values().sum());
        Self {
            app: app.to_owned(),
            variant: variant.to_owned(),
            scenario: scenario.to_owned(),
            instructions,
            allocations: both(|profile| profile.allocations),
            functions: moved(&profiles, instructions.base * LEAST),
            profiles,
        }
    }
}

/// The functions whose own instructions differ by `least` or more, those that differ most first.
fn moved(profiles: &[Profile; 2], least: f64) -> Vec<Function> {
    let mut all: BTreeMap<&String, [[f64; 2]; 2]> = BTreeMap::new();
    for (side, profile) in profiles.iter().enumerate() {
        for (stack, count) in &profile.stacks {
            for function in stack.iter().collect::<BTreeSet<_>>() {
                all.entry(function).or_default()[1][side] += count;
            }
            if let Some(innermost) = stack.last() {
                all.entry(innermost).or_default()[0][side] += count;
            }
        }
    }
    let functions = all.into_iter().map(|(name, [own, inclusive])| Function {
        name: name.clone(),
        own: own.into(),
        inclusive: inclusive.into(),
        caller: None,
    });
    let size = |function: &Function| function.own.difference().abs();
    let mut moved: Vec<Function> = functions.filter(|function| size(function) >= least).collect();
    moved.sort_by(|one, other| size(other).total_cmp(&size(one)));
    moved.truncate(MOST_FUNCTIONS);
    for function in &mut moved {
        let [of_base, of_head] = [function.inclusive.base, function.inclusive.head].map(|count| count > 0.0);
        if of_base != of_head {
            function.caller = Caller::of(&function.name, profiles, of_base);
        }
    }
    moved
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Of stacks such as `run parse`, of functions of a crate.
    pub fn profile(of: &str, stacks: &[(&str, f64)]) -> Profile {
        let stacks = stacks.iter().map(|(stack, count)| {
            let stack = stack.split(' ').map(|name| format!("{of}{name}")).collect();
            (stack, *count)
        });
        Profile {
            stacks: stacks.collect(),
            allocations: 3.0,
        }
    }

    #[test]
    fn functions_that_moved_are_named_and_one_that_calls_itself_counts_once() {
        let base = profile("", &[("run", 100.0), ("run parse", 600.0), ("run parse parse", 300.0)]);
        let head = profile(
            "",
            &[
                ("run", 100.5),
                ("run parse", 600.0),
                ("run parse parse", 320.0),
                ("run parse parse hash", 40.0),
            ],
        );
        let explanation = Explanation::new("axum", "default", "plaintext", [base.clone(), head]);
        assert_eq!(explanation.instructions, Pair::from([1000.0, 1060.5]));
        assert_eq!(explanation.allocations, Pair::from([3.0, 3.0]));
        let function = |name: &str, own: [f64; 2], inclusive: [f64; 2]| Function {
            name: name.to_owned(),
            own: own.into(),
            inclusive: inclusive.into(),
            caller: None,
        };
        assert_eq!(
            explanation.functions,
            [
                Function {
                    caller: Some(Caller {
                        name: "parse".into(),
                        own: Pair::from([900.0, 920.0]),
                        calls_the_same: false,
                    }),
                    ..function("hash", [0.0, 40.0], [0.0, 40.0])
                },
                function("parse", [900.0, 920.0], [900.0, 960.0]),
            ],
            "half an instruction of a thousand is noise"
        );
        let same = Explanation::new("axum", "default", "plaintext", [base.clone(), base]);
        assert_eq!(same.functions, []);
    }

    #[test]
    fn ten_functions_are_enough() {
        let stacks: Vec<String> = (1..=30).map(|number| format!("run f{number}")).collect();
        let counts = stacks.iter().map(String::as_str).zip((1..).map(f64::from));
        let head = profile("", &counts.collect::<Vec<_>>());
        let moved = Explanation::new("axum", "default", "plaintext", [profile("", &[("run", 1.0)]), head]).functions;
        assert_eq!(moved.len(), MOST_FUNCTIONS);
        assert_eq!((moved[0].name.as_str(), moved[9].name.as_str()), ("f30", "f21"));
    }
}
