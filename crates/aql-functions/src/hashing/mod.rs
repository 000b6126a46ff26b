//! Hashes and checksums.

mod crc32c;
mod digest;
mod fnv64;
mod hash;

use aql_value::Function;

use crate::define::pure;

pub(crate) use digest::to_hex;
pub(crate) use hash::stable_hash;

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("CRC32", 1, 1, crc32c::crc32),
    pure("FNV64", 1, 1, fnv64::fnv64),
    pure("HASH", 1, 1, hash::hash),
    pure("MD5", 1, 1, digest::md5),
    pure("SHA1", 1, 1, digest::sha1),
    pure("SHA256", 1, 1, digest::sha256),
    pure("SHA512", 1, 1, digest::sha512),
];
