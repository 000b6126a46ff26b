//! The ends of lines: LF, CR LF, and CR alone, also mixed in one file.

use std::io::{self, BufRead, BufReader, Read};

use memchr::{memchr_iter, memchr2};

/// Returns the place of the first end of a line, and the position after it.
///
/// A CR at the end of a text that is not whole may be half of an end, so it is none yet.
pub(super) fn find(text: &[u8], is_whole: bool) -> Option<(usize, usize)> {
    let begin = memchr2(b'\n', b'\r', text)?;
    match (text.get(begin), text.get(begin + 1)) {
        (Some(b'\r'), None) if !is_whole => None,
        (Some(b'\r'), Some(b'\n')) => Some((begin, begin + 2)),
        _ => Some((begin, begin + 1)),
    }
}

/// Returns the number of ends of lines in a text that does not end within CR LF.
pub(super) fn count(text: &[u8]) -> usize {
    let alone = memchr_iter(b'\r', text).filter(|at| text.get(at + 1) != Some(&b'\n')).count();
    memchr_iter(b'\n', text).count() + alone
}

/// A text in which a CR alone reads as LF. CR LF stays as it is.
pub(super) struct WithoutLoneCr<R> {
    input: BufReader<R>,
    /// True if a CR was read whose next byte is not known yet.
    holds_cr: bool,
}

impl<R: Read> WithoutLoneCr<R> {
    pub(super) fn new(input: R) -> Self {
        WithoutLoneCr { input: BufReader::new(input), holds_cr: false }
    }
}

impl<R: Read> Read for WithoutLoneCr<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let text = self.input.fill_buf()?;
            let Some(first) = out.first_mut() else { return Ok(0) };
            if std::mem::take(&mut self.holds_cr) {
                *first = if text.first() == Some(&b'\n') { b'\r' } else { b'\n' };
                return Ok(1);
            }
            let count = text.len().min(out.len());
            let (Some(from), Some(to)) = (text.get(..count), out.get_mut(..count)) else { return Ok(0) };
            to.copy_from_slice(from);
            self.input.consume(count);
            self.holds_cr = to.last() == Some(&b'\r');
            let known = count - usize::from(self.holds_cr);
            let lone: Vec<usize> = memchr_iter(b'\r', to)
                .filter(|at| at + 1 < count && to.get(at + 1) != Some(&b'\n'))
                .collect();
            for at in lone {
                if let Some(byte) = to.get_mut(at) {
                    *byte = b'\n';
                }
            }
            if known > 0 || count == 0 {
                return Ok(known);
            }
        }
    }
}
