//! The contract by hand: one `match`, as in hyper's guide.

use std::{convert::Infallible, fmt::Write as _};

use hyper::{
    Method, Request, StatusCode,
    body::Incoming,
    header::{ALLOW, CONTENT_TYPE, HeaderValue},
};

use crate::{
    exchange::{Answer, Refusal, discard, json, read_json, text},
    store::{Failed, Fortune, NewOrder, Store},
};

/// Most rows that a request may ask for.
const MOST_ROWS: usize = 100;

pub async fn answer(request: Request<Incoming>, store: &Store) -> Result<Answer, Infallible> {
    Ok(route(request, store).await.unwrap_or_else(Answer::from))
}

async fn route(request: Request<Incoming>, store: &Store) -> Result<Answer, Refusal> {
    let (head, body) = request.into_parts();
    match (&head.method, head.uri.path()) {
        (&Method::GET, "/") => Ok(text(StatusCode::OK, "Hello, World!")),
        (&Method::GET, "/db") => json(&store.world().await.map_err(failed)?),
        (&Method::GET, "/queries") => json(&store.worlds(count(head.uri.query())?).await.map_err(failed)?),
        (&Method::GET, "/fortunes") => Ok(page(&store.fortunes().await.map_err(failed)?)),
        (&Method::POST, "/orders") => {
            let order: NewOrder = read_json(&head.headers, body).await?;
            json(&store.create_order(&order).await.map_err(failed)?)
        }
        (&Method::GET, path) if path.starts_with("/orders/") => {
            let id = path.trim_start_matches("/orders/").parse();
            let id = id.map_err(|_| Refusal::new(StatusCode::NOT_FOUND, "an order has a number"))?;
            let found = store.order(id).await.map_err(failed)?;
            json(&found.ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, "no such order"))?)
        }
        (&Method::POST, "/updates") => {
            discard(body).await;
            json(&store.update_worlds(count(head.uri.query())?).await.map_err(failed)?)
        }
        (_, path) => {
            discard(body).await;
            unserved(path)
        }
    }
}

fn count(query: Option<&str>) -> Result<usize, Refusal> {
    let mut fields = query.unwrap_or_default().split('&');
    let n = fields.find_map(|field| field.strip_prefix("n=")).unwrap_or("1");
    let n = n.parse().ok().filter(|n| (1..=MOST_ROWS).contains(n));
    n.ok_or_else(|| Refusal::new(StatusCode::BAD_REQUEST, "n must be a whole number from 1 to 100"))
}

/// By hand, as there is no template engine whose release would not move the reference.
fn page(fortunes: &[Fortune]) -> Answer {
    let mut page = String::from(
        "<!DOCTYPE html>\n<html>\n<head><title>Fortunes</title></head>\n<body>\n<table>\n<tr><th>id</th><th>message</th></tr>\n",
    );
    for Fortune { id, message } in fortunes {
        let _ = write!(page, "<tr><td>{id}</td><td>"); // a String takes everything
        for character in message.chars() {
            match character {
                '&' => page.push_str("&amp;"),
                '<' => page.push_str("&lt;"),
                '>' => page.push_str("&gt;"),
                '"' => page.push_str("&quot;"),
                '\'' => page.push_str("&#39;"),
                other => page.push(other),
            }
        }
        page.push_str("</td></tr>\n");
    }
    page.push_str("</table>\n</body>\n</html>\n");
    let mut answer = text(StatusCode::OK, page);
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, html);
    answer
}

fn failed(failed: Failed) -> Refusal {
    match failed {
        Failed::Conflict => Refusal::new(StatusCode::CONFLICT, "a product is named twice"),
        Failed::Database(reason) => Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, reason),
    }
}

/// A path that is known, but not with this method; or one that is not known.
fn unserved(path: &str) -> Result<Answer, Refusal> {
    let allowed = match path {
        "/" | "/db" | "/queries" | "/fortunes" => "GET",
        "/orders" | "/updates" => "POST",
        _ => return Err(Refusal::new(StatusCode::NOT_FOUND, "no such path")),
    };
    let mut answer = text(StatusCode::METHOD_NOT_ALLOWED, "not with this method");
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    Ok(answer)
}
