//! A writer of the small objects that most replies are, without a check after every attribute.

use errors::Result;
use velocypack::{Builder, Slice};

/// An open object or array in a builder. The first error is kept and reported at the end.
pub struct Fields<'a> {
    builder: &'a mut Builder,
    result: &'a mut velocypack::Result<()>,
}

impl Fields<'_> {
    /// Returns the bytes of an object that `fill` writes.
    pub fn object(fill: impl FnOnce(&mut Fields<'_>)) -> Result<Vec<u8>> {
        let mut builder = Builder::with_capacity(256);
        Self::object_into(&mut builder, fill)?;
        Ok(builder.into_vec())
    }

    /// Returns the bytes of an array that `fill` writes.
    pub fn array(fill: impl FnOnce(&mut Fields<'_>)) -> Result<Vec<u8>> {
        let mut builder = Builder::with_capacity(256);
        let mut result = builder.open_array();
        fill(&mut Fields { builder: &mut builder, result: &mut result });
        result?;
        builder.close()?;
        Ok(builder.into_vec())
    }

    /// Adds an object that `fill` writes to a builder.
    pub fn object_into(builder: &mut Builder, fill: impl FnOnce(&mut Fields<'_>)) -> Result<()> {
        let mut result = builder.open_object();
        fill(&mut Fields { builder, result: &mut result });
        result?;
        builder.close()?;
        Ok(())
    }

    /// Adds attributes to an object that is already open in a builder.
    pub fn into_open_object(builder: &mut Builder, fill: impl FnOnce(&mut Fields<'_>)) -> Result<()> {
        let mut result = Ok(());
        fill(&mut Fields { builder, result: &mut result });
        Ok(result?)
    }

    fn add(&mut self, add: impl FnOnce(&mut Builder) -> velocypack::Result<()>) -> &mut Self {
        if self.result.is_ok() {
            *self.result = add(self.builder);
        }
        self
    }

    fn named(&mut self, name: &str, add: impl FnOnce(&mut Builder) -> velocypack::Result<()>) -> &mut Self {
        self.add(|builder| {
            builder.key(name)?;
            add(builder)
        })
    }

    /// Adds a string.
    pub fn text(&mut self, name: &str, value: &str) -> &mut Self {
        self.named(name, |builder| builder.add_str(value))
    }

    /// Adds an integer.
    pub fn number(&mut self, name: &str, value: impl Into<u64>) -> &mut Self {
        let value = value.into();
        self.named(name, |builder| builder.add_u64(value))
    }

    /// Adds a number with a fraction.
    pub fn double(&mut self, name: &str, value: f64) -> &mut Self {
        self.named(name, |builder| builder.add_f64(value))
    }

    /// Adds a bool.
    pub fn bool(&mut self, name: &str, value: bool) -> &mut Self {
        self.named(name, |builder| builder.add_bool(value))
    }

    /// Adds `null`.
    pub fn null(&mut self, name: &str) -> &mut Self {
        self.named(name, Builder::add_null)
    }

    /// Adds any value.
    pub fn value(&mut self, name: &str, value: Slice<'_>) -> &mut Self {
        self.named(name, |builder| builder.add_slice(value))
    }

    /// Adds an object that `fill` writes.
    pub fn child(&mut self, name: &str, fill: impl FnOnce(&mut Fields<'_>)) -> &mut Self {
        self.nested(Some(name), Builder::open_object, fill)
    }

    /// Adds an array whose elements `fill` writes with the methods without a name.
    pub fn list(&mut self, name: &str, fill: impl FnOnce(&mut Fields<'_>)) -> &mut Self {
        self.nested(Some(name), Builder::open_array, fill)
    }

    /// Adds an element to an array: a string.
    pub fn text_element(&mut self, value: &str) -> &mut Self {
        self.add(|builder| builder.add_str(value))
    }

    /// Adds an element to an array: an integer.
    pub fn number_element(&mut self, value: impl Into<u64>) -> &mut Self {
        let value = value.into();
        self.add(|builder| builder.add_u64(value))
    }

    /// Adds an element to an array: a number with a fraction.
    pub fn double_element(&mut self, value: f64) -> &mut Self {
        self.add(|builder| builder.add_f64(value))
    }

    /// Adds an element to an array: any value.
    pub fn element(&mut self, value: Slice<'_>) -> &mut Self {
        self.add(|builder| builder.add_slice(value))
    }

    /// Adds an element to an array: an object that `fill` writes.
    pub fn child_element(&mut self, fill: impl FnOnce(&mut Fields<'_>)) -> &mut Self {
        self.nested(None, Builder::open_object, fill)
    }

    /// Passes the builder to code that writes whole values itself.
    pub fn with(&mut self, write: impl FnOnce(&mut Builder) -> velocypack::Result<()>) -> &mut Self {
        self.add(write)
    }

    fn nested(
        &mut self,
        name: Option<&str>,
        open: impl FnOnce(&mut Builder) -> velocypack::Result<()>,
        fill: impl FnOnce(&mut Fields<'_>),
    ) -> &mut Self {
        self.add(|builder| {
            if let Some(name) = name {
                builder.key(name)?;
            }
            open(builder)
        });
        if self.result.is_ok() {
            fill(&mut Fields { builder: self.builder, result: self.result });
        }
        self.add(Builder::close)
    }
}
