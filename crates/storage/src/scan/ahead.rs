//! Reading the blocks of a scan on another thread, while those before are worked on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use kv::{Block, BlockLimits, Scan};

use crate::Result;
use crate::fork_join::ForkJoin;

/// Blocks that wait at most: enough that both threads work for some milliseconds before one waits for the other,
/// which takes long where others want the processors, too.
const BLOCKS_AHEAD: usize = 8;

/// What is read at one time, whatever is asked for: who asks for one row now may want a thousand next.
const BLOCK: BlockLimits = BlockLimits { rows: 1_000, bytes: 1 << 20 };

/// A scan whose blocks are read on a thread of its own. Dropped, the thread ends soon.
pub(super) struct ReadAhead {
    blocks: Receiver<kv::Result<Option<Block>>>,
    must_stop: Arc<AtomicBool>,
    thread: JoinHandle<Box<dyn Scan>>,
}

impl ReadAhead {
    /// Goes on with a scan on another thread, if there is a turn and a thread to be had. Otherwise the scan comes back.
    pub(super) fn start(
        scan: Box<dyn Scan>,
        turns: &Arc<ForkJoin>,
    ) -> std::result::Result<Self, Box<dyn Scan>> {
        let Some(turn) = turns.take() else { return Err(scan) };
        let (sender, blocks) = sync_channel(BLOCKS_AHEAD);
        let must_stop = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&must_stop);
        // The scan is handed over once the thread is there: where none can be made, it is not lost.
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

    /// The next block, as [`Scan::next_block`].
    pub(super) fn next_block(&mut self) -> Result<Option<Block>> {
        match self.blocks.recv() {
            Ok(block) => Ok(block?),
            // After the last block there is nothing.
            Err(_) => Ok(None),
        }
    }

    /// Stops reading. Answers the scan, which goes on behind the blocks that were read, and those blocks. After an
    /// error the scan is where it was before it, and comes to the error again.
    pub(super) fn stop(self) -> (Option<Box<dyn Scan>>, Vec<Block>) {
        self.must_stop.store(true, Ordering::Relaxed);
        let blocks = self.blocks.iter().filter_map(|block| block.ok().flatten()).collect();
        // A panic is reported where threads report them.
        (self.thread.join().ok(), blocks)
    }
}

/// What a thread has that was given no scan.
struct Nothing;

impl Scan for Nothing {
    fn next_block(&mut self, _: BlockLimits) -> kv::Result<Option<Block>> {
        Ok(None)
    }

    fn release(&mut self) {}
}
