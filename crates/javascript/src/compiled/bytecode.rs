//! The bytecode of quickjs-ng: made, written, read and run.
#![allow(unsafe_code, reason = "the library has functions for the bytecode of modules only")]

use std::ffi::CString;
use std::ptr::NonNull;

use rquickjs::{Ctx, Error, Result, Value, qjs};

/// A script that was compiled, within its isolate.
pub(super) struct Compiled<'js> {
    ctx: Ctx<'js>,
    /// A function of bytecode, which is no value for scripts.
    function: Value<'js>,
}

/// A compiled script outside of isolates.
///
/// Only [`Compiled::write`] makes it: reading other bytes could do anything.
#[derive(Debug)]
pub(super) struct Bytecode(Box<[u8]>);

/// Compiles a script of the global scope. `file` is its name in errors.
///
/// Errors: the exception of the parser; a zero character in the source.
pub(super) fn compile<'js>(ctx: &Ctx<'js>, source: &str, file: &str) -> Result<Compiled<'js>> {
    let length = source.len();
    let source = CString::new(source)?;
    let file = CString::new(file.replace('\0', " "))?;
    let flags = flags(qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_COMPILE_ONLY);
    // SAFETY: both texts end with a zero, live until the call returns, and `length` is that of the
    // first without its zero. A script that is only compiled calls no function of this process.
    let function = unsafe {
        qjs::JS_Eval(ctx.as_raw().as_ptr(), source.as_ptr(), length as qjs::size_t, file.as_ptr(), flags)
    };
    // SAFETY: the value was just made, and nobody else owns it.
    Ok(Compiled { ctx: ctx.clone(), function: unsafe { owned(ctx, function)? } })
}

impl<'js> Compiled<'js> {
    /// Returns the bytecode; `None` if there is no memory for it.
    pub(super) fn write(&self) -> Option<Bytecode> {
        let ctx = self.ctx.as_raw().as_ptr();
        let mut length: qjs::size_t = 0;
        // SAFETY: the function is alive; the call stores the length of the bytes that it returns.
        let bytes = unsafe {
            qjs::JS_WriteObject(ctx, &mut length, self.function.as_raw(), flags(qjs::JS_WRITE_OBJ_BYTECODE))
        };
        let Some(bytes) = NonNull::new(bytes) else {
            // The exception says that there is no memory. The script itself may still run.
            self.ctx.catch();
            return None;
        };
        // SAFETY: `bytes` are `length` bytes that nobody else has. They are copied, and then freed
        // by the allocator that they are from.
        unsafe {
            let copy = std::slice::from_raw_parts(bytes.as_ptr(), length as usize).into();
            qjs::js_free(ctx, bytes.as_ptr().cast());
            Some(Bytecode(copy))
        }
    }

    /// Runs the script, and returns its value.
    pub(super) fn run(self) -> Result<Value<'js>> {
        let ctx = self.ctx.clone();
        // SAFETY: the call takes one reference of the function, and `self` keeps its own until
        // afterwards. Its result belongs to the caller.
        unsafe {
            let raw = ctx.as_raw().as_ptr();
            let function = qjs::JS_DupValue(raw, self.function.as_raw());
            owned(&ctx, qjs::JS_EvalFunction(raw, function))
        }
    }
}

impl Bytecode {
    /// Returns the number of bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.len()
    }

    /// Returns the script in an isolate.
    ///
    /// Errors: the isolate has no memory for it.
    pub(super) fn read<'js>(&self, ctx: &Ctx<'js>) -> Result<Compiled<'js>> {
        // SAFETY: the bytes are bytecode that this process wrote with the same library. They are
        // copied, so they need not outlive the call.
        let function = unsafe {
            qjs::JS_ReadObject(
                ctx.as_raw().as_ptr(),
                self.0.as_ptr(),
                self.0.len() as qjs::size_t,
                flags(qjs::JS_READ_OBJ_BYTECODE),
            )
        };
        // SAFETY: the value was just made, and nobody else owns it.
        Ok(Compiled { ctx: ctx.clone(), function: unsafe { owned(ctx, function)? } })
    }
}

/// Takes a value, unless it stands for an exception.
///
/// # Safety
///
/// The value is of this context, and its reference belongs to the caller.
unsafe fn owned<'js>(ctx: &Ctx<'js>, value: qjs::JSValue) -> Result<Value<'js>> {
    // SAFETY: as above.
    unsafe {
        if qjs::JS_IsException(value) {
            return Err(Error::Exception);
        }
        Ok(Value::from_raw(ctx.clone(), value))
    }
}

fn flags(flags: u32) -> std::ffi::c_int {
    flags as std::ffi::c_int
}
