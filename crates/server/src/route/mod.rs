//! The routes: one file an API family, one line of registration.

mod version;

use crate::http::router::Route;

/// All families.
pub(crate) const FAMILIES: &[&[Route]] = &[version::ROUTES];
