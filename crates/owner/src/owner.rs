//! The owner of a computation.

use std::sync::Arc;

use crate::{Interrupt, MemoryAccount};

/// The request, task or query for which something is computed. It can end the computation, and its
/// account is charged.
#[derive(Clone, Debug)]
pub struct Owner {
    /// The interrupt that ends the computation.
    pub interrupt: Interrupt,
    /// The account that is charged for the memory of the computation.
    pub memory: Arc<MemoryAccount>,
}
