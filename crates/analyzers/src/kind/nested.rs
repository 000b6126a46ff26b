//! Analyzers inside others, which are given as `{type, properties}`.

use std::sync::Arc;

use errors::Result;
use velocypack::{Builder, Slice};

use super::{Kind, Tokenizer};
use crate::properties::Properties;
use crate::query::QueryCompiler;

/// An analyzer inside another.
#[derive(Debug)]
pub(super) struct Nested {
    kind_name: &'static str,
    kind: Arc<dyn Kind>,
}

impl Nested {
    /// Reads the value of the property `name` of the outer analyzer, or an element of it.
    pub(super) fn read(outer: &Properties<'_>, name: &str, value: Slice<'_>) -> Result<Self> {
        let text = |name| value.get(name).and_then(Slice::as_str);
        let (true, Some(kind)) = (value.is_object(), text("type")) else {
            return Err(outer.wrong(name, "made of objects with 'type' and 'properties'"));
        };
        let properties = value.get("properties").unwrap_or(Slice::NONE);
        let (kind_name, kind) = super::read(kind, properties, outer.depth() + 1)?;
        if kind.takes_values() {
            return Err(outer.wrong(name, format!("without analyzers of type '{kind_name}'")));
        }
        Ok(Self { kind_name, kind })
    }

    pub(super) fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.open_object()?;
        out.key("type")?;
        out.add_str(self.kind_name)?;
        out.key("properties")?;
        super::print_object(&*self.kind, out)?;
        out.close()
    }

    pub(super) fn open(&self, queries: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        self.kind.open(queries)
    }

    pub(super) fn runs_query(&self) -> bool {
        self.kind.runs_query()
    }

    pub(super) fn has_offsets(&self) -> bool {
        self.kind.has_offsets()
    }
}
