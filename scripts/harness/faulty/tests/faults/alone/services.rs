//! Servers of services.

use faulty::Running;
use faulty::services::{Fault, Services, Settings};
use model::Service;
use servers::contract::{self, Backend, Client, ServicesToProve, prove_request, prove_under_load};
use servers::shared_files::ServedFiles;
use servers::workload::Workload;

use crate::{load, scenario, serving};

const ROUTES: u32 = 1000;
const LAYERS: u32 = 5;
/// What these servers do: everything but two ways to compress.
const NOT_OFFERED: [Service; 2] = [Service::Brotli, Service::Zstd];

fn proving(fault: Fault, offers: &[Service]) -> (Running, Client) {
    let settings = Settings {
        routes: ROUTES,
        layers: LAYERS,
        files: ServedFiles::own().unwrap().folder.clone(),
    };
    let services = ServicesToProve {
        offers: offers.iter().copied().collect(),
        routes: ROUTES,
        layers: LAYERS,
    };
    let (server, client) = serving(Services::new(fault, settings));
    (server, client.with_backend(Backend::Services(services)))
}

fn violations(fault: Fault, offers: &[Service]) -> Vec<String> {
    let (_server, client) = proving(fault, offers);
    let found = contract::violations(&client, 1).unwrap();
    found.iter().map(|breach| breach.violation.to_string()).collect()
}

#[test]
fn an_honest_server_violates_nothing_and_who_cheats_under_load_seems_honest_without() {
    let mut offers = Service::ALL.to_vec();
    offers.retain(|service| !NOT_OFFERED.contains(service));
    for fault in [Fault::None, Fault::KeepsAnswers] {
        assert_eq!(violations(fault, &offers), [""; 0], "{fault:?}");
    }
}

#[test]
fn each_way_to_cheat_is_found() {
    for (fault, service, reason) in [
        (Fault::GuessesRoutes, Service::Routes, "/more: expected status 404"),
        (Fault::TakesUnsigned, Service::Auth, "expected status 401 with a body"),
        (Fault::TakesEnded, Service::Auth, "expected status 401 with a body"),
        (Fault::EchoesDocuments, Service::Json, "POST /json with 65 kB: expected"),
        (
            Fault::SkipsLayers,
            Service::Middleware,
            "GET /middleware: expected `5`, got `4`",
        ),
        (
            Fault::NamesFirstField,
            Service::Validate,
            "expected `{\"fields\":[\"customer.email\",\"customer.name\"]}`",
        ),
        (
            Fault::GathersEvents,
            Service::Events,
            "expected an event every 10 ms, got all of them at once",
        ),
    ] {
        let found = violations(fault, &[service]);
        let [only] = found.as_slice() else {
            panic!("{fault:?}: {found:#?}")
        };
        assert!(only.contains(reason), "{fault:?}: {only}");
    }
}

#[test]
fn each_kind_of_work_that_is_done_carelessly_is_named() {
    for (service, reason) in [
        (Service::Upload, "POST /upload with 104"),
        (
            Service::Static,
            "GET /static/../secret.txt: expected a status 4xx for a path out of the folder, got status 200",
        ),
        (
            Service::Revalidate,
            "GET /static/4k.bin, if-modified-since: `Wed, 25 Nov 2026 00:00:00 GMT`: expected status 304, got status 200",
        ),
        (Service::Range, "GET /static/4k.bin, range: `bytes="),
        (Service::Gzip, "expected a body in gzip"),
        (Service::Stream, "expected 100 chunks, got"),
        (Service::Events, " ms, got it after "),
        (
            Service::Websocket,
            "a WebSocket at /websocket: expected every message to come back, got the echo is another message than was sent",
        ),
    ] {
        let found = violations(Fault::Careless, &[service]);
        assert!(found.iter().any(|one| one.contains(reason)), "{service:?}: {found:#?}");
    }
}

#[test]
fn who_answers_with_what_was_first_under_load_is_found_by_a_witness() {
    for (name, reason) in [
        ("validate", "POST /validate"),
        ("upload", "POST /upload"),
        ("compress-gzip", "GET /listing/"),
        ("websocket-64", "the echo is another message than was sent"),
    ] {
        let scenario = scenario(name);
        let (server, client) = proving(Fault::KeepsAnswers, Service::ALL);
        prove_request(&scenario, &client, 1).unwrap().unwrap();
        let _load = load(server.address);
        // Each time another load: the first answer is right.
        let mut proofs = (0..2).map(|seed| prove_under_load(&Workload::of(&scenario), &client, seed).unwrap());
        assert_eq!(proofs.next().unwrap(), Ok(()), "{name}");
        let message = proofs.next().unwrap().unwrap_err().to_string();
        assert!(message.contains(reason), "{name}: {message}");
    }
}
