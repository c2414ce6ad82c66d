//! What clients notice when a server moves from one framework to another, and what the guide's own servers do, case by case.

use std::collections::BTreeMap;

use analyze::probes::{ClientServer, Clients, Moved, Notice, clients};
use model::probe::ProbeCase;
use model::{Record, count};

use crate::document::{Block, Rows, Text, joined, name, own, sentence, text};
use crate::labels::{day, version};
use crate::terminal::{Style, shown};

/// What differs between two servers, on a terminal or as Markdown.
pub fn moving(clients: &Clients, from: &ClientServer, to: &ClientServer, style: Option<Style>) -> String {
    let moved = clients.moving(from, to);
    let both = |case: &&ProbeCase| [from, to].iter().all(|server| server.got.contains_key(&case.id));
    let made = clients.cases.iter().filter(both).count();
    let about = text![
        own(format!("{} of {}", moved.len(), count(made, "case"))),
        " differ, of servers as each framework's guide writes them, on ",
        day(clients.started_at),
        ". Where three fresh servers did not agree, both answers are told. The bytes: `./scripts/bench probe --app ",
        name(&from.app),
        " --case CASE`",
    ];
    let heading = text!["From ", labelled(from), " to ", labelled(to)];
    let mut blocks = vec![Block::Heading(1, heading), Block::Paragraph(about)];
    let works = |server: &ClientServer| text!["Works with ", name(&server.name), " only"];
    let kinds = [
        (Notice::Fails, works(from)),
        (Notice::Status, "Another status".into()),
        (Notice::Works, works(to)),
        (Notice::Limit, "Limits, times and the end".into()),
        (Notice::Rest, "Fields, bodies and connections".into()),
    ];
    blocks.extend(Block::sections(kinds.map(|(kind, title)| {
        let of_kind: Vec<Moved<'_>> = moved.iter().copied().filter(|one| one.notice == kind).collect();
        let rows = (!of_kind.is_empty()).then(|| table(of_kind, from, to));
        (title, rows.into_iter().collect())
    })));
    shown(&blocks, style)
}

fn labelled(server: &ClientServer) -> Text {
    text![name(&server.name), " ", version(&server.version)]
}

fn table(moved: Vec<Moved<'_>>, from: &ClientServer, to: &ClientServer) -> Block {
    // Two versions of one framework have the same name.
    let is_same = from.name == to.name;
    let head = |server: &ClientServer| if is_same { labelled(server) } else { name(&server.name) };
    let setting = |one: &Moved<'_>| one.setting.map(|setting| name(&setting.name).link(&setting.address));
    Rows::of(moved)
        .words("", |one| sentence(&one.case.title))
        .words(head(from), |one| sentence(one.got[0]))
        .words(head(to), |one| sentence(one.got[1]))
        .words(text!["set in ", head(to)], setting)
        .words("case", |one| name(&one.case.id))
        .table()
}

/// What each case found, and which servers did so, most of them first.
pub fn section(probes: &Record) -> Vec<Block> {
    let Some(found) = clients(probes) else {
        return Vec::new();
    };
    let line = |case: &ProbeCase| {
        let mut did: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for server in &found.servers {
            if let Some(got) = server.got.get(&case.id) {
                did.entry(got).or_default().push(&server.name);
            }
        }
        let mut did: Vec<_> = did.into_iter().collect();
        did.sort_by_key(|(_, servers)| std::cmp::Reverse(servers.len()));
        let did = did.into_iter().map(|(got, servers)| {
            let servers = joined(servers.into_iter().map(name), ", ");
            text![sentence(got).bold(), ": ", servers]
        });
        text![sentence(&case.title), " (", name(&case.id), "). ", joined(did, "; ")]
    };
    Block::section(2, "What clients notice", Block::list(found.cases.iter().map(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_says_what_hurts_first() {
        let clients = clients(&samples::client_probes()).unwrap();
        let [axum, rocket] = ["axum", "rocket"].map(|app| clients.server(app).unwrap());
        insta::assert_snapshot!(moving(&clients, axum, rocket, None));
    }

    #[test]
    fn every_case_names_who_did_what() {
        insta::assert_snapshot!(crate::document::markdown(&section(&samples::client_probes())));
    }
}
