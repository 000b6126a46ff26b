//! A writer of JSON-like objects as VelocyPack.

use aql_value::Value;
use errors::Result;
use velocypack::Builder;

/// The greatest depth at which an expression is written with its operands.
///
/// Replies may not nest deeper than 200 levels, and an expression takes two per level.
pub(crate) const MAX_EXPRESSION_DEPTH: usize = 80;

/// The greatest number of operands of AND and OR that are nested, two by two.
pub(crate) const MAX_NESTED_OPERANDS: usize = 8;

/// A writer of one value.
pub(crate) struct Writer {
    builder: Builder,
    /// The number of expressions around the one that is being written.
    pub(crate) depth: usize,
}

impl Writer {
    /// Returns the value that `fill` writes.
    pub(crate) fn value(fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<Value> {
        let mut writer = Self { builder: Builder::new(), depth: 0 };
        fill(&mut writer)?;
        Ok(Value::from_builder(writer.builder))
    }

    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.builder.open_object()?;
        fill(self)?;
        Ok(self.builder.close()?)
    }

    pub(crate) fn array<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        self.builder.open_array()?;
        items.into_iter().try_for_each(|item| write(self, item))?;
        Ok(self.builder.close()?)
    }

    /// Writes an array whose members `fill` writes.
    pub(crate) fn list(&mut self, fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.builder.open_array()?;
        fill(self)?;
        Ok(self.builder.close()?)
    }

    /// Writes the name of the next member.
    pub(crate) fn key(&mut self, name: &str) -> Result<&mut Self> {
        self.builder.key(name)?;
        Ok(self)
    }

    pub(crate) fn text(&mut self, text: &str) -> Result<()> {
        Ok(self.builder.add_str(text)?)
    }

    pub(crate) fn flag(&mut self, value: bool) -> Result<()> {
        Ok(self.builder.add_bool(value)?)
    }

    pub(crate) fn number(&mut self, value: u64) -> Result<()> {
        Ok(self.builder.add_u64(value)?)
    }

    /// Writes a double; null if it is not finite.
    pub(crate) fn float(&mut self, value: f64) -> Result<()> {
        Value::from_f64(value).append_to(&mut self.builder)
    }

    pub(crate) fn null(&mut self) -> Result<()> {
        Ok(self.builder.add_null()?)
    }

    pub(crate) fn raw(&mut self, value: &Value) -> Result<()> {
        value.append_to(&mut self.builder)
    }
}
