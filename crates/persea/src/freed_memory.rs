//! Returns freed memory to the system early if the process comes near its limit.
//!
//! The allocator is mimalloc. It replaces `malloc` and `free` themselves, so that Rust and RocksDB
//! share it. Rust's `GlobalAlloc` is a counting allocator over the system's, which calls `malloc`
//! unless a type needs a larger alignment. Persea does not use the `GlobalAlloc` of mimalloc. That
//! always requests aligned memory, which takes 1.04 times the instructions of a small request, and
//! larger pieces.
//!
//! The allocator keeps freed memory for a while, because most of it is needed again by then.
//! Returning each piece immediately would cost imports a tenth of their time. But under loads that
//! change quickly, the kept memory adds to the memory in use.
//!
//! So a thread watches the memory of the process. The nearer the limit, the more often it looks,
//! and the shorter the allocator keeps freed memory. Near the limit, the thread returns all free
//! memory at each look, and the allocator returns each piece immediately. The allocator itself
//! checks for memory that it has kept long enough only during requests.

use std::fs;
use std::io;
use std::thread;
use std::time::Duration;

/// The share of the limit from which on all free memory is returned. The growth between two checks
/// must fit above it.
const NEAR_LIMIT: f64 = 0.8;
/// The assumed growth of a busy process in bytes per second, which determines the time of the next
/// check.
const GROWTH_BYTES_PER_SECOND: f64 = 4e9;
/// The shortest time between two checks, so that a process that needs its memory does not spend its
/// time here.
const SHORTEST_PAUSE: Duration = Duration::from_millis(25);
/// The maximum time between two checks, and for which freed memory is kept.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// The shortest time for which freed memory is kept, the unit of the allocator's option. Without a
/// delay, the allocator does not look for pieces that it has kept.
const SHORTEST_KEEP: Duration = Duration::from_millis(1);
/// The growth by memory that is freed and kept, in bytes per second. It determines the time for
/// which freed memory is kept. It is much larger, because a busy process is late to look.
const FREED_BYTES_PER_SECOND: f64 = 2e10;

/// The number of mimalloc's option `purge_delay`, in milliseconds: `mi_option_e` in `mimalloc.h`.
const PURGE_DELAY_OPTION: libmimalloc_sys::mi_option_t = 15;

/// The freed memory to return.
#[derive(Clone, Copy, Debug)]
enum Freed {
    /// Memory that has been free for so long, now and until the next call.
    For(Duration),
    /// All free memory, now and until the next call.
    All,
}

/// Watches the process from a thread of its own until the process ends.
///
/// # Errors
///
/// Fails if the system cannot start a thread.
pub(crate) fn watch(limit_bytes: u64) -> io::Result<()> {
    let near_bytes = (limit_bytes as f64 * NEAR_LIMIT) as u64;
    let watcher = thread::Builder::new().name("freed-memory".to_owned());
    watcher.spawn(move || {
        loop {
            let room_bytes = near_bytes.saturating_sub(resident_bytes());
            give_back(if room_bytes == 0 { Freed::All } else { Freed::For(keep(room_bytes)) });
            thread::sleep(pause(room_bytes));
        }
    })?;
    Ok(())
}

/// Returns all memory that the calling thread has freed, once.
///
/// The thread that starts the server waits afterwards until it stops, and keeps what it has freed
/// until then: about a megabyte.
pub(crate) fn return_all() {
    give_back(Freed::All);
    give_back(Freed::For(LONGEST_PAUSE));
}

/// Returns a time in which the process is not expected to grow by `room_bytes`.
fn pause(room_bytes: u64) -> Duration {
    Duration::from_secs_f64(room_bytes as f64 / GROWTH_BYTES_PER_SECOND).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
}

/// Returns a time in which freed memory is not expected to take `room_bytes`.
fn keep(room_bytes: u64) -> Duration {
    Duration::from_secs_f64(room_bytes as f64 / FREED_BYTES_PER_SECOND).clamp(SHORTEST_KEEP, LONGEST_PAUSE)
}

/// Returns the resident memory of the process without that of files; 0 if the system does not
/// report it.
fn resident_bytes() -> u64 {
    let pages = own_pages(&fs::read_to_string("/proc/self/statm").unwrap_or_default());
    pages * rustix::param::page_size() as u64
}

/// Returns the resident pages that belong to no file. The system reclaims pages of a mapped file by
/// itself.
fn own_pages(statm: &str) -> u64 {
    // See `man 5 proc`: all pages, then the resident ones, then those of files among them.
    let mut pages = statm.split_ascii_whitespace().skip(1).map_while(|pages| pages.parse::<u64>().ok());
    let resident = pages.next().unwrap_or(0);
    resident.saturating_sub(pages.next().unwrap_or(0))
}

/// Returns memory to the system that no thread uses.
#[allow(unsafe_code, reason = "the allocator's C interface")]
fn give_back(freed: Freed) {
    let (all, keep) = match freed {
        Freed::All => (true, SHORTEST_KEEP),
        Freed::For(keep) => (false, keep),
    };
    // SAFETY: the functions take no pointer, and any thread may call them at any time. They free
    // only free memory. The option is a number that the allocator reads when it frees a piece.
    unsafe {
        libmimalloc_sys::mi_option_set(PURGE_DELAY_OPTION, keep.as_millis() as std::ffi::c_long);
        libmimalloc_sys::mi_collect(all);
        if all {
            libmimalloc_sys::mi_option_set(PURGE_DELAY_OPTION, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn pages_of_files_do_not_count() {
        assert_eq!(own_pages("9000 500 200 10 0 90 0"), 300);
        assert_eq!(own_pages(""), 0);
    }

    #[test]
    fn memory_that_another_thread_has_freed_is_returned() {
        let (freed, wait_for_freed) = mpsc::channel();
        let (end, wait_for_end) = mpsc::channel::<()>();
        let before = resident_bytes();
        let other = thread::spawn(move || {
            let pieces: Vec<Vec<u8>> = (0..2048).map(|_| vec![1; 64 << 10]).collect();
            let most = resident_bytes();
            drop(pieces);
            freed.send(most).unwrap();
            // A thread returns its memory when it ends, but this one is still running.
            let _ = wait_for_end.recv();
        });
        let most = wait_for_freed.recv().unwrap();
        // Concurrent tests also give some back.
        assert!(most >= before + 96 * MIB, "only from {before} to {most} bytes");
        give_back(Freed::All);
        let after = resident_bytes();
        assert!(after <= before + 64 * MIB, "from {before} to {most} bytes, and only back to {after}");
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
        assert_eq!(pause(400_000_000), Duration::from_millis(100));
        assert_eq!(pause(u64::MAX), LONGEST_PAUSE);
        assert_eq!((keep(0), keep(u64::MAX)), (SHORTEST_KEEP, LONGEST_PAUSE));
        assert_eq!(keep(200_000_000), Duration::from_millis(10));
    }
}
