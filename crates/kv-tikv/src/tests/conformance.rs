//! The conformance suite, on a cluster with several regions.

use std::sync::Arc;

use kv::Engine;

use super::{open, split};
use crate::mock_cluster::MockCluster;

kv::conformance_tests!(|| {
    let cluster = MockCluster::new();
    split(&cluster);
    open(&cluster) as Arc<dyn Engine>
});
