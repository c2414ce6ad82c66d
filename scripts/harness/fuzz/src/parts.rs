//! Which parts of a target's work are done: all for an input of the corpus; while the fuzzer looks for new ones, one, which a byte of the
//! input chooses, for the same path is found many times as fast by many small steps.

/// The parts of one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// Every one.
    All,
    /// The one with this number, modulo how many there are.
    One(u8),
}

impl Parts {
    /// The one that an input chooses by its last byte. The others keep their meaning, so an input of the corpus can be chosen from, too.
    pub fn chosen_by(data: &[u8]) -> Self {
        Self::One(data.last().copied().unwrap_or_default())
    }

    /// Does its share of `parts`.
    pub fn run(self, parts: &[&dyn Fn()]) {
        match self {
            Self::All => parts.iter().for_each(|part| part()),
            Self::One(number) => parts[usize::from(number) % parts.len()](),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn an_input_does_one_part_and_the_corpus_all() {
        let done = RefCell::new(Vec::new());
        let (one, other) = (|| done.borrow_mut().push(0), || done.borrow_mut().push(1));
        for data in [&b""[..], b"ab", b"ba"] {
            Parts::chosen_by(data).run(&[&one, &other]);
        }
        assert_eq!(done.take(), [0, 0, 1]);
        Parts::All.run(&[&one, &other]);
        assert_eq!(done.take(), [0, 1]);
    }
}
