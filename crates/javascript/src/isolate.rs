//! A JavaScript runtime with limits.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use rquickjs::context::EvalOptions;
use rquickjs::function::Args;
use rquickjs::{
    CatchResultExt, Context, Ctx, Exception, Function, Object, Persistent, Runtime, TypedArray, Value,
};
use velocypack::Slice;

use crate::allocator::StoppingAllocator;
use crate::failure::OWN_PREFIX;
use crate::native::{self, Core};
use crate::packages::Packages;
use crate::stop::Stop;
use crate::thrown::{failure, rejected};
use crate::{Failure, Host, Limits, modules, value};

/// The result of [`Isolate::exchange`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchanged {
    /// The value, as VelocyPack.
    pub value: Vec<u8>,
    /// The body; empty without one.
    pub body: Vec<u8>,
}

/// A JavaScript runtime with limits. Its scripts share one global scope.
///
/// It stays on the thread that made it, and holds about 200 KiB before the first script.
pub struct Isolate {
    /// `require` for the names of embedded modules. It is dropped before the runtime.
    pub(crate) require: Persistent<Function<'static>>,
    core: Rc<Core>,
    pub(crate) context: Context,
    runtime: Runtime,
    stop: Rc<Stop>,
    memory_bytes: usize,
}

impl Isolate {
    /// Makes a runtime. Setting `interrupt` ends the script that runs, within a few milliseconds.
    ///
    /// Errors: the limits leave no memory for the runtime itself.
    pub fn new(host: Box<dyn Host>, limits: &Limits, interrupt: Arc<AtomicBool>) -> Result<Self, Failure> {
        let stop = Rc::new(Stop::new(interrupt, limits.deadline));
        let made = |_| Failure::OutOfMemory;
        let runtime = Runtime::new_with_alloc(StoppingAllocator::new(Rc::clone(&stop))).map_err(made)?;
        runtime.set_memory_limit(limits.memory_bytes);
        runtime.set_max_stack_size(limits.stack_bytes);
        let handler = Rc::clone(&stop);
        runtime.set_interrupt_handler(Some(Box::new(move || handler.is_due())));
        let rejections = Rc::clone(&stop);
        runtime.set_host_promise_rejection_tracker(Some(Box::new(move |_, promise, reason, is_handled| {
            rejected(&rejections, &promise, &reason, is_handled);
        })));
        let context = Context::full(&runtime).map_err(made)?;
        let core = Rc::new(Core { host, stop: Rc::clone(&stop), packages: Packages::default() });
        let require = context.with(|ctx| {
            let require = bootstrap(&ctx, &core).catch(&ctx).map_err(|error| failure(&stop, &error))?;
            Ok(Persistent::save(&ctx, require))
        })?;
        Ok(Isolate { require, core, context, runtime, stop, memory_bytes: limits.memory_bytes })
    }

    /// Changes the moment at which a running script ends.
    pub fn set_deadline(&self, deadline: Option<Instant>) {
        self.stop.set_deadline(deadline);
    }

    /// Runs a script in the global scope. `file` is its name in errors.
    pub fn run(&self, file: &str, source: &str) -> Result<(), Failure> {
        self.enter(|ctx| {
            let mut options = EvalOptions::default();
            options.strict = false;
            options.filename = Some(file.replace('\0', " "));
            ctx.eval_with_options::<Value<'_>, _>(source, options).map(|_| ())
        })
    }

