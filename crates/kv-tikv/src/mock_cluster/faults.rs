//! Failures of messages, on request.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use prost::Message;

use crate::network::Fault;
use crate::protocol::kv::GetResponse;
use crate::protocol::region;

/// The ways in which a message can fail.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Failure {
    /// The process is not reachable.
    Unreachable,
    /// The process acts on the message, and its reply is lost.
    LostReply,
    /// The store is busy.
    Busy,
    /// The message takes a time.
    Slow(Duration),
}

/// The effect of a failure.
pub(super) enum Effect {
    Before(Fault),
    After(Fault),
    Wait(Duration),
    Reply(Bytes),
}

/// The failures to come.
#[derive(Default)]
pub(super) struct Faults {
    planned: Mutex<Vec<(&'static str, Failure, usize)>>,
    one_in: AtomicU32,
}

impl Faults {
    pub(super) fn add(&self, method: &'static str, failure: Failure, count: usize) {
        self.planned.lock().unwrap_or_else(PoisonError::into_inner).push((method, failure, count));
    }

    pub(super) fn at_random(&self, one_in: u32) {
        self.one_in.store(one_in, Ordering::Relaxed);
    }

    /// Returns the effect of the failure of a message, if it is to fail.
    pub(super) fn next(&self, method: &str) -> Option<Effect> {
        let mut planned = self.planned.lock().unwrap_or_else(PoisonError::into_inner);
        let found = planned.iter_mut().find(|(name, _, count)| *count > 0 && method.ends_with(name));
        if let Some((_, failure, count)) = found {
            *count -= 1;
            return Some(failure.effect());
        }
        let one_in = self.one_in.load(Ordering::Relaxed);
        if one_in > 0 && method.contains("Tikv") && fastrand::u32(..one_in) == 0 {
            let failures = [
                Failure::Unreachable,
                Failure::LostReply,
                Failure::Busy,
                Failure::Slow(Duration::from_millis(5)),
            ];
            return fastrand::choice(failures).map(Failure::effect);
        }
        None
    }
}

impl Failure {
    fn effect(self) -> Effect {
        match self {
            Failure::Unreachable => Effect::Before(Fault::Unreachable("a test".to_owned())),
            Failure::LostReply => Effect::After(Fault::Lost("a test".to_owned())),
            Failure::Slow(time) => Effect::Wait(time),
            Failure::Busy => {
                let busy = region::ServerIsBusy { reason: "a test".to_owned(), backoff_ms: 1 };
                let error = region::Error { server_is_busy: Some(busy), ..Default::default() };
                // The error of a region has the same place in all replies.
                let reply = GetResponse { region_error: Some(error), ..Default::default() };
                Effect::Reply(Bytes::from(reply.encode_to_vec()))
            }
        }
    }
}
