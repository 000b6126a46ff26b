//! Deliveries to webhooks: one signed request to an address that the operator allows.
//!
//! - [`Target`] is the parsed URL of a receiver. [`AllowList`] decides about the addresses that its
//!   name resolves to. By default these are public addresses over HTTPS.
//! - [`Secret`] signs by the specification "Standard Webhooks" 1.0.
//! - [`Sender`] resolves, checks, connects and sends within [`TIMEOUT`], and [`Outcome`] says what
//!   came of it. [`back_off`] is the pause before the next attempt.
//!
//! A name is resolved once for each delivery. Every address is checked, and the connection goes to
//! an address that was checked, so a second lookup cannot lead elsewhere. No redirect is followed,
//! and no proxy of the environment is used.

mod public;
mod target;
mod allow;
mod headers;
mod secret;
mod lookup;
mod back_off;
mod sender;

pub use allow::AllowList;
pub use back_off::{RETRY_AFTER_MAX, back_off};
pub use headers::{HEADERS_MAX, check_headers};
pub use secret::Secret;
pub use sender::{Delivery, Outcome, Sender, TIMEOUT};
pub use target::Target;