    /// Calls a function that an embedded module exports, and returns its result as VelocyPack.
    ///
    /// The result takes at most as much memory as the isolate.
    pub fn call(&self, module: &str, function: &str, arguments: &[Slice<'_>]) -> Result<Vec<u8>, Failure> {
        self.enter(|ctx| {
            let result = self.invoke(ctx, module, function, arguments, None)?;
            value::from_js(&result, &self.stop, self.memory_bytes)
        })
    }

    /// Calls a function that an embedded module exports, with bytes (an `Uint8Array`) as its last
    /// argument. The function returns an array of a value and a body: a text, bytes or undefined.
    ///
    /// Value and body take at most as much memory each as the isolate.
    pub fn exchange(
        &self,
        module: &str,
        function: &str,
        arguments: &[Slice<'_>],
        body: &[u8],
    ) -> Result<Exchanged, Failure> {
        self.enter(|ctx| {
            let result = self.invoke(ctx, module, function, arguments, Some(body))?;
            let Some(pair) = result.as_array().filter(|pair| pair.len() == 2) else {
                let message = format!("{function}() of {module} returned no array of a value and a body");
                return Err(Exception::throw_type(ctx, &message));
            };
            let value = value::from_js(&pair.get::<Value<'_>>(0)?, &self.stop, self.memory_bytes)?;
            let body: Value<'_> = pair.get(1)?;
            Ok(Exchanged { value, body: self.bytes_of(ctx, &body)? })
        })
    }

    /// Returns the bytes of a body: a text, bytes, or undefined.
    fn bytes_of<'js>(&self, ctx: &Ctx<'js>, body: &Value<'js>) -> rquickjs::Result<Vec<u8>> {
        if body.is_undefined() || body.is_null() {
            return Ok(Vec::new());
        }
        let bytes = match body.as_string() {
            Some(string) => value::text(string)?.into_bytes(),
            None => match value::bytes(body) {
                Some(bytes) => bytes,
                None => return Err(Exception::throw_type(ctx, "a body must be a text or bytes")),
            },
        };
        if bytes.len() > self.memory_bytes {
            return Err(Exception::throw_range(ctx, "the body takes too much memory"));
        }
        Ok(bytes)
    }

    fn invoke<'js>(
        &self,
        ctx: &Ctx<'js>,
        module: &str,
        function: &str,
        arguments: &[Slice<'_>],
        body: Option<&[u8]>,
    ) -> rquickjs::Result<Value<'js>> {
        let require = self.require.clone().restore(ctx)?;
        let exports: Object<'js> = require.call((module,))?;
        let callee: Function<'js> = exports.get(function)?;
        let mut values = Args::new(ctx.clone(), arguments.len() + usize::from(body.is_some()));
        values.this(exports)?;
        for argument in arguments {
            values.push_arg(value::to_js(ctx, *argument)?)?;
        }
        if let Some(body) = body {
            values.push_arg(TypedArray::<u8>::new_copy(ctx.clone(), body)?)?;
        }
        callee.call_arg(values)
    }

    /// Returns the size of all values, in bytes.
    pub fn used_bytes(&self) -> usize {
        usize::try_from(self.runtime.memory_usage().malloc_size).unwrap_or_default()
    }

    fn enter<T>(&self, run: impl for<'js> FnOnce(&Ctx<'js>) -> rquickjs::Result<T>) -> Result<T, Failure> {
        self.stop.begin();
        self.context.with(|ctx| {
            let result = run(&ctx).catch(&ctx).map_err(|error| failure(&self.stop, &error));
            // Promises that the script left behind are settled before it counts as ended.
            while self.stop.reason().is_none() && ctx.execute_pending_job() {}
            self.core.packages.release();
            // No result of a script counts after a failure of the host.
            match self.stop.reason() {
                Some(reason @ (Failure::Host(_) | Failure::Exit(_))) => Err(reason),
                _ => result.and_then(|result| self.stop.rejection().map_or(Ok(result), Err)),
            }
        })
    }
}

/// Runs the bootstrap script, and returns `require`.
fn bootstrap<'js>(ctx: &Ctx<'js>, core: &Rc<Core>) -> rquickjs::Result<Function<'js>> {
    let mut options = EvalOptions::default();
    options.filename = Some(format!("{OWN_PREFIX}bootstrap"));
    let start: Function<'js> = ctx.eval_with_options(modules::BOOTSTRAP, options)?;
    start.call((native::install(ctx, core)?,))
}
