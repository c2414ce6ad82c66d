//! Work of a known length. The control does it in each request; the harness, which contains this file as well, measures what it takes.

use std::{
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering::SeqCst},
};

/// So many steps, each of which needs the result of the one before (G. Marsaglia, "Xorshift RNGs", 2003): no compiler shortens them, and
/// no cpu does two at once. The exchanges before and after them are barriers: else the cpu would do them while it waits in the code
/// around them, and they would take less there than by themselves.
#[inline(never)]
pub fn spin(steps: u32) {
    if steps == 0 {
        return;
    }
    let cell = AtomicU64::new(black_box(0x9e37_79b9_7f4a_7c15));
    let mut state = black_box(&cell).swap(1, SeqCst);
    let mut left = steps;
    // No iterator: without optimisation it is a call, and takes longer than the step.
    while left > 0 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        left -= 1;
    }
    black_box(&cell).swap(state, SeqCst);
}
