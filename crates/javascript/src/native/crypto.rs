//! Random bytes and hashes.

use errors::Error;
use hmac::digest::Digest;
use hmac::digest::block_api::EagerHash;
use hmac::{Hmac, KeyInit as _, Mac as _};
use md5::Md5;
use rquickjs::Value;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};

use super::bytes::to_hex;
use super::{Call, NativeResult, Table};
use crate::stop::Stop;

pub(super) const TABLE: Table =
    &[("randomBytes", random_bytes), ("hash", hash), ("hmac", hmac_of), ("pbkdf2", pbkdf2)];

/// The maximum number of random bytes of one call.
const RANDOM_MAX: f64 = 65_536.0;

/// The maximum length in bytes of a derived key.
const KEY_MAX: f64 = 65_536.0;

/// `randomBytes(count)`: bytes that nobody can guess.
fn random_bytes<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let count = call.number(0)?;
    if !(0.0..=RANDOM_MAX).contains(&count) {
        return Err(Error::bad_parameter(format!("the length must be from 0 to {RANDOM_MAX}")).into());
    }
    let mut bytes = vec![0; count as usize];
    getrandom::fill(&mut bytes).map_err(Error::internal)?;
    call.give_bytes(bytes)
}

/// `hash(algorithm, message)`: the hash of a message, in hexadecimal digits.
fn hash<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let message = call.bytes(1)?;
    let hash = match call.text(0)?.as_str() {
        "md5" => Md5::digest(&message).to_vec(),
        "sha1" => Sha1::digest(&message).to_vec(),
        "sha224" => Sha224::digest(&message).to_vec(),
        "sha256" => Sha256::digest(&message).to_vec(),
        "sha384" => Sha384::digest(&message).to_vec(),
        "sha512" => Sha512::digest(&message).to_vec(),
        other => return Err(unknown(other).into()),
    };
    call.give(to_hex(&hash))
}

/// `hmac(algorithm, key, message)`: the keyed hash of a message, in hexadecimal digits.
fn hmac_of<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    call.give(to_hex(&keyed(&call.text(0)?, &call.bytes(1)?, &[&call.bytes(2)?])?))
}

/// `pbkdf2(algorithm, salt, password, iterations, length)`: a key, in hexadecimal digits.
fn pbkdf2<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let algorithm = call.text(0)?;
    let (salt, password) = (call.bytes(1)?, call.bytes(2)?);
    let (iterations, length) = (call.number(3)?, call.number(4)?);
    if !(1.0..=f64::from(u32::MAX)).contains(&iterations) || !(1.0..=KEY_MAX).contains(&length) {
        let text = format!("iterations must be at least 1, and the length from 1 to {KEY_MAX}");
        return Err(Error::bad_parameter(text).into());
    }
    let length = length as usize;
    let mut key = Vec::new();
    for block in 1_u32.. {
        key.extend(derived_block(&algorithm, &password, &salt, block, iterations as u32, &call.core.stop)?);
        if key.len() >= length || call.core.stop.is_due() {
            break;
        }
    }
    key.truncate(length);
    call.give(to_hex(&key))
}

/// Returns a block of PBKDF2 (RFC 8018, section 5.2). A script that must end gets a wrong one.
fn derived_block(
    algorithm: &str,
    password: &[u8],
    salt: &[u8],
    block: u32,
    iterations: u32,
    stop: &Stop,
) -> Result<Vec<u8>, Error> {
    /// The iterations between two checks of the interrupt flag.
    const STEP: u32 = 1_024;
    let mut last = keyed(algorithm, password, &[salt, &block.to_be_bytes()])?;
    let mut sum = last.clone();
    for iteration in 1..iterations {
        last = keyed(algorithm, password, &[&last])?;
        sum.iter_mut().zip(&last).for_each(|(sum, byte)| *sum ^= byte);
        if iteration % STEP == 0 && stop.is_due() {
            break;
        }
    }
    Ok(sum)
}

fn keyed(algorithm: &str, key: &[u8], message: &[&[u8]]) -> Result<Vec<u8>, Error> {
    match algorithm {
        "md5" => mac::<Md5>(key, message),
        "sha1" => mac::<Sha1>(key, message),
        "sha224" => mac::<Sha224>(key, message),
        "sha256" => mac::<Sha256>(key, message),
        "sha384" => mac::<Sha384>(key, message),
        "sha512" => mac::<Sha512>(key, message),
        other => Err(unknown(other)),
    }
}

fn mac<D: EagerHash>(key: &[u8], message: &[&[u8]]) -> Result<Vec<u8>, Error> {
    let mut mac = Hmac::<D>::new_from_slice(key).map_err(Error::internal)?;
    message.iter().for_each(|part| mac.update(part));
    Ok(mac.finalize().into_bytes().to_vec())
}

fn unknown(algorithm: &str) -> Error {
    Error::bad_parameter(format!("unknown algorithm {algorithm:?}"))
}
