//! A program of its own, because it replaces the allocator.
//!
//! The counter follows what each thread allocates and frees. It runs under Miri too.
#![allow(clippy::unwrap_used, reason = "what is wrong in a test ends it")]

use std::sync::mpsc;
use std::thread;

use allocation_meter::{PeakAllocator, Uncounted, hand_over, restart_thread_peak, thread_bytes, thread_peak};

#[global_allocator]
static ALLOCATOR: PeakAllocator = PeakAllocator;

const SIZE: i64 = 100_000;

fn piece() -> Vec<u8> {
    Vec::with_capacity(SIZE as usize)
}

#[test]
fn what_is_allocated_counts_until_it_is_freed() {
    let before = thread_bytes();
    let mut bytes = piece();
    assert_eq!(thread_bytes() - before, SIZE);
    bytes.reserve_exact(2 * SIZE as usize);
    assert_eq!(thread_bytes() - before, 2 * SIZE);
    bytes.push(1);
    bytes.shrink_to_fit();
    assert_eq!(thread_bytes() - before, 1);
    drop(bytes);
    assert_eq!(thread_bytes(), before);
    let zeros = vec![0u64; 1000];
    assert_eq!(thread_bytes() - before, 8000);
    drop(zeros);
    assert_eq!(thread_bytes(), before);
}

#[test]
fn aligned_pieces_count_by_their_size() {
    #[repr(align(4096))]
    struct Page([u8; 4096]);
    let before = thread_bytes();
    let page = Box::new(Page([7; 4096]));
    assert_eq!((thread_bytes() - before, &raw const *page as usize % 4096), (4096, 0));
    assert_eq!(page.0[4095], 7);
    drop(page);
    assert_eq!(thread_bytes(), before);
}

#[test]
fn a_piece_counts_against_the_thread_that_frees_it() {
    let (give, take) = mpsc::channel::<Vec<u8>>();
    let other = thread::spawn(move || {
        let piece = take.recv().unwrap();
        let before = thread_bytes();
        drop(piece);
        thread_bytes() - before
    });
    let before = thread_bytes();
    let piece = piece();
    assert_eq!(thread_bytes() - before, SIZE);
    give.send(piece).unwrap();
    assert_eq!(other.join().unwrap(), -SIZE);
    assert!(thread_bytes() - before >= SIZE);
}

#[test]
fn the_counter_works_while_a_thread_ends() {
    struct Last(Vec<u8>);
    impl Drop for Last {
        fn drop(&mut self) {
            let before = thread_bytes();
            self.0 = piece();
            assert_eq!(thread_bytes() - before, SIZE);
        }
    }
    thread_local! {
        static LAST: Last = const { Last(Vec::new()) };
    }
    thread::spawn(|| LAST.with(|last| assert!(last.0.is_empty()))).join().unwrap();
}

#[test]
fn the_peak_is_the_most_since_its_restart() {
    drop(piece());
    restart_thread_peak();
    let before = thread_bytes();
    assert_eq!(thread_peak(), before);
    drop(piece());
    assert_eq!((thread_peak() - before, thread_bytes()), (SIZE, before));
}

#[test]
fn the_number_is_the_same_after_a_time_that_does_not_count() {
    let before = thread_bytes();
    let uncounted = Uncounted::begin();
    let piece = piece();
    drop(uncounted);
    assert_eq!(thread_bytes(), before);
    drop(piece);
    assert_eq!(thread_bytes(), before - SIZE);
}

#[test]
fn a_piece_that_is_handed_over_counts_for_nobody() {
    let before = thread_bytes();
    let piece = piece();
    hand_over(SIZE as usize);
    assert_eq!(thread_bytes(), before);
    // The owner's number falls when it frees the piece.
    drop(piece);
    assert_eq!(thread_bytes(), before - SIZE);
}
