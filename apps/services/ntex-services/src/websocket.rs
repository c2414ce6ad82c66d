//! A connection on which each message comes back.

use ntex::{
    http::StatusCode,
    service::{fn_factory_with_config, fn_service},
    util::ByteString,
    web::{
        Error, HttpRequest, HttpResponse,
        error::InternalError,
        ws::{self, CloseCode, Frame, Message},
    },
};

pub async fn start(request: HttpRequest) -> Result<HttpResponse, Error> {
    let service = fn_factory_with_config(async |_| Ok::<_, Error>(fn_service(echo)));
    // Its own answer to what is no handshake has no body.
    let refused = |error: Error| InternalError::new(error, StatusCode::BAD_REQUEST).into();
    ws::start(request, None::<String>, service).await.map_err(refused)
}

/// A message that comes in several frames goes back in as many.
async fn echo(frame: Frame) -> Result<Option<Message>, Error> {
    Ok(match frame {
        Frame::Text(bytes) => Some(
            ByteString::try_from(bytes)
                .map_or_else(|()| Message::Close(Some(CloseCode::Invalid.into())), Message::Text),
        ),
        Frame::Binary(bytes) => Some(Message::Binary(bytes)),
        Frame::Continuation(item) => Some(Message::Continuation(item)),
        Frame::Ping(bytes) => Some(Message::Pong(bytes)),
        Frame::Pong(_) => None,
        Frame::Close(reason) => Some(Message::Close(reason)),
    })
}
