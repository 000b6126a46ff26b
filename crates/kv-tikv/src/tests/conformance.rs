//! The conformance suite, on a cluster with several regions.

use std::sync::Arc;

use kv::Engine;

use super::{open_alone, split};
use crate::stand_in::StandIn;

kv::conformance_tests!(|| {
    let cluster = StandIn::new();
    split(&cluster);
    open_alone(&cluster).expect("open") as Arc<dyn Engine>
});
