//! Several things at a time, where nothing is timed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::{panic, thread};

/// Acts on each item, and gives the results in the order of the items. Each worker takes the next item as soon as it is free; there must be
/// at least one. The first error of a worker ends it, and is the error of all once the others are done.
pub fn parallel_map<W: Copy + Send, I: Sync, T: Send, E: Send>(
    workers: &[W],
    items: &[I],
    act: impl Fn(W, &I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let next = AtomicUsize::new(0);
    let (next, act) = (&next, &act);
    let work = |worker: W| {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else { return Ok(done) };
            done.push((place, act(worker, item)?));
        }
    };
    let work = &work;
    let mut done = thread::scope(|scope| {
        let start = |worker: &W| (*worker, work);
        let workers = workers.iter().map(start);
        let threads: Vec<_> = workers
            .map(|(worker, work)| scope.spawn(move || work(worker)))
            .collect();
        let mut done: Vec<(usize, T)> = Vec::new();
        for thread in threads {
            done.extend(thread.join().unwrap_or_else(|error| panic::resume_unwind(error))?);
        }
        Ok(done)
    })?;
    done.sort_by_key(|(place, _)| *place);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_the_items_and_an_error_ends_it() {
        let items: Vec<u32> = (0..100).collect();
        let doubled = parallel_map(&[1, 2, 3], &items, |_, item| Ok::<_, ()>(2 * item)).unwrap();
        assert_eq!(doubled, items.iter().map(|item| 2 * item).collect::<Vec<_>>());
        let broken = parallel_map(&[()], &items, |(), item| if *item == 7 { Err(*item) } else { Ok(()) });
        assert_eq!(broken, Err(7));
    }
}
