//! The registry of all metrics of a server.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Metric, Page, Section};

/// Writes the metrics of one owner.
type Writer = dyn Fn(&mut Page) + Send + Sync;

/// All metrics of a server, each registered by its owner.
#[derive(Default)]
pub struct Registry {
    writers: Mutex<Vec<Arc<Writer>>>,
}

impl Registry {
    /// Registers metrics whose values are read from `source`.
    pub fn register<T>(&self, section: Section, metrics: &'static [Metric<T>], source: &Arc<T>)
    where
        T: ?Sized + Send + Sync + 'static,
    {
        let source = Arc::clone(source);
        self.register_writer(move |page| page.write_all(section, metrics, &*source));
    }

    /// Registers metrics whose values are read together: `take` reads them once for each page.
    pub fn register_reading<T: 'static>(
        &self,
        section: Section,
        metrics: &'static [Metric<T>],
        take: impl Fn() -> T + Send + Sync + 'static,
    ) {
        self.register_writer(move |page| page.write_all(section, metrics, &take()));
    }

    /// Registers a function that writes metrics, for those whose names or sections are not known
    /// before.
    pub fn register_writer(&self, write: impl Fn(&mut Page) + Send + Sync + 'static) {
        self.writers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(write));
    }

    /// Returns the page of all metrics in Prometheus' text format.
    pub fn page(&self) -> String {
        let writers = self.writers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut page = Page::default();
        writers.iter().for_each(|write| write(&mut page));
        page.finish()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Registry").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counter, Histogram, Value, labels};

    struct Owner {
        commits: Counter,
        waits: Histogram<2>,
    }

    const COMMITS: &[Metric<Owner>] =
        &[Metric::counter("commits_total", "Total number of commits.", |owner| (&owner.commits).into())];

    const WAITS: &[Metric<Owner>] =
        &[Metric::histogram("wait_time", "Seconds of waits.", |owner| (&owner.waits).into())];

    const SIZES: &[Metric<u64>] = &[Metric::gauge("size", "Size in bytes.", |size| {
        Value::Labelled(vec![
            (labels(&[("part", "a")]), (*size).into()),
            (labels(&[("part", "b")]), 0.5.into()),
        ])
    })];

    #[test]
    fn the_page_has_all_metrics_in_the_order_of_sections() {
        let registry = Registry::default();
        let owner = Arc::new(Owner { commits: Counter::new(), waits: Histogram::of_numbers(&[1.0, 2.5]) });
        registry.register(Section::Locks, WAITS, &owner);
        registry.register_reading(Section::Engine, SIZES, || 7);
        registry.register(Section::Commits, COMMITS, &owner);
        owner.commits.add(2);
        [1, 2, 3].iter().for_each(|value| owner.waits.add(*value));
        let expected = "# HELP commits_total Total number of commits.\n# TYPE commits_total counter\n\
            commits_total 2\n# HELP size Size in bytes.\n# TYPE size gauge\nsize{part=\"a\"} 7\n\
            size{part=\"b\"} 0.5\n# HELP wait_time Seconds of waits.\n# TYPE wait_time histogram\n\
            wait_time_bucket{le=\"1\"} 1\nwait_time_bucket{le=\"2.5\"} 2\n\
            wait_time_bucket{le=\"+Inf\"} 3\nwait_time_sum 6\nwait_time_count 3\n";
        assert_eq!(registry.page(), expected);
    }
}
