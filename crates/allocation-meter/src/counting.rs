//! The allocator and its counter.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::marker::PhantomData;

thread_local! {
    /// The bytes that the thread has allocated, less those that it has freed.
    ///
    /// It is constant at first and needs no drop, so access allocates nothing, registers nothing,
    /// and works while the thread ends.
    static BYTES: Cell<i64> = const { Cell::new(0) };
}

/// The system's allocator, which counts the bytes of each thread.
#[derive(Debug, Default, Clone, Copy)]
pub struct CountingAllocator;

/// Returns the bytes that the calling thread has allocated, less those that it has freed.
///
/// It is 0 where [`CountingAllocator`] is not installed.
#[inline]
pub fn thread_bytes() -> i64 {
    BYTES.try_with(Cell::get).unwrap_or(0)
}

/// A time in which the calling thread does not count: afterwards its number is what it was.
///
/// It is for changes of structures that all threads share, such as caches. Their memory is nobody's
/// in particular.
#[derive(Debug)]
pub struct Uncounted {
    bytes: i64,
    /// The counter is that of one thread.
    _not_send: PhantomData<*const ()>,
}

impl Uncounted {
    /// Begins such a time; it ends when the value is dropped.
    #[must_use]
    pub fn begin() -> Self {
        Self { bytes: thread_bytes(), _not_send: PhantomData }
    }
}

impl Drop for Uncounted {
    fn drop(&mut self) {
        let _ = BYTES.try_with(|bytes| bytes.set(self.bytes));
    }
}

/// Takes bytes off the calling thread's number: of memory that it has allocated, and that a shared
/// structure or another thread owns from now on.
pub fn hand_over(bytes: usize) {
    count(0, bytes);
}

#[inline]
fn count(allocated: usize, freed: usize) {
    // The sizes of layouts fit in `isize`.
    let change = allocated as i64 - freed as i64;
    let _ = BYTES.try_with(|bytes| bytes.set(bytes.get().wrapping_add(change)));
}

// SAFETY: every method hands its arguments to `System` as they are, and returns what `System`
// returns. `System` is a correct allocator. The counter neither allocates nor panics.
unsafe impl GlobalAlloc for CountingAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps `alloc`'s contract, which is that of `System.alloc`.
        let piece = unsafe { System.alloc(layout) };
        count(if piece.is_null() { 0 } else { layout.size() }, 0);
        piece
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract, as in `alloc`.
        let piece = unsafe { System.alloc_zeroed(layout) };
        count(if piece.is_null() { 0 } else { layout.size() }, 0);
        piece
    }

    #[inline]
    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        // SAFETY: the caller has the piece from this allocator, that is from `System`, with this
        // layout.
        unsafe { System.dealloc(piece, layout) };
        count(0, layout.size());
    }

    #[inline]
    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller has the piece from `System`, with this layout, and a valid new size.
        let moved = unsafe { System.realloc(piece, layout, new_size) };
        // A piece that could not be resized stays as it is.
        if !moved.is_null() {
            count(new_size, layout.size());
        }
        moved
    }
}
