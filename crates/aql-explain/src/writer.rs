//! A writer of JSON-like objects as VelocyPack.

use std::sync::Arc;

use aql_value::{Charge, Interrupt, MemoryAccount, Value};
use errors::Result;
use velocypack::Builder;

/// The maximum depth at which an expression is written with its operands.
///
/// Replies may not nest deeper than 200 levels, and an expression takes two per level.
pub(crate) const MAX_EXPRESSION_DEPTH: usize = 80;

/// The maximum number of operands of AND and OR that are nested, two by two.
pub(crate) const MAX_NESTED_OPERANDS: usize = 8;

/// Bytes that are written between two checks of the limits.
const BYTES_PER_CHECK: usize = 16 << 10;

/// The limits of a query, within which its description is written.
#[derive(Debug, Clone, Copy)]
pub struct WriteLimits<'a> {
    /// Charged with the description while it is written.
    pub memory: &'a Arc<MemoryAccount>,
    /// Ends the writing.
    pub interrupt: &'a Interrupt,
}

/// A writer of one value.
pub(crate) struct Writer {
    builder: Builder,
    memory: Charge,
    interrupt: Interrupt,
    /// The number of expressions around the one that is being written.
    pub(crate) depth: usize,
}

impl Writer {
    /// Returns the value that `fill` writes.
    ///
    /// Errors: 32 for too much memory, 1500 for a query that was ended, and those of `fill`.
    pub(crate) fn value(
        limits: WriteLimits<'_>,
        fill: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Value> {
        let memory = Charge::new(Arc::clone(limits.memory));
        let mut writer =
            Self { builder: Builder::new(), memory, interrupt: limits.interrupt.clone(), depth: 0 };
        fill(&mut writer)?;
        Ok(Value::from_builder(writer.builder))
    }

    /// Charges the memory of what was written since the last check, if that is much.
    fn check(&mut self) -> Result<()> {
        let written = (self.builder.len_bytes() as u64).saturating_sub(self.memory.bytes());
        if written < BYTES_PER_CHECK as u64 {
            return Ok(());
        }
        self.interrupt.check()?;
        self.memory.grow(written)
    }

    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.check()?;
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
        items.into_iter().try_for_each(|item| {
            self.check()?;
            write(self, item)
        })?;
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
        value.append_to(&mut self.builder)?;
        self.check()
    }
}
