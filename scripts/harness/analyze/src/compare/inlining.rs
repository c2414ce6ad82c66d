//! Functions that only one side has: whether the other side has their work in a caller, into which the compiler inlined them.
//!
//! A small change of a function can move what is inlined into it, and a list of functions then names some that nobody touched. Counts show it
//! where the caller has become cheaper meanwhile, or where it calls by itself what they call. Otherwise the same counts come from new code.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::explanation::{Function, Profile};
use super::outcome::Pair;

/// Share of a function's instructions for which one function must call it, so that it can be said to be part of that.
const NEARLY_ALL: f64 = 0.9;

/// The function that both sides have and that calls, itself or by others, one which only one side has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Caller {
    /// Its path, without generic arguments.
    pub name: String,
    /// Its own instructions for one request.
    pub own: Pair,
    /// Whether it calls itself, on the side that lacks the function, what the function calls on the other.
    pub calls_the_same: bool,
}

/// What a function is that only one side has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Border {
    /// The other side has it in its caller.
    Part,
    /// It is that, or the other side does not have it at all: the counts of both would be the same.
    Unclear,
    /// The other side does not have it.
    Absent,
}

impl Caller {
    /// Of a function that base has alone, or head.
    pub fn of(name: &str, [base, head]: &[Profile; 2], is_of_base: bool) -> Option<Self> {
        let (here, there) = if is_of_base { (base, head) } else { (head, base) };
        let on_both: BTreeSet<&String> = there.stacks.keys().flatten().collect();
        let (mut callers, mut beneath) = (BTreeMap::new(), BTreeMap::new());
        let mut all = 0.0;
        for (stack, count) in &here.stacks {
            let Some(at) = stack.iter().position(|function| function == name) else {
                continue;
            };
            all += count;
            if let Some(caller) = stack[..at].iter().rev().find(|function| on_both.contains(function)) {
                *callers.entry(caller).or_insert(0.0) += count;
            }
            if let Some(lower) = stack.get(at + 1) {
                *beneath.entry(lower).or_insert(0.0) += count;
            }
        }
        let (caller, most) = callers
            .into_iter()
            .max_by(|one, other| f64::total_cmp(&one.1, &other.1))?;
        if most < NEARLY_ALL * all {
            return None;
        }
        let sum = |profile: &Profile, is_meant: &dyn Fn(&[String]) -> bool| -> f64 {
            let stacks = profile.stacks.iter().filter(|(stack, _)| is_meant(stack));
            stacks.map(|(_, count)| count).sum()
        };
        let directly = |profile: &Profile, lower: &String| {
            let is_call = |pair: &[String]| (&pair[0], &pair[1]) == (caller, lower);
            sum(profile, &|stack| stack.windows(2).any(is_call))
        };
        let calls_the_same = beneath.into_iter().any(|(lower, count)| {
            let moved = directly(there, lower) - directly(here, lower);
            moved > count / 2.0
        });
        Some(Self {
            name: caller.clone(),
            own: [base, head]
                .map(|profile| sum(profile, &|stack| stack.last() == Some(caller)))
                .into(),
            calls_the_same,
        })
    }
}

impl Function {
    /// What it is, if only one side has it, by its caller and all functions that are named.
    pub fn border(&self, named: &[Self]) -> Option<Border> {
        let caller = self.caller.as_ref()?;
        // What belongs to no crate is a library's, and never inlined.
        if !self.name.contains("::") {
            return Some(Border::Absent);
        }
        let gained = |function: &Self| function.own.difference();
        let alike = named.iter().filter(|one| {
            let of_caller = one.caller.as_ref().is_some_and(|other| other.name == caller.name);
            of_caller && gained(one).signum() == gained(self).signum()
        });
        let together: f64 = alike.map(gained).sum();
        let opposite = -caller.own.difference() * together.signum();
        let before = if gained(self) > 0.0 {
            caller.own.base
        } else {
            caller.own.head
        };
        Some(if caller.calls_the_same || opposite > together.abs() / 2.0 {
            Border::Part
        } else if before < gained(self).abs() / 2.0 {
            Border::Absent
        } else {
            Border::Unclear
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::explanation::{Explanation, tests::profile};
    use super::*;

    /// What the function `f` is that only one of these sides has.
    fn border(base: &[(&str, f64)], head: &[(&str, f64)]) -> Option<Border> {
        let profiles = [profile("hyper::", base), profile("hyper::", head)];
        let of = Explanation::new("axum", "default", "plaintext", profiles);
        let function = of.functions.iter().find(|one| one.name == "hyper::f");
        let function = function.unwrap_or_else(|| panic!("{of:#?}"));
        function.border(&of.functions)
    }

    #[test]
    fn a_caller_that_became_cheaper_had_it() {
        let (whole, apart) = ([("run parse", 300.0)], [("run parse", 245.0), ("run parse f", 53.0)]);
        assert_eq!(border(&whole, &apart), Some(Border::Part));
        assert_eq!(border(&apart, &whole), Some(Border::Part));
        // Together with another: neither of them alone explains what the caller lost.
        let both = [("run parse", 210.0), ("run parse f", 53.0), ("run parse g", 39.0)];
        assert_eq!(border(&whole, &both), Some(Border::Part));
    }

    #[test]
    fn a_caller_that_called_the_same_had_it_whatever_else_it_does_now() {
        let whole = [("run parse", 300.0), ("run parse memcpy", 40.0)];
        let apart = [
            ("run parse", 400.0),
            ("run parse f", 53.0),
            ("run parse f memcpy", 40.0),
        ];
        assert_eq!(border(&whole, &apart), Some(Border::Part));
        assert_eq!(border(&apart, &whole), Some(Border::Part));
    }

    #[test]
    fn where_counts_cannot_tell_it_is_said() {
        let (before, after) = ([("run parse", 300.0)], [("run parse", 400.0), ("run parse f", 53.0)]);
        assert_eq!(border(&before, &after), Some(Border::Unclear));
        // By a function that is new itself.
        let by_new = [("run parse", 400.0), ("run parse g", 60.0), ("run parse g f", 53.0)];
        assert_eq!(border(&before, &by_new), Some(Border::Unclear));
        let small = [("run parse", 20.0), ("run", 500.0)];
        let large = [("run parse", 20.0), ("run", 500.0), ("run parse f", 53.0)];
        assert_eq!(border(&small, &large), Some(Border::Absent), "it had no room for it");
        let two = [
            ("run parse", 300.0),
            ("run", 300.0),
            ("run parse f", 30.0),
            ("run f", 30.0),
        ];
        assert_eq!(
            border(&[("run parse", 300.0), ("run", 300.0)], &two),
            None,
            "two functions call it"
        );
    }
}
