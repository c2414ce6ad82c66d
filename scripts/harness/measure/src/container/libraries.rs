//! The shared libraries that a program needs, as the loader finds them on this machine.
//!
//! The program names its loader, and the loader lists what it would load (this is what `ldd` does). So the program in an
//! image runs with the same libraries as without one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use object::elf::FileHeader64;
use object::endian::Endianness;
use object::read::elf::{FileHeader as _, ProgramHeader as _};

use crate::process::{CommandOutput, finish};

/// The cache of the loader, without which it does not find libraries outside the usual folders.
const CACHE: &str = "/etc/ld.so.cache";
/// Longest time for a list; usual are milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// Paths of all files besides the program that it needs to start; none for a program that is linked statically.
pub fn needed(program: &Path) -> io::Result<Vec<PathBuf>> {
    let Some(loader) = loader(program)? else {
        return Ok(Vec::new());
    };
    // With an empty environment, as servers are started: LD_LIBRARY_PATH would change the list.
    let mut command = Command::new(&loader);
    command.arg("--list").arg(program).env_clear();
    let listed = finish(command, PATIENCE).map_err(|error| error.to_string());
    let failed = |why| io::Error::other(format!("{} --list: {why}", loader.display()));
    let mut files = paths(&listed.and_then(CommandOutput::success).map_err(failed)?)?;
    files.push(loader);
    files.extend(Some(PathBuf::from(CACHE)).filter(|cache| cache.is_file()));
    files.sort();
    files.dedup();
    Ok(files)
}

/// The loader that the program names in its header.
fn loader(program: &Path) -> io::Result<Option<PathBuf>> {
    let bytes = fs::read(program)?;
    let invalid = |error| io::Error::other(format!("{} is not a program: {error}", program.display()));
    let header = FileHeader64::<Endianness>::parse(bytes.as_slice()).map_err(invalid)?;
    let endian = header.endian().map_err(invalid)?;
    for segment in header.program_headers(endian, bytes.as_slice()).map_err(invalid)? {
        if let Some(path) = segment.interpreter(endian, bytes.as_slice()).map_err(invalid)? {
            return Ok(Some(PathBuf::from(String::from_utf8_lossy(path).into_owned())));
        }
    }
    Ok(None)
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

    #[test]
    fn this_program_needs_its_loader_and_a_text_is_no_program() {
        let own = std::env::current_exe().unwrap();
        let found = needed(&own).unwrap();
        assert!(found.iter().all(|path| path.is_file()), "{found:?}");
        let loader = loader(&own).unwrap().unwrap();
        assert!(found.contains(&loader) && found.len() > 1, "{found:?}");
        let text = needed(Path::new("/etc/passwd"));
        assert!(
            text.unwrap_err()
                .to_string()
                .starts_with("/etc/passwd is not a program")
        );
    }
}
