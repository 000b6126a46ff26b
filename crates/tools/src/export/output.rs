//! Output files. They have another name until they are complete, and compressed ones consist of
//! separate parts.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::write::GzEncoder;
use zstd::stream::write::Encoder;

use crate::Failure;
use crate::encrypted::Files;

/// The ending of an incomplete file's name.
const PART: &str = ".part";

/// The bytes of one write.
const BUFFER_BYTES: usize = 256 << 10;

/// The bytes before compression after which a new part begins: the maximum loss on an interruption.
const CUT_BYTES: u64 = 16 << 20;

/// The level of zstd: as fast as the disk, and smaller than gzip.
const ZSTD_LEVEL: i32 = 3;

/// The compression of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Compression {
    /// Returns the ending of a file's name.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
        }
    }
}

/// The number of bytes written to all files.
pub(super) type Written = Arc<AtomicU64>;

/// A file, or the standard output.
pub(super) struct Output {
    name: String,
    /// The path of the incomplete file, and of the complete one.
    paths: Option<(PathBuf, PathBuf)>,
    compression: Compression,
    sink: Sink,
    since_cut: u64,
}

type Target = BufWriter<Counted>;

enum Sink {
    Plain(Target),
    Gzip(Box<GzEncoder<Target>>),
    Zstd(Box<Encoder<'static, Target>>),
    /// An output that accepts no more writes.
    Closed,
}

struct Counted {
    inner: Box<dyn Write + Send>,
    written: Written,
}

/// Returns the name of a file while it is incomplete.
pub(super) fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(PART);
    name.into()
}

impl Output {
    /// Begins a file, which is compressed and then encrypted, or writes to the standard output if
    /// there is no path.
    pub(super) fn create(
        path: Option<&Path>,
        compression: Compression,
        files: &Files,
        written: &Written,
    ) -> Result<Self, Failure> {
        let Some(path) = path else {
            return Self::new(
                "the standard output".to_owned(),
                None,
                Box::new(io::stdout()),
                compression,
                written,
            );
        };
        let part = part_of(path);
        let file = files.create(&part).map_err(|error| unwritable(&part.display().to_string(), &error))?;
        let name = part.display().to_string();
        Self::new(name, Some((part, path.to_owned())), Box::new(file), compression, written)
    }

    /// Resumes a file whose first bytes are complete.
    pub(super) fn resume(
        path: &Path,
        bytes: u64,
        compression: Compression,
        written: &Written,
    ) -> Result<Self, Failure> {
        let part = part_of(path);
        let name = part.display().to_string();
        let opened = OpenOptions::new().append(true).open(&part);
        let opened = opened.and_then(|file| file.set_len(bytes).map(|()| file));
        let file = opened.map_err(|error| unwritable(&name, &error))?;
        Self::new(name, Some((part, path.to_owned())), Box::new(file), compression, written)
    }

    fn new(
        name: String,
        paths: Option<(PathBuf, PathBuf)>,
        inner: Box<dyn Write + Send>,
        compression: Compression,
        written: &Written,
    ) -> Result<Self, Failure> {
        let counted = Counted { inner, written: Arc::clone(written) };
        let target = BufWriter::with_capacity(BUFFER_BYTES, counted);
        let sink = sink(target, compression).map_err(|error| unwritable(&name, &error))?;
        Ok(Output { name, paths, compression, sink, since_cut: 0 })
    }

    /// Writes whole rows.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.try_write(bytes).map_err(|error| unwritable(&self.name, &error))
    }

    fn try_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.sink {
            Sink::Plain(target) => target.write_all(bytes)?,
            Sink::Gzip(encoder) => encoder.write_all(bytes)?,
            Sink::Zstd(encoder) => encoder.write_all(bytes)?,
            Sink::Closed => return Err(io::Error::other("it is closed")),
        }
        self.since_cut += bytes.len() as u64;
        if self.since_cut >= CUT_BYTES {
            self.since_cut = 0;
            let target = self.close()?;
            self.sink = sink(target, self.compression)?;
        }
        Ok(())
    }

    /// Ends a part of a compressed file; its content is readable whatever follows.
    fn close(&mut self) -> io::Result<Target> {
        let mut target = match std::mem::replace(&mut self.sink, Sink::Closed) {
            Sink::Plain(target) => target,
            Sink::Gzip(encoder) => encoder.finish()?,
            Sink::Zstd(encoder) => encoder.finish()?,
            Sink::Closed => return Err(io::Error::other("it is closed")),
        };
        target.flush()?;
        Ok(target)
    }

    /// Completes the file and gives it its name.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.close().map_err(|error| unwritable(&self.name, &error))?;
        if let Some((part, path)) = &self.paths {
            std::fs::rename(part, path).map_err(|error| unwritable(&path.display().to_string(), &error))?;
        }
        Ok(())
    }
}

fn sink(target: Target, compression: Compression) -> io::Result<Sink> {
    Ok(match compression {
        Compression::None => Sink::Plain(target),
        Compression::Gzip => Sink::Gzip(Box::new(GzEncoder::new(target, flate2::Compression::fast()))),
        Compression::Zstd => Sink::Zstd(Box::new(Encoder::new(target, ZSTD_LEVEL)?)),
    })
}

/// Returns the failure of writing a file.
pub(super) fn unwritable(name: &str, error: &io::Error) -> Failure {
    Failure::new(format!("{name} cannot be written: {error}"))
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.written.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
