//! The conformance suite, on a cluster with several regions.

use std::sync::Arc;

use kv::Engine;

use super::{open, split};
use crate::mock_cluster::StandIn;

kv::conformance_tests!(|| {
    let cluster = StandIn::new();
    split(&cluster);
    open(&cluster) as Arc<dyn Engine>
});
