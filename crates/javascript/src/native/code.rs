//! Compilation of modules and scripts.

use rquickjs::Value;
use rquickjs::context::EvalOptions;

use super::{Call, NativeResult, Table};
use crate::{Failure, compiled, modules, packages};

/// The parameters of a module's function. `host` is for the API's own modules.
const PARAMETERS: &str = "exports, require, module, __filename, __dirname, host";

pub(super) const TABLE: Table = &[
    ("moduleSource", module_source),
    ("moduleNames", module_names),
    ("packageFile", package_file),
    ("hasPackageFile", |call| call.give(call.core.packages.has(&call.text(0)?))),
    ("hasModule", |call| call.give(modules::source(&call.text(0)?).is_some())),
    ("compileModule", compile_module),
    ("evaluate", evaluate),
    ("settle", settle),
];

/// `moduleSource(name)`: the source of an embedded module, or undefined.
fn module_source<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    match modules::source(&call.text(0)?) {
        Some(source) => call.give(source),
        None => Ok(call.nothing()),
    }
}

/// `moduleNames()`: the names of the embedded modules and packages.
fn module_names<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    call.give_list(modules::names().chain(packages::names()))
}

/// `packageFile(path)`: a file of a package of the npm registry, or undefined.
fn package_file<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    match call.core.packages.file(&call.text(0)?) {
        Some(text) => call.give(text),
        None => Ok(call.nothing()),
    }
}

/// `compileModule(source, file)`: the function of a CommonJS module.
fn compile_module<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    // The source begins on the first line, so that the lines of errors are right.
    let source = format!("(function ({PARAMETERS}) {{{}\n}})", without_shebang(&call.text(0)?));
    Ok(compiled::evaluate(call.ctx, call.host().compiled_scripts(), &source, &call.text(1)?)?)
}

/// `evaluate(source, file)`: the value of the last expression of a script in the global scope.
fn evaluate<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let source = call.text(0)?;
    Ok(call.ctx.eval_with_options(without_shebang(&source).into_owned(), options(&call.text(1)?))?)
}

/// `settle()`: runs the callbacks of promises that are due. It returns the text of a rejection that
/// nobody handles, which then does not end the script.
fn settle<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let stop = &call.core.stop;
    while stop.reason().is_none() && call.ctx.execute_pending_job() {}
    match stop.take_rejections() {
        Some(Failure::Exception(exception)) if !exception.stack.is_empty() => {
            call.give(format!("{}\n{}", exception.message, exception.stack.trim_end()))
        }
        Some(failure) => call.give(failure.to_string()),
        None => Ok(call.nothing()),
    }
}

fn options(file: &str) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(file.replace('\0', " "));
    options
}

/// Makes a comment of a first line that names an interpreter.
fn without_shebang(source: &str) -> std::borrow::Cow<'_, str> {
    match source.strip_prefix("#!") {
        Some(rest) => format!("//{rest}").into(),
        None => source.into(),
    }
}
