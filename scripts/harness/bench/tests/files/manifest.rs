//! What the manifest of an app may not say.

use std::fs;
use std::path::Path;

use apps::catalog::Catalog;

use crate::touched::copy;

#[test]
fn flags_are_for_variants_that_there_are() {
    let copy = copy();
    let manifest = copy.path().join("apps/services/axum-services/Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let of_native = "\nnative = [";
    assert_eq!(text.matches(of_native).count(), 1);
    fs::write(&manifest, text.replace(of_native, "\nnative-cpu = [")).unwrap();
    let error = format!("{:#}", Catalog::read(copy.path()).unwrap_err());
    assert!(error.contains("apps/services/axum-services/Cargo.toml"), "{error}");
    let said = "`rustflags` names the variant `native-cpu`, and there is no bin target of it";
    assert!(error.ends_with(said), "{error}");
}

#[test]
fn the_servers_of_a_first_look_are_built_at_once() {
    let catalog = Catalog::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")).unwrap();
    let at_once = catalog.apps.iter().filter(|app| app.is_default_member);
    let ids: Vec<&str> = at_once.map(|app| app.id.as_str()).collect();
    // The reference has a workspace of its own.
    assert_eq!(ids, ["actix-web", "axum", "ceiling", "rocket"]);
}
