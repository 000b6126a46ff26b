//! RocksDB's environment with encrypted files.
//!
//! Each file begins with [`PREFIX_BYTES`] bytes: the header of [`encryption::FileKey`], then zeros.
//! The key stream of the bytes behind it begins with the beginning of the file, so the offset of
//! the first of them is [`PREFIX_BYTES`].
//!
//! RocksDB calls back from C++. That needs `unsafe` code, which is in this file only, with the
//! other side in `cpp/encrypted_env.cc`.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::slice;
use std::sync::Arc;

use encryption::{FileKey, FileKind, HEADER_BYTES, MasterKey};
use rust_librocksdb_sys::rocksdb_env_t;
use rust_rocksdb::Env;

/// The bytes before the content of a file: a page, so that reads past the page cache stay aligned.
pub(crate) const PREFIX_BYTES: usize = 4 << 10;

/// The functions that C++ calls, as `persea_ciphers` there.
#[repr(C)]
struct Ciphers {
    new_header: unsafe extern "C" fn(*const c_void, *mut u8) -> bool,
    open_stream: unsafe extern "C" fn(*const c_void, *const u8, usize) -> *mut c_void,
    apply: unsafe extern "C" fn(*const c_void, u64, *mut u8, usize),
    release_stream: unsafe extern "C" fn(*mut c_void),
    release_master: unsafe extern "C" fn(*const c_void),
}

unsafe extern "C" {
    fn persea_encrypted_env(
        ciphers: *const Ciphers,
        master: *const c_void,
        prefix_bytes: usize,
    ) -> *mut rocksdb_env_t;
}

/// Returns an environment whose files are encrypted with keys from `master`.
pub(crate) fn encrypted_env(master: &Arc<MasterKey>) -> Env {
    let ciphers = Ciphers { new_header, open_stream, apply, release_stream, release_master };
    let master = Arc::into_raw(Arc::clone(master)).cast::<c_void>();
    // SAFETY: the functions have the signatures of `persea_ciphers`, which is copied. The reference
    // to the master key is released once, by `release_master`. The returned environment is new, and
    // `Env` destroys it once.
    unsafe { Env::from_raw(persea_encrypted_env(&raw const ciphers, master, PREFIX_BYTES)) }
}

/// # Safety
/// `master` is a pointer of [`encrypted_env`]; `header` has room for a header.
unsafe extern "C" fn new_header(master: *const c_void, header: *mut u8) -> bool {
    // SAFETY: see above. C++ holds the reference as long as it calls.
    let (master, header) =
        unsafe { (&*master.cast::<MasterKey>(), slice::from_raw_parts_mut(header, HEADER_BYTES)) };
    match FileKey::new(master, FileKind::Engine) {
        Ok(key) => {
            header.copy_from_slice(key.header());
            true
        }
        Err(_) => false,
    }
}

/// # Safety
/// `master` is a pointer of [`encrypted_env`]; `header` has `length` bytes.
unsafe extern "C" fn open_stream(master: *const c_void, header: *const u8, length: usize) -> *mut c_void {
    if header.is_null() || length == 0 {
        return std::ptr::null_mut();
    }
    // SAFETY: see above. C++ holds the reference as long as it calls.
    let (master, header) = unsafe { (&*master.cast::<MasterKey>(), slice::from_raw_parts(header, length)) };
    match FileKey::of_header(master, FileKind::Engine, header) {
        Ok(key) => Box::into_raw(Box::new(key)).cast(),
        Err(_) => std::ptr::null_mut(),
    }
}

/// # Safety
/// `stream` is a pointer of [`open_stream`]; `bytes` has `length` bytes that nobody else uses.
unsafe extern "C" fn apply(stream: *const c_void, offset: u64, bytes: *mut u8, length: usize) {
    if bytes.is_null() || length == 0 {
        return;
    }
    // SAFETY: see above. C++ calls from several threads, and a key is only read.
    let (key, bytes) = unsafe { (&*stream.cast::<FileKey>(), slice::from_raw_parts_mut(bytes, length)) };
    key.stream().apply(offset, bytes);
}

/// # Safety
/// `stream` is a pointer of [`open_stream`] that is not used any more.
unsafe extern "C" fn release_stream(stream: *mut c_void) {
    // SAFETY: see above. `open_stream` made the box.
    drop(unsafe { Box::from_raw(stream.cast::<FileKey>()) });
}

/// # Safety
/// `master` is the pointer of [`encrypted_env`], which is not used any more.
unsafe extern "C" fn release_master(master: *const c_void) {
    // SAFETY: see above. `encrypted_env` made it of an `Arc`.
    drop(unsafe { Arc::from_raw(master.cast::<MasterKey>()) });
}
