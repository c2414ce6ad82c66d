//! Whose turn it is on the machine. Two loads at once on two cpus would disturb each other, and so would a compiler beside one; servers
//! that are only asked may be asked side by side.

use std::fs::File;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};

/// Tests that drive no load and run at the same time. More would make servers miss the times that the contract gives them.
const SEATS: usize = 3;

static TAKEN: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

/// The machine, or a part of it, until this is dropped.
pub struct Turn {
    /// Locked for as long as it is open. `./scripts/test` locks the same file while something else computes.
    _machine: File,
    has_seat: bool,
}

impl Turn {
    /// Waits until nobody else has a turn.
    pub fn alone() -> Self {
        let machine = open();
        machine.lock().unwrap();
        Self {
            _machine: machine,
            has_seat: false,
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
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.has_seat {
            *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
            FREED.notify_one();
        }
    }
}

fn open() -> File {
    File::create(Path::new(env!("CARGO_TARGET_TMPDIR")).join("machine.lock")).unwrap()
}
