#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::artifact(data));

#[cfg(not(fuzzing))]
fn main() {}
