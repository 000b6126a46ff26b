//! WINDOW in explain.

use aql_plan::{Window, WindowBound};
use errors::Result;

use super::Explainer;
use crate::writer::Writer;

impl Explainer<'_> {
    pub(super) fn window(&self, out: &mut Writer, window: &Window) -> Result<()> {
        if let Some(range) = window.range {
            self.variable(out, "rangeVariable", range)?;
        }
        self.aggregates(out, &window.aggregates)?;
        out.key("preceding")?;
        write_bound(out, &window.preceding)?;
        out.key("following")?;
        write_bound(out, &window.following)
    }
}

fn write_bound(out: &mut Writer, bound: &WindowBound) -> Result<()> {
    match bound {
        WindowBound::Unbounded => out.text("unbounded"),
        WindowBound::Rows(rows) => out.number(*rows),
        WindowBound::Distance(distance) => out.float(*distance),
        WindowBound::Duration(duration) => out.text(duration),
    }
}
