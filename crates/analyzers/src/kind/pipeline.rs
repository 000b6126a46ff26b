//! `pipeline`: the tokens of one analyzer are the inputs of the next.

use std::sync::Arc;

use errors::Result;
use owner::Interrupt;
use velocypack::Builder;

use super::nested::Nested;
use super::{Kind, Output, Tokenizer};
use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::token::{Input, Sink, Token};

/// Maximum number of analyzers of a pipeline.
const STAGES_MAX: usize = 64;

#[derive(Debug)]
struct Pipeline {
    stages: Vec<Nested>,
}

pub(super) fn read(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    const NAME: &str = "pipeline";
    let array = properties.array(NAME)?;
    if array.is_empty() || array.len() > STAGES_MAX {
        return Err(properties.wrong(NAME, format!("an array of 1 to {STAGES_MAX} analyzers")));
    }
    let stages =
        array.elements().map(|stage| Nested::read(properties, NAME, stage)).collect::<Result<_>>()?;
    Ok(Arc::new(Pipeline { stages }))
}

impl Kind for Pipeline {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("pipeline")?;
        out.open_array()?;
        for stage in &self.stages {
            stage.print(out)?;
        }
        out.close()
    }

    fn open(&self, queries: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        let stages = self.stages.iter().map(|stage| stage.open(queries)).collect::<Result<_>>()?;
        Ok(Box::new(Opened { stages }))
    }

    fn runs_query(&self) -> bool {
        self.stages.iter().any(Nested::runs_query)
    }

    fn has_offsets(&self) -> bool {
        self.stages.iter().all(Nested::has_offsets)
    }
}

struct Opened {
    stages: Vec<Box<dyn Tokenizer>>,
}

impl Tokenizer for Opened {
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        match input.text() {
            Some(text) => run(&self.stages, text, sink),
            None => Ok(()),
        }
    }

    fn output(&self) -> Output {
        self.stages.last().map_or(Output::Text, |stage| stage.output())
    }
}

fn run(stages: &[Box<dyn Tokenizer>], text: &str, sink: &mut dyn Sink) -> Result<()> {
    match stages {
        [] => Ok(()),
        [last] => last.tokens(Input::Text(text), sink),
        [first, rest @ ..] => {
            let mut between = Between { rest, text, sink, last: None, base: 0, next_base: 0 };
            // The next analyzers take texts. Numbers and booleans have no tokens there.
            if first.output() == Output::Text {
                first.tokens(Input::Text(text), &mut between)
            } else {
                Ok(())
            }
        }
    }
}

/// The receiver of an analyzer's tokens, which passes them to the next analyzers.
struct Between<'a> {
    rest: &'a [Box<dyn Tokenizer>],
    /// The input of the analyzer.
    text: &'a str,
    sink: &'a mut dyn Sink,
    /// The position of the last token.
    last: Option<u32>,
    /// The position of the tokens that are made of the last token, and the first one after them.
    base: u32,
    next_base: u32,
}

impl Sink for Between<'_> {
    fn interrupt(&self) -> &Interrupt {
        self.sink.interrupt()
    }

    fn token(&mut self, token: Token<'_>) -> Result<()> {
        // Tokens of one position stay at one position; gaps between positions stay as wide.
        if let Some(last) = self.last
            && token.position > last
        {
            self.base = self.next_base + (token.position - last - 1);
        } else if self.last.is_none() {
            self.base = token.position;
        }
        self.last = Some(token.position);
        let (start, end) = (token.start as usize, token.end as usize);
        // A term that is a part of the text has its places there.
        let is_part = self.text.as_bytes().get(start..end) == Some(token.term);
        let mut behind = Behind {
            sink: &mut *self.sink,
            base: self.base,
            whole: (token.start, token.end),
            is_part,
            next_base: self.base + 1,
        };
        run(self.rest, token.text()?, &mut behind)?;
        self.next_base = self.next_base.max(behind.next_base);
        Ok(())
    }
}

/// The receiver of the tokens that are made of one token.
struct Behind<'a> {
    sink: &'a mut dyn Sink,
    base: u32,
    /// The place of the token in the text.
    whole: (u32, u32),
    is_part: bool,
    next_base: u32,
}

impl Sink for Behind<'_> {
    fn interrupt(&self) -> &Interrupt {
        self.sink.interrupt()
    }

    fn token(&mut self, token: Token<'_>) -> Result<()> {
        let position = self.base + token.position;
        self.next_base = self.next_base.max(position + 1);
        let (start, end) =
            if self.is_part { (self.whole.0 + token.start, self.whole.0 + token.end) } else { self.whole };
        self.sink.token(Token { term: token.term, position, start, end })
    }
}
