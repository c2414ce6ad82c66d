//! What all servers of Silent share, those with a database and with service features too: bodies, by an extractor of one's own, as Silent's
//! guide to extractors has them, and the server itself.

use std::net::SocketAddr;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use silent::{
    ConnectionLimits, Listener, Request, Server, SilentError, StatusCode,
    extractor::FromRequest,
    headers::{ContentLength, HeaderMapExt as _},
};

/// Silent's `Json` answers a body above the limit with a 400 that calls it empty, and one without a type with a 500.
pub struct Json<T, const MAX_BYTES: usize>(pub T);

#[async_trait]
impl<T: DeserializeOwned + Send + 'static, const MAX_BYTES: usize> FromRequest for Json<T, MAX_BYTES> {
    type Rejection = SilentError;

    /// What comes without a length is cut off by the server's own limit, with that 400.
    async fn from_request(request: &mut Request) -> Result<Self, SilentError> {
        let length = request.headers().typed_get::<ContentLength>();
        if length.is_some_and(|length| length.0 > MAX_BYTES as u64) {
            let text = format!("the body is larger than {MAX_BYTES} bytes");
            return Err(SilentError::business_error(StatusCode::PAYLOAD_TOO_LARGE, text));
        }
        match request.json_parse().await {
            Ok(value) => Ok(Self(value)),
            Err(error @ SilentError::ContentTypeMissingError) => Err(SilentError::business_error(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                error.to_string(),
            )),
            Err(error) => Err(error),
        }
    }
}

/// A server at the address that reads no more of a body than that, or the end of the process.
pub async fn server(addr: SocketAddr, max_bytes: usize) -> Server {
    // Given an address, Silent would panic where it cannot be bound.
    let listener: Listener = contract_tokio::listen(addr).await.into();
    let limits = ConnectionLimits {
        max_body_size: Some(max_bytes),
        ..ConnectionLimits::default()
    };
    Server::new().listen(listener).with_connection_limits(limits)
}
