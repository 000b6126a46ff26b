//! From JavaScript to VelocyPack, by the rules of `JSON.stringify`.

use rquickjs::function::This;
use rquickjs::{Coerced, Ctx, Error, Exception, Function, Object, Result, String as JsString, Value};
use velocypack::{Builder, Limits};

use super::text;
use crate::stop::Stop;

/// The greatest integer from which every smaller one is exact in a double: 2^53.
const EXACT_INTEGERS: f64 = 9_007_199_254_740_992.0;

/// The bytes that a value takes in addition to its text: its tag and numbers, and its place in a
/// table.
const VALUE_BYTES: usize = 16;

/// The number of values between two checks of the reasons to end.
const VALUES_PER_LOOK: usize = 1024;

/// Returns a value as VelocyPack. A value without a form in JSON, such as a function, is null.
///
/// A small value may have a huge form: an array may have a length only, or one text many times. So
/// `bytes_max` bounds the form. Errors: exceptions of `toJSON` and of getters, values nested deeper
/// than 200 or beyond the bound, and the end of the script.
pub(crate) fn from_js(value: &Value<'_>, stop: &Stop, bytes_max: usize) -> Result<Vec<u8>> {
    let mut writer = Writer { builder: Builder::new(), stop, bytes_left: bytes_max, values: 0 };
    writer.add(value, "")?;
    Ok(writer.builder.into_vec())
}

/// A form under construction.
struct Writer<'a> {
    builder: Builder,
    stop: &'a Stop,
    bytes_left: usize,
    values: usize,
}

impl Writer<'_> {
    /// Takes the bytes of a value with a text of this length.
    fn charge(&mut self, ctx: &Ctx<'_>, text_bytes: usize) -> Result<()> {
        self.values += 1;
        if self.values.is_multiple_of(VALUES_PER_LOOK) && self.stop.is_due() {
            return Err(Exception::throw_internal(ctx, "interrupted"));
        }
        match self.bytes_left.checked_sub(text_bytes.saturating_add(VALUE_BYTES)) {
            Some(left) => self.bytes_left = left,
            None => return Err(Exception::throw_range(ctx, "the value takes too much memory")),
        }
        Ok(())
    }

    /// Adds a value, the attribute or element `name` of another one.
    fn add(&mut self, value: &Value<'_>, name: &str) -> Result<()> {
        let ctx = value.ctx();
        self.charge(ctx, 0)?;
        let builder = &mut self.builder;
        let added = if let Some(number) = value.as_int() {
            builder.add_i64(i64::from(number))
        } else if let Some(number) = value.as_float() {
            add_number(builder, number)
        } else if let Some(bool) = value.as_bool() {
            builder.add_bool(bool)
        } else if let Some(string) = value.as_string() {
            let string = text(string)?;
            self.charge(ctx, string.len())?;
            self.builder.add_str(&string)
        } else if let Some(object) = value.as_object().filter(|_| !value.is_function()) {
            return self.add_object(object, name);
        } else if value.is_big_int() {
            add_big_integer(builder, value)?
        } else {
            builder.add_null()
        };
        added.map_err(|error| refused(ctx, &error))
    }

    fn add_object<'js>(&mut self, object: &Object<'js>, name: &str) -> Result<()> {
        if self.builder.depth() >= Limits::DEFAULT_MAX_DEPTH {
            let message = format!("the value is nested deeper than {} levels", Limits::DEFAULT_MAX_DEPTH);
            return Err(Exception::throw_range(object.ctx(), &message));
        }
        let to_json: Value<'js> = object.get("toJSON")?;
        if let Some(to_json) = to_json.as_function() {
            let converted: Value<'js> = to_json.call((This(object.clone()), name))?;
            // The result's own `toJSON` does not count.
            return match converted.as_object().filter(|_| !converted.is_function()) {
                Some(object) => self.add_members(object),
                None => self.add(&converted, name),
            };
        }
        self.add_members(object)
    }

    fn add_members<'js>(&mut self, object: &Object<'js>) -> Result<()> {
        let ctx = object.ctx();
        if object.is_array() {
            self.builder.open_array().map_err(|error| refused(ctx, &error))?;
            self.add_elements(object)?;
        } else {
            self.builder.open_object().map_err(|error| refused(ctx, &error))?;
            self.add_attributes(object)?;
        }
        self.builder.close().map_err(|error| refused(ctx, &error))
    }

    /// Adds the elements of an array, or of a proxy of one, whose length may be anything.
    fn add_elements<'js>(&mut self, array: &Object<'js>) -> Result<()> {
        let length: Coerced<f64> = array.get("length")?;
        let mut index = 0_u32;
        while f64::from(index) < length.0 {
            let element: Value<'js> = array.get(index)?;
            self.add(&element, &index.to_string())?;
            index += 1;
        }
        Ok(())
    }

    fn add_attributes<'js>(&mut self, object: &Object<'js>) -> Result<()> {
        let ctx = object.ctx();
        for entry in object.props::<JsString<'js>, Value<'js>>() {
            let (name, member) = entry?;
            if member.is_undefined() || member.is_function() || member.is_symbol() {
                continue;
            }
            let name = text(&name)?;
            self.charge(ctx, name.len())?;
            self.builder.key(&name).map_err(|error| refused(ctx, &error))?;
            self.add(&member, &name)?;
        }
        Ok(())
    }
}

fn add_number(builder: &mut Builder, number: f64) -> velocypack::Result<()> {
    if !number.is_finite() {
        return builder.add_null();
    }
    let is_negative_zero = number == 0.0 && number.is_sign_negative();
    if number.fract() == 0.0 && number.abs() <= EXACT_INTEGERS && !is_negative_zero {
        return builder.add_i64(number as i64);
    }
    builder.add_f64(number)
}

/// Adds a `BigInt` as an integer, or as a double if it has more than 64 bits.
fn add_big_integer(builder: &mut Builder, value: &Value<'_>) -> Result<velocypack::Result<()>> {
    let to_string: Function<'_> = value.ctx().globals().get("String")?;
    let digits: String = to_string.call((value.clone(),))?;
    Ok(match (digits.parse::<i64>(), digits.parse::<u64>()) {
        (Ok(number), _) => builder.add_i64(number),
        (_, Ok(number)) => builder.add_u64(number),
        _ => add_number(builder, digits.parse().unwrap_or_default()),
    })
}

fn refused(ctx: &Ctx<'_>, error: &velocypack::Error) -> Error {
    Exception::throw_range(ctx, &error.to_string())
}
