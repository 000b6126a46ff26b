//! Readers of the properties that a client sends, and a printer of the catalog's own.
//!
//! Only this module knows how VelocyPack is read and built.

use errors::{Error, Result};
use velocypack::{Builder, Slice};

/// An object of named properties. `null` counts as missing; unknown names are ignored.
#[derive(Clone, Copy)]
pub(crate) struct Properties<'a> {
    object: Slice<'a>,
}

impl<'a> Properties<'a> {
    /// Returns the properties of a value.
    ///
    /// Errors: 10 unless the value is an object.
    pub(crate) fn of(value: Slice<'a>, what: &str) -> Result<Self> {
        if value.is_object() {
            return Ok(Properties { object: value });
        }
        Err(Error::bad_parameter(format!("expecting an object for {what}")))
    }

    /// Returns the property's value, unless it is missing or null.
    pub(crate) fn value(&self, name: &str) -> Option<Slice<'a>> {
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// Returns the property's value, even if it is null.
    pub(crate) fn given(&self, name: &str) -> Option<Slice<'a>> {
        self.object.get(name)
    }

    pub(crate) fn as_slice(&self) -> Slice<'a> {
        self.object
    }

    pub(crate) fn boolean(&self, name: &str) -> Result<Option<bool>> {
        self.typed(name, "a boolean", |value| value.as_bool())
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>> {
        self.typed(name, "a string", |value| value.as_str())
    }

    /// Reads a whole number that is at least 0.
    pub(crate) fn unsigned(&self, name: &str) -> Result<Option<u64>> {
        self.typed(name, "a non-negative integer", whole_number)
    }

    /// Reads a finite number.
    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>> {
        self.typed(name, "a number", |value| value.as_f64().filter(|number| number.is_finite()))
    }

    pub(crate) fn array(&self, name: &str) -> Result<Option<Slice<'a>>> {
        self.typed(name, "an array", |value| value.is_array().then_some(*value))
    }

    pub(crate) fn object(&self, name: &str) -> Result<Option<Properties<'a>>> {
        self.typed(name, "an object", |value| value.is_object().then_some(Properties { object: *value }))
    }

    fn typed<T>(&self, name: &str, what: &str, read: impl Fn(&Slice<'a>) -> Option<T>) -> Result<Option<T>> {
        let Some(value) = self.value(name) else { return Ok(None) };
        match read(&value) {
            Some(read) => Ok(Some(read)),
            None => Err(Error::bad_parameter(format!("expecting {what} for attribute '{name}'"))),
        }
    }
}

/// Returns a non-negative number without a fraction, however it was written (`3`, `3.0`).
fn whole_number(value: &Slice<'_>) -> Option<u64> {
    /// The limit from which a double no longer holds every integer.
    const EXACT_LIMIT: f64 = 9_007_199_254_740_992.0;
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    let number = value.as_f64()?;
    ((0.0..EXACT_LIMIT).contains(&number) && number.fract() == 0.0).then_some(number as u64)
}

/// A printer of one object's attributes. It keeps the first error and then prints nothing more.
pub(crate) struct Printer<'a> {
    builder: &'a mut Builder,
    outcome: velocypack::Result<()>,
}

impl Printer<'_> {
    /// Prints into an object that is open in `builder`.
    ///
    /// Errors: 4 if no object is open, or if an attribute exists already.
    pub(crate) fn print(builder: &mut Builder, print: impl FnOnce(&mut Printer<'_>)) -> Result<()> {
        let mut printer = Printer { builder, outcome: Ok(()) };
        print(&mut printer);
        let into_error = |error| Error::internal(error);
        printer.outcome.map_err(into_error)
    }

    fn add(&mut self, name: &str, add: impl FnOnce(&mut Builder) -> velocypack::Result<()>) {
        if self.outcome.is_ok() {
            self.outcome = self.builder.key(name).and_then(|()| add(self.builder));
        }
    }

    pub(crate) fn text(&mut self, name: &str, value: &str) {
        self.add(name, |builder| builder.add_str(value));
    }

    pub(crate) fn boolean(&mut self, name: &str, value: bool) {
        self.add(name, |builder| builder.add_bool(value));
    }

    pub(crate) fn unsigned(&mut self, name: &str, value: u64) {
        self.add(name, |builder| builder.add_u64(value));
    }

    pub(crate) fn double(&mut self, name: &str, value: f64) {
        self.add(name, |builder| builder.add_f64(value));
    }

    pub(crate) fn null(&mut self, name: &str) {
        self.add(name, Builder::add_null);
    }

    /// Prints the attributes of an analyzer's definition.
    pub(crate) fn definition(&mut self, definition: &analyzers::Definition) {
        if self.outcome.is_ok() {
            self.outcome = definition.print(self.builder);
        }
    }

    pub(crate) fn slice(&mut self, name: &str, value: Slice<'_>) {
        self.add(name, |builder| builder.add_slice(value));
    }

    pub(crate) fn object(&mut self, name: &str, print: impl FnOnce(&mut Printer<'_>)) {
        self.add(name, |builder| print_object(builder, print));
    }

    pub(crate) fn objects<T>(&mut self, name: &str, items: &[T], print: impl Fn(&T, &mut Printer<'_>)) {
        self.add(name, |builder| {
            builder.open_array()?;
            for item in items {
                print_object(builder, |printer| print(item, printer))?;
            }
            builder.close()
        });
    }

    pub(crate) fn texts<T: AsRef<str>>(&mut self, name: &str, texts: impl IntoIterator<Item = T>) {
        self.add(name, |builder| {
            builder.open_array()?;
            for text in texts {
                builder.add_str(text.as_ref())?;
            }
            builder.close()
        });
    }
}

fn print_object(builder: &mut Builder, print: impl FnOnce(&mut Printer<'_>)) -> velocypack::Result<()> {
    builder.open_object()?;
    let mut printer = Printer { builder: &mut *builder, outcome: Ok(()) };
    print(&mut printer);
    printer.outcome?;
    builder.close()
}
