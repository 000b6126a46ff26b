//! Requests and their replies.

use std::io::BufReader;
use std::net::TcpStream;

use mock_http::{Reply, Request, read};
use sha2::{Digest, Sha256};

use crate::objects::{Object, Objects};
use crate::{Fault, Storage};

/// The prefix of paths: the bucket.
const BUCKET: &str = "/backups";

/// The objects of one page of a listing: few, so that tests need several pages.
const PAGE: usize = 3;

impl Storage {
    pub(crate) fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(request) = read(&mut reader) {
            if !self.reply(&request).write(reader.get_mut()) {
                break;
            }
        }
    }

    fn reply(&self, request: &Request) -> Reply {
        let mut state = self.lock();
        state.requests.push(format!("{} {}", request.method, request.target));
        let fault = state.faults.pop();
        match fault {
            Some(Fault::Busy) => return refusal(503, "SlowDown"),
            Some(Fault::Denied) => return refusal(403, "AccessDenied"),
            _ => {}
        }
        let mut reply = answer(request, &mut state.objects);
        reply.is_head = request.method == "HEAD";
        reply.breaks = fault == Some(Fault::Half);
        reply
    }
}

fn refusal(status: u16, code: &str) -> Reply {
    let body = format!("<Error><Code>{code}</Code><Message>a test of {code}</Message></Error>");
    Reply { status, body: body.into(), ..Reply::default() }
}

fn ok(body: impl Into<Vec<u8>>) -> Reply {
    Reply { status: 200, body: body.into(), ..Reply::default() }
}

/// Returns true if the request has a signature that covers its body.
fn is_signed(request: &Request) -> bool {
    let digest: String = Sha256::digest(&request.body).iter().map(|byte| format!("{byte:02x}")).collect();
    let signature = request.header("authorization").unwrap_or_default();
    signature.starts_with("AWS4-HMAC-SHA256 Credential=key/")
        && signature.contains("SignedHeaders=host;")
        && request.header("x-amz-content-sha256") == Some(&digest)
}

fn answer(request: &Request, objects: &mut Objects) -> Reply {
    if !is_signed(request) {
        return refusal(403, "SignatureDoesNotMatch");
    }
    let path = request.path();
    let Some(key) = path.strip_prefix(BUCKET).map(|key| key.trim_start_matches('/')) else {
        return refusal(404, "NoSuchBucket");
    };
    match (request.method.as_str(), key) {
        ("GET", "") if request.parameter("uploads").is_some() => uploads(request, objects),
        ("GET", "") => listing(request, objects),
        ("GET" | "HEAD", key) => match objects.get(key) {
            Some(object) => content(request, object),
            None => refusal(404, "NoSuchKey"),
        },
        ("PUT", key) => put(request, key, objects),
        ("POST", key) => post(request, key, objects),
        ("DELETE", key) => {
            match request.parameter("uploadId") {
                Some(id) => objects.abort(&id),
                None => objects.delete(key),
            }
            Reply { status: 204, ..Reply::default() }
        }
        _ => refusal(405, "MethodNotAllowed"),
    }
}

fn content(request: &Request, object: &Object) -> Reply {
    let begin = request
        .header("range")
        .and_then(|range| range.strip_prefix("bytes=")?.trim_end_matches('-').parse::<usize>().ok());
    match begin {
        None => ok(object.content.clone()),
        Some(begin) => match object.content.get(begin..) {
            Some(rest) if !rest.is_empty() => Reply { status: 206, ..ok(rest) },
            _ => refusal(416, "InvalidRange"),
        },
    }
}

fn put(request: &Request, key: &str, objects: &mut Objects) -> Reply {
    let body = request.body.clone();
    let headers = vec![("etag", format!("\"{}\"", body.len()))];
    match (request.parameter("uploadId"), request.parameter("partNumber")) {
        (Some(id), Some(number)) => match objects.add_part(&id, number.parse().unwrap_or(0), body) {
            true => Reply { headers, ..ok("") },
            false => refusal(404, "NoSuchUpload"),
        },
        _ => {
            objects.put(key, body);
            Reply { headers, ..ok("") }
        }
    }
}

fn post(request: &Request, key: &str, objects: &mut Objects) -> Reply {
    match request.parameter("uploadId") {
        None => {
            let id = objects.begin(key);
            ok(format!(
                "<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
            ))
        }
        // S3 answers 200 before it knows the outcome.
        Some(id) => match objects.complete(&id) {
            Ok(()) => ok("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>"),
            Err(code) => Reply { status: 200, ..refusal(200, code) },
        },
    }
}

fn uploads(request: &Request, objects: &Objects) -> Reply {
    let prefix = request.parameter("prefix").unwrap_or_default();
    let uploads: String = objects
        .uploads(&prefix)
        .iter()
        .map(|(id, key)| format!("<Upload><Key>{key}</Key><UploadId>{id}</UploadId></Upload>"))
        .collect();
    ok(format!("<ListMultipartUploadsResult>{uploads}</ListMultipartUploadsResult>"))
}

fn listing(request: &Request, objects: &Objects) -> Reply {
    let prefix = request.parameter("prefix").unwrap_or_default();
    let after = request.parameter("continuation-token").unwrap_or_default();
    let page = objects.list(&prefix, &after, PAGE + 1);
    let is_truncated = page.len() > PAGE;
    let page = page.get(..PAGE.min(page.len())).unwrap_or_default();
    let mut body = format!("<ListBucketResult><IsTruncated>{is_truncated}</IsTruncated>");
    for (key, object) in page {
        let (size, time) = (object.content.len(), iso(object.seconds));
        body.push_str(&format!(
            "<Contents><Key>{key}</Key><LastModified>{time}</LastModified><Size>{size}</Size></Contents>"
        ));
    }
    if let Some((key, _)) = page.last().filter(|_| is_truncated) {
        body.push_str(&format!("<NextContinuationToken>{key}</NextContinuationToken>"));
    }
    ok(body + "</ListBucketResult>")
}

/// Returns seconds since 1970 as S3 writes them. Days become a date by the calendar of 400 years.
fn iso(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // The algorithm counts from March 1st of the year 0, so that leap days end a year.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.000Z")
}
