//! Writing JSON-like objects as VelocyPack.

use aql_value::{Result, Value};
use velocypack::Builder;

/// Deepest expression that is written out in full; deeper parts are written without their operands, because replies
/// may not nest deeper than 200 levels and an expression takes two a level.
pub(super) const MAX_EXPRESSION_DEPTH: usize = 80;

/// Writes one value.
pub(super) struct Writer {
    builder: Builder,
    /// Expressions around the one being written.
    pub(super) depth: usize,
}

impl Writer {
    /// The value that `fill` writes.
    pub(super) fn value(fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<Value> {
        let mut writer = Self { builder: Builder::new(), depth: 0 };
        fill(&mut writer)?;
        Ok(Value::from_builder(writer.builder))
    }

    pub(super) fn object(&mut self, fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.builder.open_object()?;
        fill(self)?;
        Ok(self.builder.close()?)
    }

    pub(super) fn array<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        self.builder.open_array()?;
        items.into_iter().try_for_each(|item| write(self, item))?;
        Ok(self.builder.close()?)
    }

    /// An array whose members `fill` writes.
    pub(super) fn list(&mut self, fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.builder.open_array()?;
        fill(self)?;
        Ok(self.builder.close()?)
    }

    /// The name of the member that is written next.
    pub(super) fn key(&mut self, name: &str) -> Result<&mut Self> {
        self.builder.key(name)?;
        Ok(self)
    }

    pub(super) fn text(&mut self, text: &str) -> Result<()> {
        Ok(self.builder.add_str(text)?)
    }

    pub(super) fn flag(&mut self, value: bool) -> Result<()> {
        Ok(self.builder.add_bool(value)?)
    }

    pub(super) fn number(&mut self, value: u64) -> Result<()> {
        Ok(self.builder.add_u64(value)?)
    }

    /// Whole numbers are written as such.
    pub(super) fn float(&mut self, value: f64) -> Result<()> {
        Value::from_f64(value).append_to(&mut self.builder)
    }

    pub(super) fn null(&mut self) -> Result<()> {
        Ok(self.builder.add_null()?)
    }

    pub(super) fn raw(&mut self, value: &Value) -> Result<()> {
        value.append_to(&mut self.builder)
    }
}
