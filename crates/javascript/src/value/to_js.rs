//! From VelocyPack to JavaScript.

use rquickjs::object::Property;
use rquickjs::{Array, Ctx, Object, Result, String as JsString, Value};
use velocypack::{Kind, Slice};

/// The only attribute name that assignment does not create.
const PROTOTYPE: &str = "__proto__";

/// Returns a value as JavaScript's.
pub(crate) fn to_js<'js>(ctx: &Ctx<'js>, value: Slice<'_>) -> Result<Value<'js>> {
    Ok(match value.kind() {
        Kind::Bool => Value::new_bool(ctx.clone(), value.as_bool().unwrap_or_default()),
        Kind::Array => array(ctx, value)?.into_value(),
        Kind::Object => object(ctx, value)?.into_value(),
        Kind::Null | Kind::None => Value::new_null(ctx.clone()),
        _ => match (value.as_str(), value.as_f64(), value.as_utc_date()) {
            (Some(text), ..) => JsString::from_str(ctx.clone(), text)?.into_value(),
            (None, Some(number), _) => Value::new_number(ctx.clone(), number),
            (None, None, Some(milliseconds)) => Value::new_number(ctx.clone(), milliseconds as f64),
            (None, None, None) => Value::new_null(ctx.clone()),
        },
    })
}

fn array<'js>(ctx: &Ctx<'js>, value: Slice<'_>) -> Result<Array<'js>> {
    let array = Array::new(ctx.clone())?;
    for (index, element) in value.elements().enumerate() {
        array.set(index, to_js(ctx, element)?)?;
    }
    Ok(array)
}

fn object<'js>(ctx: &Ctx<'js>, value: Slice<'_>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    for (name, member) in value.entries() {
        let member = to_js(ctx, member)?;
        if name == PROTOTYPE {
            object.prop(name, Property::from(member).writable().enumerable().configurable())?;
        } else {
            object.set(name, member)?;
        }
    }
    Ok(object)
}
