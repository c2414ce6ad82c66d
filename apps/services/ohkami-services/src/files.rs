//! Files of a folder. Ohkami reads them when it starts, and has a route for each.

use std::path::Path;

use ohkami::{Ohkami, Route as _};

/// `app` with the files of a folder. Without that folder, mounting it would be a panic.
pub fn with_files(app: Ohkami, folder: &Path) -> Ohkami {
    if folder.is_dir() {
        Ohkami::new(("/".By(app), "/static".Mount(folder)))
    } else {
        app
    }
}
