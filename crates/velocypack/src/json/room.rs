//! A `Vec` with spare room after its text, so that most writes are copies of fixed length.

/// Bytes of a piece of text that are checked and copied together.
pub(super) const PIECE: usize = 16;

/// Maximum number of bytes that a `Room` grows by at a time, because new bytes are cleared first.
const GROWTH_MAX: usize = 16 << 10;
/// Minimum number of bytes that a `Room` grows by: more than the largest piece.
const GROWTH_MIN: usize = 64;

/// A `Vec` to which text is appended. Until [`Room::finish`] it has bytes after its text.
pub(super) struct Room<'o> {
    out: &'o mut Vec<u8>,
    /// The end of the text; the bytes after it are undefined.
    end: usize,
}

impl<'o> Room<'o> {
    /// Starts a text of about `bytes` bytes at the end of `out`.
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

    /// Appends a quote, the first `length` bytes of `piece`, and two bytes after them.
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

    /// Appends bytes. It suits a constant or a large number of them.
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

    /// Appends what `write` appends. For calls that are not inlined: the caller keeps the end in a
    /// register.
    #[inline(always)]
    pub(super) fn apart<T>(&mut self, write: impl FnOnce(&mut Room<'_>) -> T) -> T {
        let mut inner = Room { out: &mut *self.out, end: self.end };
        let result = write(&mut inner);
        self.end = inner.end;
        result
    }

    /// Removes the last byte.
    #[inline(always)]
    pub(super) fn drop_last(&mut self) {
        self.end -= 1;
    }
}

/// Makes room for about `bytes` bytes after `end`.
///
/// It settles for the free capacity rather than allocate memory that may not be needed.
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
    // Grows by more than the minimum, so that growth is rare.
    make_more(out, end);
    if let Some(room) = out.get_mut(end..end + N) {
        room.copy_from_slice(chunk);
    }
}
