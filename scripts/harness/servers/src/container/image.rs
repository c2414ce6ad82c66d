//! Images made from scratch: a program, its libraries, and nothing else.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::engine::Engine;
use super::{libraries, owner};
use apps::build::BuiltApp;
use model::Role;

/// An image that an engine holds, removed when this value is dropped.
#[derive(Debug)]
pub struct Image {
    /// The engine that holds it.
    pub engine: Engine,
    /// Its id.
    pub id: String,
    /// Path of the program in it.
    pub program: String,
}

/// The images of a run, removed when this value is dropped.
#[derive(Debug)]
pub struct Images {
    by_program: BTreeMap<PathBuf, Result<Image, String>>,
}

impl Images {
    /// Makes an image of each subject that was built. If one cannot be made, only that subject fails.
    ///
    /// First removes what killed runs have left.
    pub fn make(engine: &Engine, subjects: &[BuiltApp]) -> anyhow::Result<Self> {
        engine.remove_leftovers()?;
        let mut by_program = BTreeMap::new();
        for subject in subjects.iter().filter(|subject| subject.app.role != Role::Control) {
            let Some(binary) = &subject.binary else { continue };
            let program = binary.program.path();
            let tag = format!("bench-{}-{}", subject.app.id, subject.app.variant);
            let image = import(engine, program, &tag);
            by_program.insert(program.to_owned(), image);
        }
        Ok(Self { by_program })
    }

    /// The image of a program, or why there is none.
    pub fn image(&self, program: &Path) -> Result<&Image, String> {
        match self.by_program.get(program) {
            Some(Ok(image)) => Ok(image),
            Some(Err(reason)) => Err(reason.clone()),
            None => Err("it was not requested".into()),
        }
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // By id: meanwhile the tag may belong to another run's image of the same program.
        let _ = self.engine.run(&["rmi", "--force", &self.id]);
    }
}

fn import(engine: &Engine, program: &Path, tag: &str) -> Result<Image, String> {
    let place = |error: io::Error| format!("no image of {}: {error}", program.display());
    let inside = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = tempfile::tempdir().map_err(place)?;
    let archive = folder.path().join("image.tar");
    pack(program, &inside, &archive).map_err(place)?;
    let inside = format!("/{inside}");
    let entry = format!("ENTRYPOINT [\"{inside}\"]");
    let label = format!("LABEL {}={}", owner::LABEL, owner::this());
    let archive = archive.to_string_lossy();
    let arguments = ["import", "--change", &entry, "--change", &label, &archive, tag];
    let output = engine.run(&arguments).map_err(|error| error.to_string())?;
    Ok(Image {
        engine: engine.clone(),
        id: output.lines().last().unwrap_or_default().trim().to_owned(),
        program: inside,
    })
}

/// Packs the program at the root, and its libraries under their paths on this machine, without times and owners.
fn pack(program: &Path, inside: &str, archive: &Path) -> io::Result<()> {
    let mut builder = tar::Builder::new(File::create(archive)?);
    let mut add = |file: &Path, path: &Path| {
        let mut source = File::open(file)?;
        let mut header = tar::Header::new_gnu();
        header.set_size(source.metadata()?.len());
        header.set_mode(0o755);
        builder.append_data(&mut header, path, &mut source)
    };
    add(program, Path::new(inside))?;
    for library in libraries::needed(program)? {
        add(&library, library.strip_prefix("/").unwrap_or(&library))?;
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_holds_the_program_and_its_libraries() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("image.tar");
        let own = std::env::current_exe().unwrap();
        pack(&own, "server", &archive).unwrap();
        let mut archive = tar::Archive::new(File::open(archive).unwrap());
        let mut sizes = BTreeMap::new();
        for entry in archive.entries().unwrap() {
            let entry = entry.unwrap();
            assert_eq!(entry.header().mode().unwrap(), 0o755);
            sizes.insert(entry.path().unwrap().into_owned(), entry.size());
        }
        assert_eq!(sizes[Path::new("server")], own.metadata().unwrap().len());
        for library in ["/libc.so", "/ld-linux"] {
            let mut paths = sizes.keys().map(|path| path.to_string_lossy());
            assert!(paths.any(|path| path.contains(library)), "{library}: {sizes:?}");
        }
        assert!(sizes.keys().all(|path| path.is_relative()));
    }
}
