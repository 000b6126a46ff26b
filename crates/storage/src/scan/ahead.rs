//! Read-ahead: another thread reads the next blocks of a scan while the caller works on the
//! previous ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use errors::Result;
use kv::{Block, BlockLimits, Scan};

use crate::base::fork_join::ForkJoin;

/// Maximum number of blocks that wait. They give both threads some milliseconds of work before one
/// waits for the other, and that wait is long when other threads want the processors too.
const BLOCKS_AHEAD: usize = 8;

/// The size of each block that is read, whatever the caller asks for: a caller of one row may want
/// a thousand next.
const BLOCK: BlockLimits = BlockLimits { rows: 1_000, bytes: 1 << 20 };

/// A scan whose blocks are read on a thread of its own. The thread ends soon after this is dropped.
pub(super) struct ReadAhead {
    blocks: Receiver<kv::Result<Option<Block>>>,
    must_stop: Arc<AtomicBool>,
    thread: JoinHandle<Box<dyn Scan>>,
}

impl ReadAhead {
    /// Continues a scan on another thread if a turn and a thread are available. Otherwise returns
    /// the scan.
    pub(super) fn start(
        scan: Box<dyn Scan>,
        turns: &Arc<ForkJoin>,
    ) -> std::result::Result<Self, Box<dyn Scan>> {
        let Some(turn) = turns.take() else { return Err(scan) };
        let (sender, blocks) = sync_channel(BLOCKS_AHEAD);
        let must_stop = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&must_stop);
        // The scan is handed over once the thread runs, so that it is not lost if no thread can
        // start.
        let (hand_over, take_over) = sync_channel::<Box<dyn Scan>>(1);
        let thread = std::thread::Builder::new().name("read-ahead".to_owned()).spawn(move || {
            let _turn = turn;
            let Ok(mut scan) = take_over.recv() else { return Box::new(Nothing) as Box<dyn Scan> };
            while !stop.load(Ordering::Relaxed) {
                let block = scan.next_block(BLOCK);
                let is_last = !matches!(block, Ok(Some(_)));
                if sender.send(block).is_err() || is_last {
                    break;
                }
            }
            scan
        });
        let Ok(thread) = thread else { return Err(scan) };
        match hand_over.send(scan) {
            Ok(()) => Ok(ReadAhead { blocks, must_stop, thread }),
            Err(unsent) => Err(unsent.0),
        }
    }

    /// Returns the next block, as [`Scan::next_block`] does.
    pub(super) fn next_block(&mut self) -> Result<Option<Block>> {
        match self.blocks.recv() {
            Ok(block) => Ok(block?),
            // The channel is closed after the last block.
            Err(_) => Ok(None),
        }
    }

    /// Stops reading. Returns the scan, which continues after the blocks that were read, and those
    /// blocks.
    ///
    /// After an error, the scan is at the same place as before it, and meets the error again.
    pub(super) fn stop(self) -> (Option<Box<dyn Scan>>, Vec<Block>) {
        self.must_stop.store(true, Ordering::Relaxed);
        let blocks = self.blocks.iter().filter_map(|block| block.ok().flatten()).collect();
        // The panic handler of the thread has reported a panic already.
        (self.thread.join().ok(), blocks)
    }
}

/// A scan without blocks, for a thread that received no scan.
struct Nothing;

impl Scan for Nothing {
    fn next_block(&mut self, _: BlockLimits) -> kv::Result<Option<Block>> {
        Ok(None)
    }

    fn release(&mut self) {}

    fn rewind(&mut self, _: &[u8]) {}
}
