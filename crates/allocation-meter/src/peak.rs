//! The same with the greatest number, for tests of what code allocates.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

use crate::counting::{CountingAllocator, thread_bytes};

thread_local! {
    /// The greatest number of the thread since it was last restarted. As constant as the number.
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

/// A [`CountingAllocator`] that remembers the peak of each thread. Tests install it.
#[derive(Debug, Default, Clone, Copy)]
pub struct PeakAllocator;

/// Forgets the peak of the calling thread: it is what the thread has now.
pub fn restart_thread_peak() {
    let _ = PEAK.try_with(|peak| peak.set(thread_bytes()));
}

/// Returns the greatest [`thread_bytes`] since the peak was restarted.
pub fn thread_peak() -> i64 {
    PEAK.try_with(Cell::get).unwrap_or(0)
}

fn note_peak(at_once: usize) {
    let _ = PEAK.try_with(|peak| peak.set(peak.get().max(thread_bytes() + at_once as i64)));
}

// SAFETY: every method hands its arguments to `CountingAllocator` as they are, and returns what
// that returns. The peak neither allocates nor panics.
unsafe impl GlobalAlloc for PeakAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        let piece = unsafe { CountingAllocator.alloc(layout) };
        note_peak(0);
        piece
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        let piece = unsafe { CountingAllocator.alloc_zeroed(layout) };
        note_peak(0);
        piece
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        // SAFETY: the caller has the piece from this allocator, with this layout.
        unsafe { CountingAllocator.dealloc(piece, layout) };
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller has the piece from this allocator, with this layout.
        let moved = unsafe { CountingAllocator.realloc(piece, layout, new_size) };
        // While the content moves, the old piece is there too.
        note_peak(if moved == piece { 0 } else { layout.size() });
        moved
    }
}
