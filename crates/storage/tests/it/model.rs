//! Random operations compared with a simple model, on the engine without files.

use proptest::prelude::*;

use crate::common::model::{operation, run};
use crate::common::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn documents_and_indexes_agree_with_a_model(operations in prop::collection::vec(operation(), 1..40)) {
        let engine = engine();
        // The store is opened again without having been closed, as after `kill -9`.
        run(open(&engine), &operations, || open(&engine));
    }
}
