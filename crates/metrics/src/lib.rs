//! Metrics: the handles that hot paths count with, and the page that shows them in Prometheus' text
//! format.
//!
//! Each layer has one file `metrics.rs`. It owns the handles ([`Counter`], [`Gauge`],
//! [`Histogram`]) and a table of [`Metric`]s, in which name, help text and value of each stand
//! together. The layer registers its tables with a [`Registry`], which the server prints.
//!
//! A value that is only known when the page is written, such as a size or the number of open
//! things, is a metric whose function reads it then.
//!
//! Handles count with relaxed atomics and without locks.

mod handle;
mod histogram;
mod labels;
mod value;
mod metric;
mod section;
mod page;
mod registry;

pub use handle::{Counter, Gauge};
pub use histogram::{Histogram, Summary};
pub use labels::labels;
pub use metric::{Kind, Metric};
pub use page::Page;
pub use registry::Registry;
pub use section::Section;
pub use value::Value;
