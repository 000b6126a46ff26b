//! One call of a native function: its arguments, and the host.

use errors::{Error, ErrorCode};
use rquickjs::{Array, Ctx, IntoJs, Object, String as JsString, TypedArray, Value};

use super::Core;
use crate::value;
use crate::{Files, Host, HostError};

/// The result of a native function.
pub(crate) type NativeResult<T> = Result<T, NativeError>;

/// The reason why a native function failed.
pub(crate) enum NativeError {
    /// An exception, already thrown, or a wrong argument.
    Js(rquickjs::Error),
    /// An error of the host.
    Host(HostError),
}

impl From<rquickjs::Error> for NativeError {
    fn from(error: rquickjs::Error) -> Self {
        NativeError::Js(error)
    }
}

impl From<HostError> for NativeError {
    fn from(error: HostError) -> Self {
        NativeError::Host(error)
    }
}

impl From<Error> for NativeError {
    fn from(error: Error) -> Self {
        NativeError::Host(HostError::Thrown(error))
    }
}

/// One call of a native function.
pub(crate) struct Call<'a, 'js> {
    pub(crate) ctx: &'a Ctx<'js>,
    pub(crate) core: &'a Core,
    pub(crate) arguments: Vec<Value<'js>>,
}

impl<'js> Call<'_, 'js> {
    /// Returns the host.
    pub(crate) fn host(&self) -> &dyn Host {
        &*self.core.host
    }

    /// Returns the file system. Error: 11, if the host has none for scripts.
    pub(crate) fn files(&self) -> NativeResult<&dyn Files> {
        self.host().files().ok_or_else(|| forbidden("files"))
    }

    /// Returns an argument; none if it is missing, undefined or null.
    pub(crate) fn value(&self, index: usize) -> Option<&Value<'js>> {
        self.arguments.get(index).filter(|value| !value.is_undefined() && !value.is_null())
    }

    /// Returns an argument that is a string. Error: 10.
    pub(crate) fn text(&self, index: usize) -> NativeResult<String> {
        match self.value(index).and_then(Value::as_string) {
            Some(string) => Ok(value::text(string)?),
            None => Err(self.wrong(index, "a string").into()),
        }
    }

    /// Returns an argument that is a string or missing.
    pub(crate) fn optional_text(&self, index: usize) -> NativeResult<Option<String>> {
        self.value(index).map(|_| self.text(index)).transpose()
    }

    /// Returns an argument that is an array of strings. Error: 10.
    pub(crate) fn texts(&self, index: usize) -> NativeResult<Vec<String>> {
        let wrong = || self.wrong(index, "an array of strings");
        let array = self.value(index).and_then(Value::as_array).ok_or_else(wrong)?;
        let mut texts = Vec::with_capacity(array.len());
        for text in array.iter::<Value<'js>>() {
            let text = text?;
            texts.push(value::text(text.as_string().ok_or_else(wrong)?)?);
        }
        Ok(texts)
    }

    /// Returns an argument that is a number. Error: 10.
    pub(crate) fn number(&self, index: usize) -> NativeResult<f64> {
        let number = self.value(index).and_then(Value::as_number);
        number.ok_or_else(|| self.wrong(index, "a number").into())
    }

    /// Returns true if an argument is `true`.
    pub(crate) fn flag(&self, index: usize) -> bool {
        self.value(index).and_then(Value::as_bool).unwrap_or_default()
    }

    /// Returns the bytes of an argument, a string or an `Uint8Array`; none if it is missing.
    pub(crate) fn bytes(&self, index: usize) -> NativeResult<Vec<u8>> {
        let Some(value) = self.value(index) else { return Ok(Vec::new()) };
        match value::bytes(value) {
            Some(bytes) => Ok(bytes),
            None => Ok(self.text(index)?.into_bytes()),
        }
    }

    /// Returns an argument that is an object of texts, as headers are.
    pub(crate) fn pairs(&self, index: usize) -> NativeResult<Vec<(String, String)>> {
        let Some(object) = self.value(index).and_then(Value::as_object) else { return Ok(Vec::new()) };
        let mut pairs = Vec::new();
        for entry in object.props::<JsString<'js>, rquickjs::Coerced<String>>() {
            let (name, text) = entry?;
            pairs.push((value::text(&name)?.to_ascii_lowercase(), text.0));
        }
        Ok(pairs)
    }

    /// Returns a value for the script.
    pub(crate) fn give(&self, value: impl IntoJs<'js>) -> NativeResult<Value<'js>> {
        Ok(value.into_js(self.ctx)?)
    }

    /// Returns `undefined`.
    pub(crate) fn nothing(&self) -> Value<'js> {
        Value::new_undefined(self.ctx.clone())
    }

    /// Returns an `Uint8Array`.
    pub(crate) fn give_bytes(&self, bytes: Vec<u8>) -> NativeResult<Value<'js>> {
        Ok(TypedArray::<u8>::new(self.ctx.clone(), bytes)?.into_value())
    }

    /// Returns an object of texts.
    pub(crate) fn give_pairs(&self, pairs: &[(String, String)]) -> NativeResult<Object<'js>> {
        let object = Object::new(self.ctx.clone())?;
        for (name, text) in pairs {
            object.set(name.as_str(), text.as_str())?;
        }
        Ok(object)
    }

    /// Returns an array of texts.
    pub(crate) fn give_list<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> NativeResult<Value<'js>> {
        let array = Array::new(self.ctx.clone())?;
        for (index, text) in texts.into_iter().enumerate() {
            array.set(index, text)?;
        }
        Ok(array.into_value())
    }

    fn wrong(&self, index: usize, expected: &str) -> Error {
        let found = self.arguments.get(index).map_or("nothing", Value::type_name);
        Error::bad_parameter(format!("argument {} must be {expected}, not {found}", index + 1))
    }
}

/// Returns the error of a capability that scripts do not have here.
pub(crate) fn forbidden(capability: &str) -> NativeError {
    Error::new(ErrorCode::Forbidden, format!("scripts may not use {capability} here")).into()
}
