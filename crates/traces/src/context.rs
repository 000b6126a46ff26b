//! The context of a trace between programs: the header `traceparent` of W3C Trace Context.

/// The numbers of a trace and of one of its spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// The number of the trace. It is never 0.
    pub trace: u128,
    /// The number of the span. It is never 0.
    pub span: u64,
    /// True if the caller records the trace.
    pub is_sampled: bool,
}

impl Context {
    /// Parses the header `traceparent`. `None` for an invalid text, which begins a new trace.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let mut parts = text.split('-');
        let version = hexadecimal(parts.next()?, 2)?;
        let trace = hexadecimal(parts.next()?, 32).filter(|trace| *trace != 0)?;
        let span = hexadecimal(parts.next()?, 16).filter(|span| *span != 0)?;
        let flags = hexadecimal(parts.next()?, 2)?;
        // Later versions may have further parts; version 255 is forbidden.
        let is_known = version != 255 && (version != 0 || parts.next().is_none());
        let span = u64::try_from(span).ok()?;
        is_known.then_some(Context { trace, span, is_sampled: flags & 1 == 1 })
    }
}

/// Parses digits in lower case, exactly as many as `length`.
fn hexadecimal(digits: &str, length: usize) -> Option<u128> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (digits.len() == length && digits.bytes().all(is_digit)).then_some(())?;
    u128::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_is_known_by_its_header() {
        let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let context = Context::parse(header).unwrap();
        assert_eq!(format!("{:032x}", context.trace), "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(
            (format!("{:016x}", context.span).as_str(), context.is_sampled),
            ("b7ad6b7169203331", true)
        );
        assert!(!Context::parse(&header.replace("-01", "-00")).unwrap().is_sampled);
        assert!(Context::parse(&format!("{}-more", header.replace("00-0a", "cc-0a"))).is_some());
    }

    #[test]
    fn other_texts_are_not_headers() {
        let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let zero_trace = format!("00-{}-b7ad6b7169203331-01", "0".repeat(32));
        let zero_span = format!("00-0af7651916cd43dd8448eb211c80319c-{}-01", "0".repeat(16));
        let upper = header.to_uppercase();
        let (forbidden, longer) = (header.replace("00-0a", "ff-0a"), format!("{header}-more"));
        for text in
            ["", "00", "00-1-2-01", "é", &header[1..], &zero_trace, &zero_span, &upper, &forbidden, &longer]
        {
            assert_eq!(Context::parse(text), None, "{text}");
        }
    }
}
