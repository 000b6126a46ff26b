//! Freed memory goes back to the system early where the process comes near its limit.
//!
//! The allocator is mimalloc. It stands in for `malloc` and `free` themselves, so that Rust and RocksDB have the same.
//! Rust's own `GlobalAlloc` over it is not used: that asks for aligned memory always, which takes 1.04 times the
//! instructions of a small request, and larger pieces.
//!
//! The allocator keeps what is freed for a second, as most of it is wanted again by then: giving each piece back at
//! once costs imports a tenth of their time. But under loads that change quickly what is kept comes on top of what is
//! in use. So the memory of the process is watched, and where it is near the limit all that is free is given back
//! whenever it is looked at. Elsewhere what was free for a second is, which the allocator itself looks for only while
//! it is asked for memory.

use std::fs;
use std::io;
use std::thread;
use std::time::Duration;

/// The share of the limit from which on all that is free is given back. What comes between two looks has to fit above.
const NEAR_LIMIT: f64 = 0.875;
/// The growth of a busy process, in bytes a second, from which the time of the next look follows.
const GROWTH_BYTES_PER_SECOND: f64 = 1e9;
/// Shortest time between two looks, so that a process which needs its memory does not spend its time here.
const SHORTEST_PAUSE: Duration = Duration::from_millis(25);
/// Longest time between two looks.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Which memory is given back.
#[derive(Clone, Copy, Debug)]
enum Freed {
    /// The bytes that were free for as long as the allocator keeps them.
    LongAgo,
    /// All that is free.
    All,
}

/// Watches the process from a thread of its own for as long as the process runs.
///
/// # Errors
///
/// The system has no thread to give.
pub(crate) fn watch(limit_bytes: u64) -> io::Result<()> {
    let near_bytes = (limit_bytes as f64 * NEAR_LIMIT) as u64;
    let watcher = thread::Builder::new().name("freed-memory".to_owned());
    watcher.spawn(move || {
        loop {
            let resident = resident_bytes();
            give_back(if resident >= near_bytes { Freed::All } else { Freed::LongAgo });
            thread::sleep(pause(near_bytes.saturating_sub(resident)));
        }
    })?;
    Ok(())
}

/// Returns the time in which the process cannot grow by `room_bytes`.
fn pause(room_bytes: u64) -> Duration {
    Duration::from_secs_f64(room_bytes as f64 / GROWTH_BYTES_PER_SECOND).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
}

/// Memory of the process that is present; 0 where the system does not tell.
fn resident_bytes() -> u64 {
    // `man 5 proc`: all pages, then those that are present.
    let pages = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = pages.split_ascii_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * rustix::param::page_size() as u64
}

/// Gives memory back to the system that no thread has a use for.
#[allow(unsafe_code, reason = "the allocator's C interface")]
fn give_back(freed: Freed) {
    // SAFETY: the function takes no pointer, and any thread may call it at any time; it frees only what is free.
    unsafe { libmimalloc_sys::mi_collect(matches!(freed, Freed::All)) };
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn what_another_thread_has_freed_is_given_back() {
        let (freed, wait_for_freed) = mpsc::channel();
        let (end, wait_for_end) = mpsc::channel::<()>();
        let before = resident_bytes();
        let other = thread::spawn(move || {
            let pieces: Vec<Vec<u8>> = (0..2048).map(|_| vec![1; 64 << 10]).collect();
            let most = resident_bytes();
            drop(pieces);
            freed.send(most).unwrap();
            // Threads give back what they hold when they end; this one is still there.
            let _ = wait_for_end.recv();
        });
        let most = wait_for_freed.recv().unwrap();
        assert!(most >= before + 128 * MIB, "from {before} bytes to {most} only");
        give_back(Freed::All);
        let after = resident_bytes();
        assert!(after <= before + 16 * MIB, "from {before} bytes to {most}, and back to {after} only");
        drop(end);
        other.join().unwrap();
    }

    #[test]
    #[allow(unsafe_code, reason = "the allocator's C interface")]
    fn what_rust_allocates_is_the_allocators() {
        #[repr(align(4096))]
        struct Page([u8; 4096]);
        let (small, page) = (Box::new(1u8), Box::new(Page([1; 4096])));
        let (large, on_stack) = (vec![page.0[0]; 8 << 20], 1u8);
        let is_known = |piece: *const u8| {
            // SAFETY: the function looks the address up and reads nothing there.
            unsafe { libmimalloc_sys::mi_is_in_heap_region(piece.cast()) }
        };
        assert!(is_known(&raw const *small) && is_known(page.0.as_ptr()) && is_known(large.as_ptr()));
        assert!(!is_known(&raw const on_stack));
    }

    #[test]
    fn the_nearer_the_limit_the_sooner_the_next_look() {
        assert_eq!(pause(0), SHORTEST_PAUSE);
        assert_eq!(pause(100_000_000), Duration::from_millis(100));
        assert_eq!(pause(u64::MAX), LONGEST_PAUSE);
    }
}
