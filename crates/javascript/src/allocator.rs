//! The allocator of an isolate: the program's own, which refuses large pieces to a script that must
//! end.
//!
//! Nothing interrupts a single builtin function such as `Array.prototype.join`. One that runs long
//! allocates large pieces, so it ends with the next of them.

#![allow(unsafe_code, reason = "an allocator's interface is unsafe")]

use std::ptr;
use std::rc::Rc;

use rquickjs::allocator::{Allocator, RustAllocator};

use crate::stop::Stop;

/// The size in bytes from which a piece is refused.
///
/// Smaller pieces are always granted, because the parser of quickjs is less well tested without
/// memory than builtins are.
const LARGE_BYTES: usize = 64 << 10;

/// An allocator that refuses large pieces to a script that must end.
pub(crate) struct StoppingAllocator {
    inner: RustAllocator,
    stop: Rc<Stop>,
}

impl StoppingAllocator {
    pub(crate) fn new(stop: Rc<Stop>) -> Self {
        StoppingAllocator { inner: RustAllocator, stop }
    }

    fn refuses(&self, bytes: usize) -> bool {
        bytes >= LARGE_BYTES && self.stop.is_due()
    }
}

// SAFETY: every piece comes from `RustAllocator` unchanged, or is null, which the interface allows.
unsafe impl Allocator for StoppingAllocator {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if self.refuses(size) { ptr::null_mut() } else { self.inner.alloc(size) }
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        match count.checked_mul(size) {
            Some(bytes) if !self.refuses(bytes) => self.inner.calloc(count, size),
            _ => ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&mut self, ptr: *mut u8) {
        // SAFETY: the caller's promise is the one that `RustAllocator` asks for.
        unsafe { self.inner.dealloc(ptr) }
    }

    unsafe fn realloc(&mut self, ptr: *mut u8, new_size: usize) -> *mut u8 {
        // A piece that shrinks is never refused.
        // SAFETY: as above.
        if self.refuses(new_size) && new_size > unsafe { RustAllocator::usable_size(ptr) } {
            return ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { self.inner.realloc(ptr, new_size) }
    }

    unsafe fn usable_size(ptr: *mut u8) -> usize
    where
        Self: Sized,
    {
        // SAFETY: as above.
        unsafe { RustAllocator::usable_size(ptr) }
    }
}
