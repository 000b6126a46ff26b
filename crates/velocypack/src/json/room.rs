//! Where text is written to: a `Vec` that has room behind its text, so that most of writing is copies of fixed length.

/// Bytes of a piece of text that is looked at and copied at once.
pub(super) const PIECE: usize = 16;

/// Most bytes that are made room at one time, as they are cleared before.
const GROWTH_MAX: usize = 16 << 10;
/// What is made at least: more than the largest piece that is put at once.
const GROWTH_MIN: usize = 64;

/// A `Vec` that text is appended to. What [`Room::finish`] is not called for has bytes behind its text.
pub(super) struct Room<'o> {
    out: &'o mut Vec<u8>,
    /// Where the text ends; the bytes behind are nothing yet.
    end: usize,
}

impl<'o> Room<'o> {
    /// Appends to `out` a text of about `bytes`.
    #[inline]
    pub(super) fn new(out: &'o mut Vec<u8>, bytes: usize) -> Self {
        let end = out.len();
        make(out, end, bytes);
        Room { out, end }
    }

    #[inline]
    pub(super) fn finish(self) {
        self.out.truncate(self.end);
    }

    /// Appends the first `length` bytes of `chunk`.
    #[inline(always)]
    pub(super) fn put<const N: usize>(&mut self, chunk: &[u8; N], length: usize) {
        match self.out.get_mut(self.end..).and_then(|room| room.first_chunk_mut()) {
            Some(room) => *room = *chunk,
            None => make_and_put(self.out, self.end, chunk),
        }
        self.end += length;
    }

    /// Appends a quote, the first `length` bytes of `piece`, and two bytes behind them.
    #[inline(always)]
    pub(super) fn put_quoted(&mut self, piece: &[u8; PIECE], length: usize, behind: [u8; 2]) {
        const ALL: usize = PIECE + 3;
        if self.out.len() - self.end < ALL {
            make_more(self.out, self.end);
        }
        let length = length.min(PIECE);
        if let Some(room) = self.out.get_mut(self.end..).and_then(|room| room.first_chunk_mut::<ALL>()) {
            room[0] = b'"';
            room[1..=PIECE].copy_from_slice(piece);
            room[1 + length] = behind[0];
            room[2 + length] = behind[1];
            self.end += length + 3;
        }
    }

    /// Appends bytes, best where their number is a constant or large.
    #[inline]
    pub(super) fn put_slice(&mut self, bytes: &[u8]) {
        if self.out.len() - self.end < bytes.len() {
            self.out.resize(self.end + bytes.len(), 0);
        }
        if let Some(room) = self.out.get_mut(self.end..self.end + bytes.len()) {
            room.copy_from_slice(bytes);
            self.end += bytes.len();
        }
    }

    /// Appends what `write` appends: for what is not inlined, so that the caller keeps the end in a register.
    #[inline(always)]
    pub(super) fn apart<T>(&mut self, write: impl FnOnce(&mut Room<'_>) -> T) -> T {
        let mut inner = Room { out: &mut *self.out, end: self.end };
        let result = write(&mut inner);
        self.end = inner.end;
        result
    }

    /// Takes the last byte back.
    #[inline(always)]
    pub(super) fn drop_last(&mut self) {
        self.end -= 1;
    }
}

/// Makes room behind `end`: about `bytes`, but as much as is free already rather than memory for what may not be
/// needed.
#[inline]
fn make(out: &mut Vec<u8>, end: usize, bytes: usize) {
    let free = out.capacity() - end;
    let wanted = bytes.clamp(GROWTH_MIN, GROWTH_MAX);
    out.resize(end + if free >= GROWTH_MIN { wanted.min(free) } else { wanted }, 0);
}

#[cold]
#[inline(never)]
fn make_more(out: &mut Vec<u8>, end: usize) {
    make(out, end, 16 * GROWTH_MIN);
}

#[cold]
#[inline(never)]
fn make_and_put<const N: usize>(out: &mut Vec<u8>, end: usize, chunk: &[u8; N]) {
    // More, so that it is rarely needed.
    make_more(out, end);
    if let Some(room) = out.get_mut(end..end + N) {
        room.copy_from_slice(chunk);
    }
}
