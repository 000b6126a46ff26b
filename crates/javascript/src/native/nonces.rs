//! Nonces, which any script of this program may check, once.

use std::collections::{HashMap, VecDeque};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use errors::Error;
use rquickjs::Value;

use super::bytes::{from_base64, to_base64_url};
use super::{Call, NativeResult, Table};

pub(super) const TABLE: Table = &[("createNonce", create), ("takeNonce", take)];

/// The time for which a nonce is valid.
const LIFETIME: Duration = Duration::from_secs(3_600);

/// The maximum number of nonces. The oldest makes room for another one.
const NONCES_MAX: usize = 65_536;

/// The bytes of a nonce: 4 of the time in seconds, 8 of randomness.
const BYTES: usize = 12;

type Nonce = [u8; BYTES];

/// The nonces that no script has checked yet.
static NONCES: LazyLock<Mutex<Nonces>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Nonces {
    issued: HashMap<Nonce, Instant>,
    /// All nonces of the last hour, the oldest first.
    order: VecDeque<(Nonce, Instant)>,
}

impl Nonces {
    fn add(&mut self, nonce: Nonce, now: Instant) {
        while self.order.len() >= NONCES_MAX
            || self.order.front().is_some_and(|(_, time)| now.duration_since(*time) > LIFETIME)
        {
            let Some((oldest, _)) = self.order.pop_front() else { break };
            self.issued.remove(&oldest);
        }
        self.order.push_back((nonce, now));
        self.issued.insert(nonce, now);
    }

    /// Returns true if a nonce was issued in the last hour and not taken before.
    fn take(&mut self, nonce: &Nonce, now: Instant) -> bool {
        self.issued.remove(nonce).is_some_and(|time| now.duration_since(time) <= LIFETIME)
    }
}

/// `createNonce()`: a nonce in the URL-safe alphabet of base64.
fn create<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let mut nonce = [0; BYTES];
    let (time, random) = nonce.split_at_mut(4);
    time.copy_from_slice(&(seconds as u32).to_be_bytes());
    getrandom::fill(random).map_err(Error::internal)?;
    NONCES.lock().unwrap_or_else(PoisonError::into_inner).add(nonce, Instant::now());
    call.give(to_base64_url(&nonce))
}

/// `takeNonce(nonce)`: true if the nonce is valid, which it is not after that.
fn take<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let nonce = Nonce::try_from(from_base64(&call.text(0)?));
    let mut nonces = NONCES.lock().unwrap_or_else(PoisonError::into_inner);
    call.give(nonce.is_ok_and(|nonce| nonces.take(&nonce, Instant::now())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_is_valid_once_and_for_an_hour() {
        let (mut nonces, start) = (Nonces::default(), Instant::now());
        let nonce = |number: usize| {
            let mut nonce = [0; BYTES];
            nonce.iter_mut().zip(number.to_be_bytes()).for_each(|(to, from)| *to = from);
            nonce
        };
        nonces.add(nonce(1), start);
        nonces.add(nonce(2), start);
        assert!(nonces.take(&nonce(1), start + LIFETIME));
        assert!(!nonces.take(&nonce(1), start));
        assert!(!nonces.take(&nonce(2), start + LIFETIME + Duration::from_secs(1)));
        assert!(!nonces.take(&nonce(3), start));
    }

    #[test]
    fn the_number_of_nonces_is_bounded() {
        let (mut nonces, start) = (Nonces::default(), Instant::now());
        for number in 0..NONCES_MAX + 10 {
            let mut nonce = [0; BYTES];
            nonce.iter_mut().zip(number.to_be_bytes()).for_each(|(to, from)| *to = from);
            nonces.add(nonce, start);
        }
        assert_eq!((nonces.issued.len(), nonces.order.len()), (NONCES_MAX, NONCES_MAX));
        nonces.add([1; BYTES], start + LIFETIME + Duration::from_secs(1));
        assert_eq!((nonces.issued.len(), nonces.order.len()), (1, 1));
    }
}
