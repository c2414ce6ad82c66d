//! The shared libraries that a program needs, as `ldd` finds them on this machine: in an image it runs with the same ones.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use machine::process::finish;

/// The cache of the loader, without which it does not find libraries outside the usual folders.
const CACHE: &str = "/etc/ld.so.cache";
/// Longest time for a list; usual are milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// Paths of all files besides the program that it needs to start; none for a program that is linked statically.
pub fn needed(program: &Path) -> io::Result<Vec<PathBuf>> {
    let mut command = Command::new("ldd");
    // With an empty environment, as servers are started: LD_LIBRARY_PATH would change the list.
    command.arg(program).env_clear();
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    let failed = |why| io::Error::other(format!("ldd {}: {why}", program.display()));
    let listed = finish(command, PATIENCE).map_err(|error| failed(error.to_string()))?;
    if listed.stderr_tail.contains("not a dynamic executable") {
        return Ok(Vec::new());
    }
    let mut files = paths(&listed.success().map_err(failed)?)?;
    files.extend(Some(PathBuf::from(CACHE)).filter(|cache| !files.is_empty() && cache.is_file()));
    Ok(files)
}

/// The paths in lines such as `libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f…)`. What the kernel provides has none.
fn paths(listed: &str) -> io::Result<Vec<PathBuf>> {
    let mut libraries = Vec::new();
    for line in listed.lines().map(str::trim) {
        if let Some(name) = line.strip_suffix("=> not found") {
            return Err(io::Error::other(format!("the library {} is not found", name.trim())));
        }
        let file = line.split_once("=> ").map_or(line, |(_, file)| file);
        let path = file.rsplit_once(" (").map_or(file, |(path, _)| path);
        libraries.extend(Some(PathBuf::from(path)).filter(|path| path.is_absolute()));
    }
    Ok(libraries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read() {
        let listed = "\tlinux-vdso.so.1 (0x00007f8a676ed000)\n\
            \tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f8a6581e000)\n\
            \t/lib64/ld-linux-x86-64.so.2 (0x00007f8a676ef000)\n\
            \tstatically linked\n";
        let found = paths(listed).unwrap();
        let found: Vec<_> = found.iter().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(
            found,
            ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"]
        );
        let error = paths("\tlibodd.so.1 => not found\n").unwrap_err();
        assert_eq!(error.to_string(), "the library libodd.so.1 is not found");
    }
}
