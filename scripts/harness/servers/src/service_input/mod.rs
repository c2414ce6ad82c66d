//! The input of servers with service features: paths, tokens, orders, documents, forms and seeds, all of them random.

pub mod form;
pub mod seeds;

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use sha2::Sha256;

/// The key of the tokens, as in `apps/services/contract`.
const SECRET: &[u8] = b"what stands in a repository is no secret";
/// When tokens end, in seconds since 1970: in 2100.
const END: u64 = 4_102_444_800;
/// Size of an order and of a document, in bytes.
const ORDER_BYTES: usize = 4096;
const DOCUMENT_BYTES: usize = 64 * 1024;
/// Lines of an order: about 100 bytes each.
const LINES: usize = 32;

/// A whole number below `end`, which is at least 1.
fn below(rng: &mut ChaCha8Rng, end: u32) -> u32 {
    rng.next_u32() % end
}

/// So many small letters.
pub fn letters(rng: &mut ChaCha8Rng, count: usize) -> String {
    let mut letter = || char::from_u32(u32::from(b'a') + below(rng, 26)).unwrap_or('a');
    (0..count).map(|_| letter()).collect()
}

/// A path of a server that has registered `routes`. A parameter has three letters, so that answers are about equally long.
pub fn path(routes: u32, rng: &mut ChaCha8Rng) -> String {
    let number = below(rng, routes.max(1));
    let parameter = if number % 3 == 2 {
        letters(rng, 3)
    } else {
        String::new()
    };
    path_of(number, &parameter)
}

/// The path of a route, every third of which has a parameter.
pub fn path_of(number: u32, parameter: &str) -> String {
    let path = format!("/area{}/thing{number}", number / 10);
    if number % 3 == 2 {
        format!("{path}/{parameter}")
    } else {
        path
    }
}

/// What a path of [`path`] is answered with: the parameter, or the number of the route.
pub fn answer_to(path: &str) -> &str {
    let last = path.rsplit('/').next().unwrap_or_default();
    last.strip_prefix("thing").unwrap_or(last)
}

/// What the token of somebody new says.
pub fn claims(rng: &mut ChaCha8Rng) -> Value {
    json!({ "sub": letters(rng, 12), "role": letters(rng, 6), "exp": END })
}

/// The value of a header `Authorization` for these claims.
pub fn bearer(claims: &Value) -> String {
    signed(claims, &json!({ "alg": "HS256", "typ": "JWT" }), SECRET)
}

