//! Files of a folder, by Thruster's `get_file`, which is for apps that find a path by themselves: the middleware around it finds the folder
//! in the environment, by other names than the contract's.
#![expect(clippy::unused_async, reason = "a middleware of Thruster is async")]

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use thruster::{
    BasicHyperContext as Ctx, Context as _, MiddlewareNext, MiddlewareResult, map_try, middleware::file::get_file,
    middleware_fn,
};

use crate::body::refusal;

/// A handler is the pointer to a function, and holds no path.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// The first call says which folder is served.
pub fn set_folder(folder: &Path) {
    // `get_file` takes every `..` out of a path, also out of the folder's.
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    FOLDER.get_or_init(|| folder);
}

#[middleware_fn]
pub async fn file(mut context: Ctx, _next: MiddlewareNext<Ctx>) -> MiddlewareResult<Ctx> {
    let found = path(context.route()).and_then(|path| get_file(&path).ok());
    let file = map_try!(found.ok_or("no such file"), Err(error) => refusal(context, 404, error));
    context.set_body_bytes(file);
    Ok(context)
}

fn path(route: &str) -> Option<String> {
    let path = route.split('?').next()?;
    let name = path.strip_prefix("/static/")?;
    let folder = FOLDER.get()?.to_str()?;
    Some(format!("{folder}/{name}"))
}
