//! The request that a thread works for, which entries of the log may name
//! (`/_admin/log/structured`).

use std::cell::RefCell;

/// The parts of a request that entries may name.
pub const STRUCTURED_PARAMETERS: [&str; 3] = ["database", "username", "url"];

thread_local! {
    static CURRENT: RefCell<Option<LogContext>> = const { RefCell::new(None) };
}

/// The request that this thread works for.
#[derive(Clone, Debug)]
pub(crate) struct LogContext {
    pub(crate) values: [String; STRUCTURED_PARAMETERS.len()],
}

/// Runs a closure in the context of a request.
pub(crate) fn within<T>(context: Option<LogContext>, run: impl FnOnce() -> T) -> T {
    /// Restores the outer request, also after a panic.
    struct Restore(Option<LogContext>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.with(|current| current.replace(self.0.take()));
        }
    }
    let Some(context) = context else { return run() };
    let _restore = Restore(CURRENT.with(|current| current.replace(Some(context))));
    run()
}

/// Appends the wanted parts of the current request.
pub(crate) fn append(wanted: u8, text: &mut String) {
    if wanted == 0 {
        return;
    }
    CURRENT.with(|current| {
        let current = current.borrow();
        let Some(context) = current.as_ref() else { return };
        for (index, (name, value)) in STRUCTURED_PARAMETERS.iter().zip(&context.values).enumerate() {
            if wanted & (1 << index) != 0 && !value.is_empty() {
                text.push_str(&format!(", {name}: {value}"));
            }
        }
    });
}
