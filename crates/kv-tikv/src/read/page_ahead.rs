//! A page that is fetched before its reader needs it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

use kv::{Error, Result};

use crate::fetch::{Page, PageSpec, bytes};
use crate::read::state::State;

/// A page on its way, or one that has arrived.
pub(crate) struct PageAhead {
    awaited: Receiver<Result<Page>>,
    arrived: Option<Result<Page>>,
    /// The bytes of its pairs, or about that before it has arrived.
    bytes: usize,
}

impl PageAhead {
    /// Asks for a page of at most `rows` pairs of about `pair_bytes` bytes each.
    pub(crate) fn fetch(state: &Arc<State>, spec: PageSpec, rows: usize, pair_bytes: usize) -> Self {
        let (sender, awaited) = sync_channel(1);
        if let Some(page) = state.remembered.page(&spec) {
            return PageAhead { awaited, bytes: bytes(&page.pairs), arrived: Some(Ok(page)) };
        }
        let remembered = state.rehearses.then(|| Arc::clone(&state.remembered));
        let (client, read) = (Arc::clone(&state.store.client), state.read);
        state.store.spawn(async move {
            let page = client.page(&spec, rows, read).await;
            if let (Some(remembered), Ok(page)) = (remembered, &page) {
                remembered.add_page(&spec, page);
            }
            // Its reader may be gone by now.
            let _ = sender.send(page);
        });
        PageAhead { awaited, arrived: None, bytes: rows * pair_bytes }
    }

    /// Waits for the page.
    pub(crate) fn wait(self) -> Result<Page> {
        match self.arrived {
            Some(page) => page,
            None => self.awaited.recv().map_err(|_| Error::Closed)?,
        }
    }

    /// Returns the bytes that the page holds, or about those that it will hold.
    pub(crate) fn held_bytes(&mut self) -> usize {
        if self.arrived.is_none()
            && let Ok(page) = self.awaited.try_recv()
        {
            self.bytes = page.as_ref().map_or(0, |page| bytes(&page.pairs));
            self.arrived = Some(page);
        }
        self.bytes
    }
}
