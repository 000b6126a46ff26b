//! A writer of JSON text that cannot fail. Values of other parts are copied as they are.

use velocypack::{Slice, json};

/// An open object in a text.
#[derive(Debug)]
pub struct Object<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

/// An open array in a text.
#[derive(Debug)]
pub struct Array<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl Object<'_> {
    /// Returns the text of an object that `fill` writes.
    pub fn whole(fill: impl FnOnce(&mut Object<'_>)) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        Object::write(&mut out, fill);
        out
    }

    fn write(out: &mut Vec<u8>, fill: impl FnOnce(&mut Object<'_>)) {
        out.push(b'{');
        fill(&mut Object { out, is_empty: true });
        out.push(b'}');
    }

    fn named(&mut self, name: &str) -> &mut Vec<u8> {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(b',');
        }
        json::write_str(name, self.out);
        self.out.push(b':');
        self.out
    }

    /// Adds a string.
    pub fn text(&mut self, name: &str, value: &str) -> &mut Self {
        json::write_str(value, self.named(name));
        self
    }

    /// Adds a non-negative integer.
    pub fn number(&mut self, name: &str, value: impl Into<u64>) -> &mut Self {
        json::write_u64(value.into(), self.named(name));
        self
    }

    /// Adds a number with a fraction; null if it is not finite.
    pub fn double(&mut self, name: &str, value: f64) -> &mut Self {
        match value.is_finite() {
            true => json::write_f64(value, self.named(name)),
            false => self.named(name).extend_from_slice(b"null"),
        }
        self
    }

    /// Adds a bool.
    pub fn bool(&mut self, name: &str, value: bool) -> &mut Self {
        self.raw(name, if value { b"true" } else { b"false" })
    }

    /// Adds null.
    pub fn null(&mut self, name: &str) -> &mut Self {
        self.raw(name, b"null")
    }

    /// Adds a value.
    pub fn value(&mut self, name: &str, value: Slice<'_>) -> &mut Self {
        json::write(value, None, self.named(name));
        self
    }

    /// Adds text that is JSON already.
    pub fn raw(&mut self, name: &str, json: &[u8]) -> &mut Self {
        self.named(name).extend_from_slice(json);
        self
    }

    /// Adds an object that `fill` writes.
    pub fn child(&mut self, name: &str, fill: impl FnOnce(&mut Object<'_>)) -> &mut Self {
        Object::write(self.named(name), fill);
        self
    }

    /// Adds an array that `fill` writes.
    pub fn list(&mut self, name: &str, fill: impl FnOnce(&mut Array<'_>)) -> &mut Self {
        Array::write(self.named(name), fill);
        self
    }

    /// Adds an array of strings.
    pub fn texts<'t>(&mut self, name: &str, texts: impl IntoIterator<Item = &'t str>) -> &mut Self {
        self.list(name, |array| {
            texts.into_iter().for_each(|text| {
                array.text(text);
            })
        })
    }
}

impl Array<'_> {
    /// Returns the text of an array that `fill` writes.
    pub fn whole(fill: impl FnOnce(&mut Array<'_>)) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        Array::write(&mut out, fill);
        out
    }

    fn write(out: &mut Vec<u8>, fill: impl FnOnce(&mut Array<'_>)) {
        out.push(b'[');
        fill(&mut Array { out, is_empty: true });
        out.push(b']');
    }

    fn next(&mut self) -> &mut Vec<u8> {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(b',');
        }
        self.out
    }

    /// Adds a string.
    pub fn text(&mut self, value: &str) -> &mut Self {
        json::write_str(value, self.next());
        self
    }

    /// Adds text that is JSON already.
    pub fn raw(&mut self, json: &[u8]) -> &mut Self {
        self.next().extend_from_slice(json);
        self
    }

    /// Adds an object that `fill` writes.
    pub fn object(&mut self, fill: impl FnOnce(&mut Object<'_>)) -> &mut Self {
        Object::write(self.next(), fill);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_values_are_separated() {
        let text = Object::whole(|object| {
            object.text("a", "x\"y").number("b", 3u8).double("c", f64::NAN).bool("d", true).null("e");
            object.list("f", |array| {
                array
                    .text("g")
                    .object(|object| {
                        object.number("h", 1u8);
                    })
                    .raw(b"[]");
            });
            object.child("i", |_| {}).texts("j", ["k", "l"]);
        });
        let expected =
            r#"{"a":"x\"y","b":3,"c":null,"d":true,"e":null,"f":["g",{"h":1},[]],"i":{},"j":["k","l"]}"#;
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
