//! Reads what callgrind writes with `--separate-callers`: own instructions under each chain of callers, which makes stacks.

use std::collections::{BTreeMap, HashMap};
use std::mem;

use analyze::compare::explanation::Profile;

/// Options of callgrind: functions are distinguished by this many callers, and their names come as the linker knows them, without `'`.
pub const OPTIONS: [&str; 2] = ["--separate-callers=64", "--demangle=no"];
/// What the C library allocates by.
const ALLOCATING: [&str; 5] = ["malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign"];
/// The name of all functions that a library has no name for.
const NAMELESS: &str = "(without a name)";

/// The profile of one request, from the dump of so many.
pub fn parse(dump: &str, requests: u32) -> Option<Profile> {
    let mut names = HashMap::new();
    let mut own: HashMap<&str, u64> = HashMap::new();
    let (mut current, mut callee, mut allocations, mut is_of_call) = ("", "", 0, false);
    for line in dump.lines() {
        if let Some(written) = line.strip_prefix("fn=") {
            current = chain(&mut names, written)?;
        } else if let Some(written) = line.strip_prefix("cfn=") {
            callee = chain(&mut names, written)?;
        } else if let Some(calls) = line.strip_prefix("calls=") {
            // The next line has the instructions of the call, which are the callee's own, too.
            is_of_call = true;
            if callee
                .split(['\'', '@'])
                .next()
                .is_some_and(|name| ALLOCATING.contains(&name))
            {
                allocations += calls.split(' ').next()?.parse::<u64>().ok()?;
            }
        } else if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first))
            && !mem::take(&mut is_of_call)
        {
            // Its place, and the count unless that is 0.
            if let Some(count) = line.split(' ').nth(1) {
                *own.entry(current).or_default() += count.parse::<u64>().ok()?;
            }
        }
    }
    let per_request = |count: u64| count as f64 / f64::from(requests);
    let mut known = HashMap::new();
    let mut stacks = BTreeMap::new();
    for (chain, count) in own {
        // A number stands for calls of a function by itself.
        let symbols = chain.split('\'').filter(|symbol| symbol.parse::<u32>().is_err());
        let functions = symbols.map(|symbol| known.entry(symbol).or_insert_with(|| function(symbol)).clone());
        let mut stack: Vec<String> = functions.collect();
        stack.reverse();
        *stacks.entry(stack).or_default() += per_request(count);
    }
    (!stacks.is_empty()).then(|| Profile {
        stacks,
        allocations: per_request(allocations),
    })
}

/// A chain of symbols, the innermost first. It is written once, with its number, and then by its number: `(12) a'b'c`, `(12)`.
fn chain<'a>(names: &mut HashMap<&'a str, &'a str>, written: &'a str) -> Option<&'a str> {
    let Some((number, name)) = written.split_once(' ') else {
        return names.get(written).copied();
    };
    names.insert(number, name);
    Some(name)
}

/// The path of a function by its symbol, without hash and generic arguments.
fn function(symbol: &str) -> String {
    if symbol.starts_with("0x") {
        return NAMELESS.to_owned();
    }
    // Without the version of a library's symbol.
    let symbol = symbol.split('@').next().unwrap_or_default();
    let name = format!("{:#}", rustc_demangle::demangle(symbol));
    // What is dropped is all that its name says.
    let dropped = name.strip_prefix("core::ptr::drop_in_place").and_then(|generic| {
        let generic = generic.trim_start_matches("::");
        generic.strip_prefix('<')?.strip_suffix('>')
    });
    match dropped {
        Some(dropped) => format!("core::ptr::drop_in_place<{}>", without_generics(dropped)),
        None => without_generics(&name),
    }
}

/// `<A<B> as C<D>>::e::<F>` is `<A as C>::e`.
fn without_generics(name: &str) -> String {
    let mut kept = String::new();
    let (mut depth, mut before) = (0, ' ');
    for (at, character) in name.char_indices() {
        let is_generic = before.is_alphanumeric() || matches!(before, '_' | ':');
        let is_impl = name[at..].starts_with("<impl ");
        match character {
            '<' if depth > 0 || is_generic && !is_impl => {
                depth += 1;
                if kept.ends_with("::") && depth == 1 {
                    kept.truncate(kept.len() - 2);
                }
            }
            '>' if depth > 0 && before != '-' => depth -= 1,
            _ if depth == 0 => kept.push(character),
            _ => {}
        }
        before = character;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "\
positions: line
events: Ir

ob=(1) /app
fl=(1) ???
fn=(1) _ZN4core3fmt5write17h0123456789abcdefE'run'(below main)
0 70
+3 30
cob=(2) /lib/libc.so.6
cfn=(2) malloc@@GLIBC_2.2.5'_ZN4core3fmt5write17h0123456789abcdefE'run'(below main)
calls=20 0
* 900

fn=(2)
0 900

fn=(3) run'(below main)
0 100
cfn=(1)
calls=10 0
0 1000
12
fn=(4) run'2'(below main)
-1 1000

totals: 2100
";

    #[test]
    fn stacks_have_own_instructions_of_one_request() {
        let profile = parse(DUMP, 10).unwrap();
        let stacks = profile
            .stacks
            .iter()
            .map(|(stack, count)| format!("{}: {count}", stack.join(" > ")));
        assert_eq!(
            stacks.collect::<Vec<_>>(),
            [
                "(below main) > run: 110",
                "(below main) > run > core::fmt::write: 10",
                "(below main) > run > core::fmt::write > malloc: 90",
            ]
        );
        assert_eq!(profile.allocations.to_string(), "2");
    }

    #[test]
    fn what_is_no_profile_is_refused() {
        for dump in ["", "events: Ir\n", "fn=(7)\n0 1\n", "fn=(1) a\n0 b\n"] {
            assert_eq!(parse(dump, 1), None, "{dump}");
        }
    }

    #[test]
    fn generic_instances_have_one_name() {
        for (symbol, name) in [
            (
                "_ZN101_$LT$hyper..proto..h2..server..H2Stream$LT$F$C$B$C$Ex$GT$$u20$as$u20$core..future..future..Future$GT$\
                 4poll17h0d2c0c2c35627aabE",
                "<hyper::proto::h2::server::H2Stream as core::future::future::Future>::poll",
            ),
            (
                "_ZN4core3ptr102drop_in_place$LT$h2..frame..data..Data$LT$hyper..proto..h2..SendBuf$LT$bytes..bytes..Bytes$GT$\
                 $GT$$GT$17hc3362c6484dc0d00E",
                "core::ptr::drop_in_place<h2::frame::data::Data>",
            ),
            (
                "_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3newCs15kBYyAo9fc_7mycrate",
                "<std::path::PathBuf>::new",
            ),
            ("0x000000000486c368", NAMELESS),
            ("__memcpy_avx_unaligned_erms", "__memcpy_avx_unaligned_erms"),
        ] {
            assert_eq!(function(symbol), name);
        }
        for (name, kept) in [
            ("a::b::<C<D>>::e::<F>", "a::b::e"),
            ("a::<impl b::C<D> for E<F>>::g", "a::<impl b::C for E>::g"),
            ("<dyn Fn(A<B>) -> C<D> as E>::call", "<dyn Fn(A) -> C as E>::call"),
        ] {
            assert_eq!(without_generics(name), kept);
        }
    }
}
