//! Texts and bytes of JavaScript.

use rquickjs::function::This;
use rquickjs::{Error, Function, Object, Result, String as JsString, TypedArray, Value};

/// Returns a string as UTF-8. Halves of surrogate pairs become U+FFFD.
pub(crate) fn text(string: &JsString<'_>) -> Result<String> {
    match string.to_string() {
        Err(Error::Utf8(_)) => {
            let prototype: Object<'_> =
                string.ctx().globals().get::<_, Object<'_>>("String")?.get("prototype")?;
            let well_formed: Function<'_> = prototype.get("toWellFormed")?;
            well_formed.call::<_, JsString<'_>>((This(string.clone()),))?.to_string()
        }
        done => done,
    }
}

/// Returns the content of an `Uint8Array`, or none if the value is something else.
#[allow(unsafe_code, reason = "the library gives the bytes of an array only as a pointer")]
pub(crate) fn bytes(value: &Value<'_>) -> Option<Vec<u8>> {
    let array: TypedArray<'_, u8> = TypedArray::from_value(value.clone()).ok()?;
    // SAFETY: no JavaScript runs until the bytes are copied.
    unsafe { array.as_bytes() }.map(<[u8]>::to_vec)
}
