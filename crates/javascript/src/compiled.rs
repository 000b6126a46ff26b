//! Compiled scripts, which isolates share.
//!
//! An isolate that loads a service parses the same files as the one before it. The form that the
//! compiler made of a file is kept by the checksum of its name and text, and a new isolate reads
//! that: it takes a small part of the time.

mod bytecode;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use owner::{Charge, MemoryAccount};
use rquickjs::{Ctx, Value};
use sha2::{Digest, Sha256};

use self::bytecode::Bytecode;

/// Shorter scripts are parsed as fast as their checksum is made and their compiled form is read.
const SOURCE_MIN_BYTES: usize = 512;

/// Longer scripts are not kept: a few of them would displace all others.
const SOURCE_MAX_BYTES: usize = 1 << 20;

/// The part of a script's cost in memory that does not depend on its length.
const OVERHEAD_BYTES: u64 = 128;

/// The SHA-256 of a script: of the length of its name, its name, and its text.
type Checksum = [u8; 32];

/// Compiled scripts within a limit of memory. When it is full, it forgets those that were least
/// recently used.
#[derive(Debug)]
pub struct CompiledScripts {
    account: Arc<MemoryAccount>,
    max_bytes: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    scripts: HashMap<Checksum, Kept>,
    bytes: u64,
    /// The number of uses. The age of a script is its distance from this number.
    clock: u64,
}

#[derive(Debug)]
struct Kept {
    bytecode: Arc<Bytecode>,
    memory: Charge,
    used: u64,
}

impl CompiledScripts {
    /// Returns an empty collection of at most `max_bytes`, which are charged to `account` as far as
    /// they are used. A script for which the account has no room is not kept.
    pub fn new(account: Arc<MemoryAccount>, max_bytes: u64) -> Self {
        CompiledScripts { account, max_bytes, state: Mutex::default() }
    }

    /// Returns the bytes of memory in use.
    pub fn used_bytes(&self) -> u64 {
        self.state().bytes
    }

    /// Returns the number of scripts.
    pub fn len(&self) -> usize {
        self.state().scripts.len()
    }

    /// Returns true if there is no script.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn find(&self, checksum: &Checksum) -> Option<Arc<Bytecode>> {
        let mut state = self.state();
        state.clock += 1;
        let now = state.clock;
        let kept = state.scripts.get_mut(checksum)?;
        kept.used = now;
        Some(Arc::clone(&kept.bytecode))
    }

    fn keep(&self, checksum: Checksum, bytecode: Bytecode) {
        let bytes = bytecode.bytes() as u64 + OVERHEAD_BYTES;
        if bytes > self.max_bytes {
            return;
        }
        let mut state = self.state();
        while state.bytes + bytes > self.max_bytes && state.forget_oldest() {}
        let mut memory = Charge::new(Arc::clone(&self.account));
        if memory.grow(bytes).is_err() {
            return;
        }
        state.clock += 1;
        let kept = Kept { bytecode: Arc::new(bytecode), memory, used: state.clock };
        state.bytes += bytes;
        if let Some(former) = state.scripts.insert(checksum, kept) {
            state.bytes -= former.memory.bytes();
        }
    }

    /// Locks the scripts. No code that can panic runs under this lock.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Forgets the script that was least recently used. Returns false if there is none.
    fn forget_oldest(&mut self) -> bool {
        let oldest = self.scripts.iter().min_by_key(|(_, kept)| kept.used).map(|(checksum, _)| *checksum);
        let Some(kept) = oldest.and_then(|checksum| self.scripts.remove(&checksum)) else { return false };
        self.bytes -= kept.memory.bytes();
        true
    }
}

/// Returns the value of a script in the global scope. `file` is its name in errors.
///
/// With `scripts`, its compiled form is looked up, and kept.
pub(crate) fn evaluate<'js>(
    ctx: &Ctx<'js>,
    scripts: Option<&CompiledScripts>,
    source: &str,
    file: &str,
) -> rquickjs::Result<Value<'js>> {
    let scripts = scripts.filter(|_| (SOURCE_MIN_BYTES..=SOURCE_MAX_BYTES).contains(&source.len()));
    let Some(scripts) = scripts else {
        return bytecode::compile(ctx, source, file)?.run();
    };
    let checksum = checksum(source, file);
    if let Some(bytecode) = scripts.find(&checksum) {
        return bytecode.read(ctx)?.run();
    }
    let compiled = bytecode::compile(ctx, source, file)?;
    if let Some(bytecode) = compiled.write() {
        scripts.keep(checksum, bytecode);
    }
    compiled.run()
}

fn checksum(source: &str, file: &str) -> Checksum {
    let mut hasher = Sha256::new();
    hasher.update((file.len() as u64).to_le_bytes());
    hasher.update(file);
    hasher.update(source);
    hasher.finalize().into()
}