/// The same with another header or key.
pub fn signed(claims: &Value, header: &Value, key: &[u8]) -> String {
    let encoded = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", encoded(header), encoded(claims));
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key may have any length");
    mac.update(text.as_bytes());
    format!("Bearer {text}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

/// A token of [`bearer`] whose signature is that of other claims.
pub fn forged(bearer: &str) -> String {
    let (text, signature) = bearer.rsplit_once('.').unwrap_or((bearer, ""));
    format!("{text}.{}", signature.chars().rev().collect::<String>())
}

/// The same without a signature, and with the algorithm `none`.
pub fn unsigned(claims: &Value) -> String {
    let signed = signed(claims, &json!({ "alg": "none" }), SECRET);
    let without = signed.rsplit_once('.').map_or("", |(text, _)| text);
    format!("{without}.")
}

/// The claims of a header that [`bearer`] made.
pub fn claims_in(authorization: &str) -> Option<Value> {
    let payload = authorization.split('.').nth(1)?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()
}

/// An order whose fields are right, of 4 KiB.
pub fn order(rng: &mut ChaCha8Rng) -> Value {
    let line = |rng: &mut ChaCha8Rng| {
        json!({
            "article": letters(rng, 8),
            "title": format!("{} {}", letters(rng, 9), letters(rng, 11)),
            // Of one length, so that the rest is, too.
            "quantity": 10 + below(rng, 90),
            "cents": 1000 + below(rng, 9000),
        })
    };
    let lines: Vec<Value> = (0..LINES).map(|_| line(rng)).collect();
    let email = format!("{}@{}.example", letters(rng, 8), letters(rng, 6));
    let mut order = json!({
        "customer": { "name": letters(rng, 14), "email": email },
        "lines": lines,
        "note": "",
    });
    let missing = ORDER_BYTES.saturating_sub(order.to_string().len());
    order["note"] = letters(rng, missing).into();
    order
}

/// The sum of an order that [`order`] made.
pub fn total(order: &Value) -> u64 {
    let lines = order["lines"].as_array().into_iter().flatten();
    let number = |line: &Value, field: &str| line[field].as_u64().unwrap_or(0);
    lines.map(|line| number(line, "quantity") * number(line, "cents")).sum()
}

/// A document of 64 KiB in one line, with spaces that an answer need not have and fields that it may not have: a server that sends
/// back what it got is found.
pub fn document(rng: &mut ChaCha8Rng) -> String {
    let mut text = format!(
        "{{\"title\": \"{}\", \"extra\": {{\"a\": [1, 2]}}, \"items\": [",
        letters(rng, 20)
    );
    let end = "]}";
    let mut number = 0;
    loop {
        let tags: Vec<String> = (0..3).map(|_| format!("\"{}\"", letters(rng, 6))).collect();
        let note = if below(rng, 4) == 0 {
            "null".into()
        } else {
            format!("\"{}\"", letters(rng, 24))
        };
        let mut item = String::new();
        let _ = write!(
            item,
            "{{\"id\": {number}, \"name\": \"{} \u{e9}\", \"active\": {}, \"score\": {}.25, \"tags\": [{}], \
             \"position\": {{\"latitude\": {}.5, \"longitude\": -{}.75}}, \"note\": {note}, \"unknown\": {}}}",
            letters(rng, 12),
            below(rng, 2) == 0,
            below(rng, 1000),
            tags.join(", "),
            below(rng, 90),
            below(rng, 180),
            below(rng, 10),
        ); // a String takes everything
        if text.len() + item.len() + ", ".len() + end.len() > DOCUMENT_BYTES {
            break;
        }
        if number > 0 {
            text.push_str(", ");
        }
        text.push_str(&item);
        number += 1;
    }
    text.push_str(&" ".repeat(DOCUMENT_BYTES - text.len() - end.len()));
    text + end
}

/// What an answer to a document must say: the document without the fields that are not of it.
pub fn known_fields(document: &str) -> Option<Value> {
    let mut value: Value = serde_json::from_str(document).ok()?;
    value.as_object_mut()?.remove("extra");
    for item in value["items"].as_array_mut()? {
        item.as_object_mut()?.remove("unknown");
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    fn rng() -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(7)
    }

    #[test]
    fn paths_are_those_that_a_server_registers_and_all_of_them_come() {
        let mut rng = rng();
        let mut seen = [false; 15];
        for _ in 0..1000 {
            let path = path(15, &mut rng);
            let mut parts = path.split('/').skip(1);
            let (area, thing) = (parts.next().unwrap(), parts.next().unwrap());
            let number: usize = thing.strip_prefix("thing").unwrap().parse().unwrap();
            assert_eq!(area, format!("area{}", number / 10));
            let parameter = parts.next();
            assert_eq!(parameter.is_some(), number % 3 == 2);
            assert_eq!(answer_to(&path), parameter.unwrap_or(&number.to_string()));
            seen[number] = true;
        }
        assert!(seen.iter().all(|seen| *seen));
    }

    #[test]
    fn claims_are_read_from_a_token_with_a_signature_and_without() {
        let claims = claims(&mut rng());
        assert_eq!(claims_in(&bearer(&claims)).as_ref(), Some(&claims));
        let unsigned = unsigned(&claims);
        assert!(unsigned.ends_with('.') && claims_in(&unsigned) == Some(claims));
    }

    #[test]
    fn orders_and_documents_have_their_size_and_no_two_are_alike() {
        let mut rng = rng();
        let orders = [order(&mut rng), order(&mut rng)];
        assert!(orders.iter().all(|order| order.to_string().len() == ORDER_BYTES));
        assert_ne!(orders[0], orders[1]);
        assert!(total(&orders[0]) >= 32 * 10 * 1000);
        let documents = [document(&mut rng), document(&mut rng)];
        assert!(
            documents
                .iter()
                .all(|text| text.len() == DOCUMENT_BYTES && !text.contains('\n'))
        );
        assert_ne!(documents[0], documents[1]);
        let known = known_fields(&documents[0]).unwrap();
        assert!(known["items"].as_array().unwrap().len() > 250 && known.get("extra").is_none());
        assert!(!known.to_string().contains("unknown"));
    }
}
