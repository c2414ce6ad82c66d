//! Whose turn it is on the machine. Two loads at once on two cpus would disturb each other, and so would a compiler beside one; servers
//! that are only asked may be asked side by side.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// Tests that drive no load and run at the same time. More would make servers miss the times that the contract gives them.
const SEATS: usize = 3;

static TAKEN: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

/// The machine, or a part of it, until this is dropped.
pub struct Turn {
    /// Locked for as long as it is open. `./scripts/test` locks the same file while something else computes.
    _machine: File,
    has_seat: bool,
    began: Instant,
}

impl Turn {
    /// Waits until nobody else has a turn.
    pub fn alone() -> Self {
        let machine = open();
        machine.lock().unwrap();
        Self {
            _machine: machine,
            has_seat: false,
            began: Instant::now(),
        }
    }

    /// Waits until nobody is alone, and few others have a turn.
    pub fn beside_others() -> Self {
        let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = FREED
            .wait_while(taken, |taken| *taken == SEATS)
            .unwrap_or_else(PoisonError::into_inner);
        *taken += 1;
        drop(taken);
        let machine = open();
        machine.lock_shared().unwrap();
        Self {
            _machine: machine,
            has_seat: true,
            began: Instant::now(),
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.has_seat {
            *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
            FREED.notify_one();
        }
        let _ = self.note(); // it decides nothing
    }
}

impl Turn {
    /// Adds a line for `./scripts/test`, which shows the longest turns: seconds, whether the machine was this test's alone, and its name.
    fn note(&self) -> std::io::Result<()> {
        let mut turns = File::options().append(true).create(true).open(file("turns"))?;
        let (seconds, kind) = (
            self.began.elapsed().as_secs_f64(),
            if self.has_seat { "beside" } else { "alone" },
        );
        let test = thread::current().name().unwrap_or_default().to_owned();
        turns.write_all(format!("{seconds:.1} {kind} {test}\n").as_bytes())
    }
}

fn open() -> File {
    File::create(file("machine.lock")).unwrap()
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}
