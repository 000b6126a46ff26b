//! Errors as replies.

use hyper::StatusCode;
use velocypack::Builder;

use super::response::Response;
use crate::error::ApiError;

impl From<ApiError> for Response {
    fn from(error: ApiError) -> Self {
        let status = StatusCode::from_u16(error.status_code()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = Response::value(status, body(&error, status).unwrap_or_default());
        for (name, value) in error.headers() {
            response = response.header(name.clone(), value.clone());
        }
        response
    }
}

fn body(error: &ApiError, status: StatusCode) -> velocypack::Result<Vec<u8>> {
    let mut builder = Builder::with_capacity(128 + error.message().len());
    builder.open_object()?;
    builder.key("code")?;
    builder.add_u64(status.as_u16().into())?;
    error.print_member(&mut builder)?;
    for (name, value) in error.attributes() {
        builder.key(name)?;
        builder.add_str(value)?;
    }
    builder.close()?;
    Ok(builder.into_vec())
}
