//! Writes `apps/compose.yaml`, with which people can try every server by hand.

use std::fmt::Write as _;

use apps::catalog::App;
use model::Part;

/// Port of the first server; the others follow in the order of their names.
const FIRST_PORT: u16 = 8101;

const HEAD: &str = "\
# Every server, to try by hand. It is no measurement: for that there is `./scripts/bench run --isolation docker`.
#
#   ./scripts/bench images                                builds the servers and makes their images; nothing is pulled
#   docker compose --file apps/compose.yaml up            starts all; a name at the end, only that one
#   curl http://127.0.0.1:8101/hello
#
# Written by `./scripts/bench images --compose > apps/compose.yaml`, and a test says when that is due.
name: bench
services:
";

/// The file for these apps.
pub fn compose(apps: &[App]) -> String {
    let mut text = HEAD.to_owned();
    // A server with a database does nothing without one, and there is none in the file; servers of services are no images either.
    let alone = apps.iter().filter(|app| app.part() == Part::Plain);
    for (port, app) in (FIRST_PORT..).zip(alone) {
        let id = &app.id;
        // No quotes are needed: an id is the name of a folder and of a package.
        let _ = write!(
            text,
            "  {id}:\n    image: bench/{id}:latest\n    pull_policy: never\n    environment:\n      ADDR: 0.0.0.0:8080\n    \
             ports:\n      - \"127.0.0.1:{port}:8080\"\n    read_only: true\n    user: \"65534:65534\"\n",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use apps::catalog::Catalog;

    #[test]
    fn every_app_can_be_tried_by_hand() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let catalog = Catalog::read(&root).unwrap();
        let file = std::fs::read_to_string(root.join("apps/compose.yaml")).unwrap_or_default();
        let due = "write it again: ./scripts/bench images --compose > apps/compose.yaml";
        assert_eq!(file, compose(&catalog.apps), "{due}");
    }
}
