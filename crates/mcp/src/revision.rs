//! The revisions of the protocol.

use crate::message::Failure;
use crate::writer::Object;

/// A revision of the protocol, from the oldest to the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    /// 2025-03-26: the first with one endpoint, and the only one with batches.
    March2025,
    /// 2025-06-18: structured results, and a header with the revision.
    June2025,
    /// 2025-11-25: the last that begins with a handshake.
    November2025,
    /// 2026-07-28: each request stands alone.
    July2026,
}

/// All revisions, the newest first.
pub(crate) const REVISIONS: [Revision; 4] =
    [Revision::July2026, Revision::November2025, Revision::June2025, Revision::March2025];

impl Revision {
    /// Returns the name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Revision::March2025 => "2025-03-26",
            Revision::June2025 => "2025-06-18",
            Revision::November2025 => "2025-11-25",
            Revision::July2026 => "2026-07-28",
        }
    }

    /// Returns the revision with a name.
    pub fn of(name: &str) -> Option<Self> {
        REVISIONS.into_iter().find(|revision| revision.name() == name)
    }

    /// Returns true if each request stands alone: it names its revision and its client.
    pub fn is_stateless(self) -> bool {
        self == Revision::July2026
    }

    /// Returns true if a body may be an array of messages.
    pub(crate) fn has_batches(self) -> bool {
        self == Revision::March2025
    }

    /// Returns the revision of a session in answer to the one that a client asks for. An unknown
    /// one gets the newest with a handshake, which the client may decline.
    pub(crate) fn negotiated(asked: &str) -> Self {
        Revision::of(asked).filter(|revision| !revision.is_stateless()).unwrap_or(Revision::November2025)
    }

    /// Returns the error of a revision that is not known.
    pub(crate) fn unsupported(asked: &str) -> Failure {
        let data = Object::whole(|object| {
            object.texts("supported", REVISIONS.map(Revision::name)).text("requested", asked);
        });
        let failure = Failure::new(Failure::UNSUPPORTED_VERSION, "Unsupported protocol version");
        Failure { data: Some(data), ..failure }
    }
}
