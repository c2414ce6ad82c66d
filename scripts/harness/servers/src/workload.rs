//! What one load requests, and a prover during it.
//!
//! A server that knew the bodies of a load could keep their answers, and nobody would see it: the answers are right. So where a body
//! is one word, a load sends many, each as long as the scenario's, that no server has seen before. The prover sends the same ones.

use rand::rngs::SysRng;
use rand::{Rng, SeedableRng, TryRng};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use crate::service_input;
use crate::service_input::form;
use crate::service_input::form::Form;
use crate::service_input::seeds;
use model::Service;
use model::scenario::{GeneratorKind, Scenario};

/// Bodies of one load. A slice sends some thousand requests at most where answers are cheap, and some dozen where a kept one would be
/// worth most; oha reads so many lines in a fraction of a millisecond.
const BODIES: usize = 1000;
/// The same of orders and documents, which are long: oha reads its file before each slice.
const ORDERS: usize = 64;
const DOCUMENTS: usize = 16;
/// What stands in a body for letters that make it too large, and how many these are: above `contract::MAX_BODY_BYTES` of the apps.
const LONG: &str = "LONG";
const LONG_BYTES: usize = 100_000;
/// The field of a token.
pub const AUTHORIZATION: &str = "authorization";
/// The field of codings that a client takes.
pub const ACCEPT_ENCODING: &str = "accept-encoding";
/// Seed of the requests whose instructions are counted.
const COUNTED: u64 = 20;

/// A number that nobody can foresee. The seed of a run is short, and orders made from it reveal it.
pub fn unforeseen() -> u64 {
    SysRng.try_next_u64().expect("the kernel has random numbers")
}

/// The requests of one load of a scenario.
#[derive(Debug)]
pub struct Workload<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Paths with their queries, of which each request has one, drawn at random.
    pub paths: Vec<String>,
    /// Fields of the head that every request has besides the usual ones.
    pub headers: Vec<(&'static str, String)>,
    /// The bodies, of which each request has one, drawn at random; none if it has no body.
    pub bodies: Vec<String>,
    /// The form that is the only body, where one is uploaded.
    pub form: Option<Form>,
}

/// A body that is one word.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Word {
    /// The word.
    pub payload: String,
}

impl Word {
    /// The word of a body, if it has one.
    pub fn read(body: &str) -> Option<String> {
        serde_json::from_str(body).ok().map(|word: Self| word.payload)
    }

    /// A body such as `{"payload":"world"}`.
    pub fn body(word: &str) -> String {
        serde_json::json!({ "payload": word }).to_string()
    }
}

impl<'a> Workload<'a> {
    /// The requests of one load of `scenario`. wrk and h2load send one body only.
    pub fn of(scenario: &'a Scenario) -> Self {
        Self::from_seed(scenario, unforeseen())
    }

    /// The requests whose instructions are counted: the same every time, because another input can take other instructions.
    pub fn counted(scenario: &'a Scenario) -> Self {
        Self::from_seed(scenario, COUNTED)
    }

    fn from_seed(scenario: &'a Scenario, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut workload = Self {
            scenario,
            paths: vec![scenario.path.clone()],
            headers: Vec::new(),
            bodies: scenario.body.iter().cloned().collect(),
            form: None,
        };
        if scenario.generator != GeneratorKind::Oha {
            return workload;
        }
        let Some(served) = scenario.service else {
            if let Some(body) = scenario.body.as_ref().filter(|_| scenario.refused) {
                let (what, count, letters) = if body.contains(LONG) {
                    (LONG, DOCUMENTS, LONG_BYTES)
                } else {
                    ("world", BODIES, 5)
                };
                workload.bodies = many(count, || body.replace(what, &service_input::letters(&mut rng, letters)));
            } else if let Some(word) = scenario.body.as_deref().and_then(Word::read) {
                let count = word.chars().count();
                workload.bodies = many(BODIES, || Word::body(&service_input::letters(&mut rng, count)));
            }
            return workload;
        };
        match served.kind {
            Service::Routes => workload.paths = many(BODIES, || service_input::path(served.routes, &mut rng)),
            Service::Auth => {
                let bearer = service_input::bearer(&service_input::claims(&mut rng));
                let value = if scenario.refused {
                    service_input::forged(&bearer)
                } else {
                    bearer
                };
                workload.headers = vec![(AUTHORIZATION, value)];
            }
            Service::Validate => {
                workload.bodies = many(ORDERS, || {
                    let mut order = service_input::order(&mut rng);
                    if scenario.refused {
                        order["lines"][0]["quantity"] = 0.into();
                    }
                    order.to_string()
                });
            }
            Service::Json => workload.bodies = many(DOCUMENTS, || service_input::document(&mut rng)),
            Service::Upload => {
                let form = Form::with_file(form::FILE_BYTES, &mut rng);
                workload.bodies = vec![form.body()];
                workload.form = Some(form);
            }
            Service::Gzip | Service::Brotli | Service::Zstd | Service::Stream | Service::Events => {
                let folder = scenario.path.trim_end_matches(|letter| letter != '/');
                workload.paths = many(BODIES, || format!("{folder}{}", seeds::seed(&mut rng)));
                let coding = coding(served.kind).map(|coding| (ACCEPT_ENCODING, coding.to_owned()));
                workload.headers = coding.into_iter().collect();
            }
            Service::Middleware | Service::Static | Service::Revalidate | Service::Range | Service::Websocket => {}
        }
        workload
    }

    /// The path of one request.
    pub fn path(&self, rng: &mut ChaCha8Rng) -> &str {
        drawn(&self.paths, rng).unwrap_or(&self.scenario.path)
    }

    /// The body of one request; `None` if it has none.
    pub fn body(&self, rng: &mut ChaCha8Rng) -> Option<&str> {
        drawn(&self.bodies, rng)
    }

    /// What the bodies are declared as.
    pub fn content_type(&self) -> &'static str {
        match self.scenario.service.map(|served| served.kind) {
            Some(Service::Upload) => form::CONTENT_TYPE,
            _ => "application/json",
        }
    }

    /// Bytes of each message, where they go over WebSocket.
    pub fn message_bytes(&self) -> Option<usize> {
        let served = self.scenario.service?;
        usize::try_from(served.message_bytes?).ok()
    }

    /// The mean size of the answers, where it follows from the paths: they have so few bytes that the mean of some would differ too much
    /// from the mean of all.
    pub fn known_size(&self) -> Option<f64> {
        self.scenario.service.filter(|served| served.kind == Service::Routes)?;
        let sizes = self.paths.iter().map(|path| service_input::answer_to(path).len());
        Some(sizes.sum::<usize>() as f64 / self.paths.len() as f64)
    }

    /// Whether answers to different requests differ in size.
    pub fn is_varied(&self) -> bool {
        let of_one_size = [Service::Upload, Service::Static, Service::Stream, Service::Events];
        let served = self.scenario.service;
        self.scenario.database.is_some() || served.is_some_and(|served| !of_one_size.contains(&served.kind))
    }
}

