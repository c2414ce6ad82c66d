//! The files that servers of services serve: new ones for each process, so that no server can have them beforehand.

use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::shared_files;
use crate::shared_files::Once;
use crate::workload::unforeseen;

/// Names and sizes, in bytes.
const FILES: [(&str, usize); 2] = [("4k.bin", 4096), ("1m.bin", 1 << 20)];
/// A file beside the folder, which no server may send.
const SECRET: &str = "secret.txt";

static OWN: Once<ServedFiles> = OnceLock::new();

/// A folder of random files.
#[derive(Debug)]
pub struct ServedFiles {
    /// What a server serves.
    pub folder: PathBuf,
    /// A file outside of it.
    pub secret: PathBuf,
    /// Names of the files, and what they have in them.
    pub contents: Vec<(&'static str, Vec<u8>)>,
}

impl ServedFiles {
    /// The files of this process, made when they are first asked for.
    pub fn own() -> io::Result<&'static Self> {
        shared_files::made_once(&OWN, Self::make)
    }

    fn make() -> io::Result<Self> {
        let around = shared_files::make_folder("served")?;
        let folder = shared_files::make_folder("served/files")?;
        let mut rng = ChaCha8Rng::seed_from_u64(unforeseen());
        let mut contents = Vec::new();
        for (name, size) in FILES {
            let mut bytes = vec![0; size];
            rng.fill_bytes(&mut bytes);
            shared_files::write(&folder.join(name), &bytes)?;
            contents.push((name, bytes));
        }
        let secret = around.join(SECRET);
        shared_files::write(&secret, format!("{:016x}", rng.next_u64()).as_bytes())?;
        Ok(Self {
            folder,
            secret,
            contents,
        })
    }
}
