//! From JavaScript to VelocyPack, by the rules of `JSON.stringify`.

use rquickjs::function::This;
use rquickjs::{Array, Error, Exception, Function, Object, Result, String as JsString, Value};
use velocypack::{Builder, Limits};

use super::text;

/// The greatest integer from which every smaller one is exact in a double: 2^53.
const EXACT_INTEGERS: f64 = 9_007_199_254_740_992.0;

/// Returns a value as VelocyPack. A value without a form in JSON, such as a function, is null.
///
/// Errors: exceptions of `toJSON` and of getters, and values nested deeper than 200.
pub(crate) fn from_js(value: &Value<'_>) -> Result<Vec<u8>> {
    let mut builder = Builder::new();
    add(&mut builder, value, "")?;
    Ok(builder.into_vec())
}

/// Adds a value, the attribute or element `name` of another one.
fn add(builder: &mut Builder, value: &Value<'_>, name: &str) -> Result<()> {
    let added = if let Some(number) = value.as_int() {
        builder.add_i64(i64::from(number))
    } else if let Some(number) = value.as_float() {
        add_number(builder, number)
    } else if let Some(bool) = value.as_bool() {
        builder.add_bool(bool)
    } else if let Some(string) = value.as_string() {
        builder.add_str(&text(string)?)
    } else if let Some(object) = value.as_object().filter(|_| !value.is_function()) {
        return add_object(builder, object, name);
    } else if value.is_big_int() {
        add_big_integer(builder, value)?
    } else {
        builder.add_null()
    };
    added.map_err(|error| refused(value, &error))
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

fn add_object<'js>(builder: &mut Builder, object: &Object<'js>, name: &str) -> Result<()> {
    if builder.depth() >= Limits::DEFAULT_MAX_DEPTH {
        let message = format!("the value is nested deeper than {} levels", Limits::DEFAULT_MAX_DEPTH);
        return Err(Exception::throw_range(object.ctx(), &message));
    }
    let to_json: Value<'js> = object.get("toJSON")?;
    if let Some(to_json) = to_json.as_function() {
        let converted: Value<'js> = to_json.call((This(object.clone()), name))?;
        // The result's own `toJSON` does not count.
        return match converted.as_object().filter(|_| !converted.is_function()) {
            Some(object) => add_members(builder, object),
            None => add(builder, &converted, name),
        };
    }
    add_members(builder, object)
}

fn add_members<'js>(builder: &mut Builder, object: &Object<'js>) -> Result<()> {
    let failed = |error: &velocypack::Error| refused(object.as_value(), error);
    if let Some(array) = object.as_array() {
        builder.open_array().map_err(|error| failed(&error))?;
        add_elements(builder, array)?;
    } else {
        builder.open_object().map_err(|error| failed(&error))?;
        for entry in object.props::<JsString<'js>, Value<'js>>() {
            let (name, member) = entry?;
            if member.is_undefined() || member.is_function() || member.is_symbol() {
                continue;
            }
            let name = text(&name)?;
            builder.key(&name).map_err(|error| failed(&error))?;
            add(builder, &member, &name)?;
        }
    }
    builder.close().map_err(|error| failed(&error))
}

fn add_elements<'js>(builder: &mut Builder, array: &Array<'js>) -> Result<()> {
    for (index, element) in array.iter::<Value<'js>>().enumerate() {
        add(builder, &element?, &index.to_string())?;
    }
    Ok(())
}

fn refused(value: &Value<'_>, error: &velocypack::Error) -> Error {
    Exception::throw_range(value.ctx(), &error.to_string())
}