fn many(count: usize, make: impl FnMut() -> String) -> Vec<String> {
    std::iter::repeat_with(make).take(count).collect()
}

/// What a client says that wants an answer compressed.
pub fn coding(kind: Service) -> Option<&'static str> {
    match kind {
        Service::Gzip => Some("gzip"),
        Service::Brotli => Some("br"),
        Service::Zstd => Some("zstd"),
        _ => None,
    }
}

fn drawn<'a>(texts: &'a [String], rng: &mut ChaCha8Rng) -> Option<&'a str> {
    let drawn = usize::try_from(rng.next_u32()).unwrap_or(0) % texts.len().max(1);
    texts.get(drawn).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use apps::profile::Profiles;
    use model::Part;
    use model::scenario::Method;

    fn scenario(name: &str) -> Scenario {
        let profiles = Profiles::built_in();
        profiles.scenario(name, profiles.profile("quick").unwrap()).unwrap()
    }

    #[test]
    fn no_load_of_a_server_that_works_alone_sends_a_body_that_could_be_foreseen() {
        let profiles = Profiles::built_in();
        let names = profiles.scenario_names();
        let posts = names.map(scenario).filter(|scenario| {
            scenario.method == Method::Post
                && scenario.part() == Part::Plain
                && scenario.generator == GeneratorKind::Oha
        });
        let mut seen = 0;
        for scenario in posts {
            let workload = Workload::of(&scenario);
            let different: HashSet<&String> = workload.bodies.iter().collect();
            let body = scenario.body.as_ref().unwrap();
            let is_long = body.contains(LONG);
            let least = if is_long { DOCUMENTS } else { BODIES * 9 / 10 };
            assert!(different.len() >= least, "{}", scenario.id);
            let length = if is_long {
                body.len() - LONG.len() + LONG_BYTES
            } else {
                body.len()
            };
            assert!(
                workload.bodies.iter().all(|body| body.len() == length),
                "{}",
                scenario.id
            );
            let other = Workload::of(&scenario);
            let again = other.bodies.iter().filter(|body| different.contains(body));
            assert!(again.count() < 10, "{}", scenario.id);
            seen += 1;
        }
        assert!(seen > 10);
    }

    #[test]
    fn no_load_of_services_asks_what_could_be_foreseen() {
        let all = |workload: &Workload<'_>| {
            let values = workload.headers.iter().map(|(_, value)| value.clone());
            let texts = workload.paths.iter().chain(&workload.bodies).cloned();
            texts.chain(values).collect::<HashSet<String>>()
        };
        for (name, count) in [
            ("routes-1000", 700),
            ("auth", 2),
            ("validate", ORDERS),
            ("json-64k", DOCUMENTS),
            ("upload", 2),
            ("compress-gzip", 900),
            ("stream", 900),
            ("events", 900),
        ] {
            let scenario = scenario(name);
            let (one, other) = (all(&Workload::of(&scenario)), all(&Workload::of(&scenario)));
            assert!(one.len() >= count, "{name}: {}", one.len());
            let again = one.intersection(&other).count();
            // The path of a request with a body, and routes, of which there are only so many.
            assert!(
                again <= 1 || name == "routes-1000" && again < one.len(),
                "{name}: {again}"
            );
            assert_eq!(
                all(&Workload::counted(&scenario)),
                all(&Workload::counted(&scenario)),
                "{name}"
            );
        }
    }

    #[test]
    fn a_body_that_is_no_word_and_one_of_another_generator_are_the_scenarios() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let orders = scenario("orders");
        let workload = Workload::of(&orders);
        assert_eq!(workload.body(&mut rng), orders.body.as_deref());
        let wrk = Scenario {
            generator: GeneratorKind::Wrk,
            ..scenario("simple")
        };
        assert_eq!(Workload::of(&wrk).bodies, [r#"{"payload":"world"}"#]);
        assert_eq!(Workload::of(&scenario("plaintext")).body(&mut rng), None);
    }
}
